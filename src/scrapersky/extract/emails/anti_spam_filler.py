"""Removes anti-spam filler from mail addresses: NOSPAM, REMOVETHIS, a time of day."""

from __future__ import annotations

import re
from functools import lru_cache

from scrapersky.extract.emails.vocabulary import is_free

# Words that are filler wherever they are joined to something else, in the languages they are seen in.
_SURE = (
    r"(?:no|anti|stop|kein|ohne|pas-?de|sans|sin|sem|senza|bez|zonder|ingen|ei|utan|uten|uden)[-_.]?spam"
    r"(?:[-_.]?(?:please|bitte|thanks|here|mail|me))?|spam[-_.]?(?:block|blocker|frei|schutz|protect(?:ion)?|trap|not)|"
    r"(?:please|pls|bitte|prosze|prosim|veuillez)[-_.]?(?:remove|delete|entfernen|loeschen|löschen|usunac|supprimer|"
    r"enlever|retirer|odstranit)(?:[-_.]?(?:this|me|it))?|"
    r"(?:remove|delete|erase|cut|drop)[-_.]?(?:this|me|these|caps|capitals|spam|the|it|before)"
    r"(?:[-_.]?(?:part|word|text|sending|spam))?|"
    r"(?:bitte|dies(?:es)?|das|wort)[-_.]?(?:entfernen|l(?:oe|ö)schen|weg)|(?:entfernen|l(?:oe|ö)schen)[-_.]?bitte|"
    r"(?:a|à|pour)[-_.]?(?:enlever|supprimer|retirer)|(?:enlever?|enlevez|supprimer?|supprimez|retirez?)[-_.]?"
    r"(?:ceci|cela|moi|moy|ca)|(?:quitar?|quite|borrar?|borre|elimin[ae]r?|remova|retire|apague)[-_.]?(?:esto|isto|isso|me)|"
    r"(?:togli|toglimi|rimuovi|rimuovere|cancella|elimina)[-_.]?(?:questo|mi|qui)|(?:usun|skasuj)[-_.]?to|"
    r"verwijder[-_.]?(?:dit|mij)|(?:ta|tag|fjern)[-_.]?(?:bort|det|dette|detta|vaek)|poista[-_.]?tama|"
    r"(?:odstran|smaz|vymaz)[a-z]{0,2}[-_.]?(?:to|toto)"
)
# These alone may be a mailbox; in capitals among small letters, or in brackets, they are filler.
_FAINT = (
    r"spam|remove|delete|entfernen|l(?:oe|ö)schen|weg|enlever|supprimer|retirer|quitar|borrar|eliminar|togli(?:ere)?|"
    r"rimuovere?|cancella|remover|apagar|usun(?:ac)?|verwijder(?:en)?|fjern|poista|odstranit|smazat|trash|anti|antibot|"
    r"nobots?|filter|junk|xxx+"
)
_STEMS = re.compile(
    r"spam|remov|delet|entfern|l(?:oe|ö)sch|weg|enlev|supprim|retir|quita|borra|elimin|togli|rimuov|cancell|apag|"
    r"usun|skasuj|verwijder|fjern|bort|poista|odstran|smaz|vymaz|trash|bots?\b|anti|filter|junk|xxx|erase|cut|drop",
    re.I,
)
_OPEN, _SHUT = r"[(\[{<«*|~_-]{1,3}", r"[)\]}>»*|~_-]{1,3}"
_BRACKETED = re.compile(rf"{_OPEN} ?(?:{_SURE}|{_FAINT}) ?{_SHUT}", re.I)
_BRACKETED_LAST = re.compile(rf"{_OPEN} ?(?:{_SURE}|{_FAINT}) ?{_SHUT}\Z", re.I)
_JOINED = re.compile(rf"[-_.]*(?:{_SURE})[-_.]*", re.I)
_SURE_PIECE = re.compile(rf"(?:{_SURE})\Z", re.I)
_FAINT_PIECE = re.compile(rf"(?:{_SURE}|{_FAINT})\Z", re.I)
_LEADING = re.compile(r"\Ano[-_]?spam[-_]?", re.I)
_CAPITALS = re.compile(r"(?<![A-Z])[-_.]*[A-Z][A-Z_-]{2,}[A-Z](?![A-Z])[-_.]*")
# Seconds or milliseconds since 1970, of the years from 2001 on.
_TIME = re.compile(r"(?<=[a-z])[-_.]1\d{9}(?:\d{3})?\Z|\A1\d{9}(?:\d{3})?[-_.](?=[a-z])", re.I)
_TIME_LABEL = re.compile(r"1\d{9}(?:\d{3})?\Z")


@lru_cache(maxsize=4_096)
def may_hold_filler(text: str) -> bool:
    """A first look at one address."""
    return _STEMS.search(text) is not None or "1" in text


def strip_brackets(text: str) -> str:
    """The text without filler that stands in brackets or between marks."""
    return _BRACKETED.sub("", text)


def end_before_brackets(text: str) -> int:
    """Where the text ends when filler in brackets closes it."""
    match = _BRACKETED_LAST.search(text)
    return match.start() if match else len(text)


def is_filler(local: str) -> bool:
    """Whether a whole local part is filler; those who fight spam have mailboxes of that name."""
    return _SURE_PIECE.match(local) is not None and not local.lower().startswith(("anti", "stop"))


def plain_local(local: str) -> str:
    """A local part as written, without its filler; empty when it is ambiguous how the rest is joined.

    Nothing is left of what is filler alone, unless somebody may have such a mailbox.
    """
    if is_filler(local):
        return ""
    plain = _TIME.sub("", _without_capitals(local)) or local
    match = _JOINED.search(plain)
    if match is None or match.group().strip("-_.") == plain.strip("-_."):
        return plain
    return "" if match.start() > 0 and match.end() < len(plain) else plain.replace(match.group(), "")


def plain_domain(domain: str) -> str:
    """A domain as written, without filler among its labels; as it is when no domain would be left."""
    plain = _without_capitals(domain)
    labels = [label for label in plain.split(".") if label]
    # What somebody registered is a name, whatever it says: only labels below it are filler.
    kept = [
        label
        for place, label in enumerate(labels)
        if place >= len(labels) - 2 or not (_SURE_PIECE.match(label) or _TIME_LABEL.match(label))
    ]
    kept = [label.strip("-_") for label in kept]
    host = ".".join(kept) if len(kept) > 1 else domain
    bare = _LEADING.sub("", host)
    return bare if is_free(bare) else host


def _without_capitals(text: str) -> str:
    """The text without filler in capitals, which stands out only among small letters."""
    if not any(map(str.islower, text)):
        return text
    kept = _CAPITALS.sub(_unless_filler, text)
    return kept.lstrip("-_.") if kept != text else text


def _unless_filler(match: re.Match[str]) -> str:
    words = match.group().strip("-_.")
    if not _FAINT_PIECE.match(words):
        return match.group()
    before, after = match.start() > 0, match.end() < len(match.string)
    return "." if before and after and "." in (match.group()[0], match.group()[-1]) else ""
