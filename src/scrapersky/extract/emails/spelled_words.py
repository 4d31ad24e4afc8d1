"""Addresses written in words: behind a label, and with a sign that the reader shall replace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapersky.extract.emails.address_pattern import AddressMatch, real_domain

_LABEL = (
    r"(?:e-?mails?|mails?|mail us|e-?mail(?:adresse|address| me| us)|contact(?: us)?|write to(?: us)?|"
    r"courriel|correo|posta|kontakt|e-?post|sähköposti|írjon|skriv till)"
)
_DOT = r"(?:\.| (?:dot|punkt|point|punto|ponto|kropka|tečka) )"
_LOCAL = rf"[a-z0-9][a-z0-9_+-]{{0,40}}(?:{_DOT}[a-z0-9_+-]{{1,40}}){{0,3}}"
# "at" is an ordinary word: only the label before and the domain behind it make an address of the words.
_WORDED = re.compile(
    rf"(?<!\w){_LABEL}\s{{0,2}}[:\-–=(]?\s{{0,2}}(?P<local>{_LOCAL}) "
    r"(?P<at>at|ät|arroba|chiocciola|małpa|zavináč|snabel-a) "
    rf"(?P<domain>[a-z0-9-]{{1,63}}(?:{_DOT}[a-z0-9-]{{2,63}}){{1,3}})(?![\w@])",
    re.IGNORECASE,
)
_WORDED_DOT = re.compile(r" \w+ ")
_MAIL_LABEL = re.compile(r"(?:e-?mails?|mails?|courriel|correo|e-?post)\s{0,2}:", re.IGNORECASE)
_NO_LOCALS = frozenset(
    ["us", "me", "them", "you", "him", "her", "team", "directly", "here", "now", "meet", "only", "or"]
)
_DOT_SIGN = re.compile(_DOT, re.IGNORECASE)
_VERBS = (
    "replace|replacing|substitute|change|swap|ersetze[nr]?|ersetzen sie|ersetzt|tausche[n]?|remplace[rz]|"
    "sustitu(?:ir|ya|ye)|reempla(?:zar|ce)|cambiar?|substitu(?:ir|a)|sostitui(?:re|sci|te)|vervang(?:en)?|"
    "zamie[nń]|nahra[dď]te|cserélje|byt ut|erstatt?|korvaa|zamijenite"
)
_SIGN = r"[#*~$%&!^|§+=]"
_INSTRUCTION = re.compile(
    rf"(?<!\w)(?:{_VERBS})(?: (?:the|das|den|le|la|el|o|il|het|de|sign|zeichen|symbol|signe|signo|by)){{0,3}}"
    rf"\s{{0,2}}[\"'“„«(]?(?P<sign>{_SIGN})[\"'”“»)]?[^.\n@]{{1,40}}[\"'“„«(]?@",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"[\"'“„«(]?(?P<sign>[#*~$%&!^|§+=])[\"'”“»)]? ?(?:=|for|means|stands for|steht für|statt|instead of|"
    r"durch|par|por) ?[\"'“„«(]?@",
    re.IGNORECASE,
)
# "★を@に変えてください", "请将#替换为@", "#을 @로 바꿔 주세요".
_EASTERN = re.compile(
    r"[\"'“「『(（]?(?P<sign>[#*~$%&!^|§+=★☆◎●■◆♪＃＊])[\"'”」』)）]?\s?"
    r"(?:を|は|替换[为成]|换[成为]|改[成为]|替換[為成]|換[成為]|改[成為]|을|를) ?(?:半角)?[\"'“「『(（]?[@＠]"
)
_INSTRUCTIONS = (_INSTRUCTION, _MEANT, _EASTERN)
_AT_WORDS = (" at ", " ät ", " arroba ", " chiocciola ", " małpa ", " zavináč ", " snabel-a ", " AT ", " At ")
_BEFORE, _AFTER = 120, 160
_SHORT = 45
_SPELLED_DOTS = (" dot ", " punkt ", " point ", " punto ", " ponto ", " kropka ", " tečka ")
_MAX_MARKS = 200
_BARE_BEFORE = frozenset(" \"'“„«(=をは为成為을를角「『（")


def find_worded(text: str) -> Iterator[AddressMatch]:
    """Addresses in plain words behind a label, such as "E-mail: info at firm dot com"."""
    for word in filter(text.__contains__, _AT_WORDS):
        for place in _places(text, word):
            window = max(0, place - _BEFORE)
            if not any(map(text[place : place + _AFTER].__contains__, _SPELLED_DOTS)) and (
                ":" not in text[max(0, place - _SHORT) : place]
            ):
                continue
            match = next(
                (
                    match
                    for match in _WORDED.finditer(text, window, place + _AFTER)
                    if match.start("at") == place + 1
                ),
                None,
            )
            if match is not None:
                yield from _read_words(match)


def _read_words(match: re.Match[str]) -> Iterator[AddressMatch]:
    domain = real_domain(_DOT_SIGN.sub(".", match["domain"]).lower())
    local = _DOT_SIGN.sub(".", match["local"]).lower()
    is_spelled = _WORDED_DOT.search(match["domain"]) is not None
    if domain and local not in _NO_LOCALS and (is_spelled or _MAIL_LABEL.match(match.group())):
        yield AddressMatch(local, domain, match.start("local"), match.end("domain"))


def find_replaced(text: str) -> Iterator[AddressMatch]:
    """Addresses with another sign, where the page tells its readers to put the right one."""
    for sign in sorted(_replaced_signs(text)):
        pattern = re.compile(
            rf"(?<![\w.@+-])(?P<local>[A-Za-z0-9][\w.+-]{{0,63}}?) ?{re.escape(sign)} ?"
            r"(?P<domain>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,3})(?![\w@])"
        )
        for match in pattern.finditer(text):
            domain = real_domain(match["domain"].lower())
            if domain:
                yield AddressMatch(match["local"].lower(), domain, match.start(), match.end())


def _replaced_signs(text: str) -> set[str]:
    """The signs that are to be replaced by a bare "@" of the page."""
    signs: set[str] = set()
    for place in (*_places(text, "@"), *_places(text, "＠")):
        after = text[place + 1 : place + 2]
        if place and text[place - 1] in _BARE_BEFORE and not (after.isascii() and after.isalnum()):
            window = text[max(0, place - _BEFORE) : place + 1]
            instructions = [match for pattern in _INSTRUCTIONS for match in pattern.finditer(window)]
            signs.update(match["sign"] for match in instructions if match.end() == len(window))
    return signs


def _places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    for _ in range(_MAX_MARKS):
        if place < 0:
            return
        yield place
        place = text.find(word, place + 1)
