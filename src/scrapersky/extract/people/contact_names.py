"""People named beside their contacts or an address, and in the texts that introduce them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapersky.extract.addresses.streets import StreetLikeness, rate_street
from scrapersky.extract.people.adjacent_mentions import is_date
from scrapersky.extract.people.candidate_lines import JOINT, CandidateLines, Mention, make_mention
from scrapersky.extract.people.given_names import GIVEN_NAMES
from scrapersky.extract.people.name_pattern import read_shape
from scrapersky.extract.people.names import (
    PersonName,
    fold_name,
    is_title,
    name_keys,
    read_leading_name,
    read_name,
    read_trailing_name,
)
from scrapersky.extract.people.people_headings import read_group
from scrapersky.extract.people.phrase_check import is_phrase
from scrapersky.extract.people.roles import clean_role, is_role_word

_LONGEST = 160
_LONG_TEXT = 120
_LONGEST_FIRM = 70
_LONGEST_STREET = 60
_MOST_ROLE_WORDS = 7
_PREFIX = re.compile(r"(?:v/|v\. |c/o |att(?:n)?[.:]+ |z\. ?H(?:d|dn)?\. |t\.a\.v\. )\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,|&|/|\+)\s*|\s+(?:und|and|et|y|e|en|och|og|ja|oraz|és|și|i|a)\s+")
_ASKED = re.compile(
    r"(?<!\w)(?:contact|call|e-?mail|phone|ask for|speak (?:to|with)|talk to|kontakt|kontaktieren sie|"
    r"kontaktieren sie bitte|wenden sie sich(?: bitte)? an|contacte[rz]|contactar (?:con|a|com)|"
    r"contatt(?:are|a|i|ate)|rivolgersi a|neem contact op met|bel(?: met)?|kontakta|ring|kontakt(?:uj|ujte)|"
    r"prosimy o kontakt z)"
    r"(?:\s+(?:with|mit|avec|con|met|us|person|persons?))?\s*[:,]?\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(
    r"\s*(?:[,:;(|–—-]\s*)?(?:$|[+(\d]|(?:on|at|by|via|unter|au|al|på|op|pod|seit|since)\s|"
    r"(?:tel|fon|phone|telefon|tlf|puh|mob|handy|gsm|fax|e-?mail|mail|m|t)\b|\S+@)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?<!\w)(?:(?:is|was|ist|war|est|es|è|é|är|er|jest|je)|"
    r"(?:qualified|trained|works?|worked|working|arbeitet|travaille|trabaja|trabalha|lavora|arbetar|arbejder|werkt|pracuje)"
    r"(?: \w+){0,2} (?:as|als|comme|como|come|som|jako))\s+",
)
_ARTICLES_TEXT = """
a an the our also currently now one of ein eine einer der die das unser unsere un une una le la el il lo
notre nuestro nuestra nosso nossa nostro nostra en ett et een de onze our vår
"""
_ARTICLES = frozenset(_ARTICLES_TEXT.split())
_BRACKET = re.compile(r"\s*\(([^()\d@:]{3,50})\)")
_LOCAL = re.compile(r"([^\W\d_][\w.-]{1,40})(?=@)")
_LONGEST_PIECE = 50
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_CLAUSE = re.compile(r"[.,;:!?()]| who | and | that | der | die | qui | que | che ")


def find_contact_names(page: CandidateLines, contacts: set[int]) -> Iterator[Mention]:
    """Names right above a contact, at the head of a line with one, or whom a line says to ask for."""
    for number in sorted(contacts):
        for other in (number, number - 1, number - 2):
            if other < 0 or page.others[other] or len(page.lines[other].text) > _LONGEST:
                continue
            if other == number:
                yield from _on_contact_line(page, number)
            elif page.lines[other].text[0].isupper() and other not in contacts:
                yield from _above_contact(page, other, number)
            if other in page.names:
                break


def _above_contact(page: CandidateLines, number: int, contact: int) -> Iterator[Mention]:
    line = page.lines[number]
    if page.lines[contact].block - line.block > 2 or (
        number and len(page.lines[number - 1].text) > _LONG_TEXT
    ):
        return
    name = page.names.get(number)
    if name is None:
        first = _leading_name(line.text)
        if first is None or not first[0].is_known or not _is_letters(line.text[first[1] :]):
            return
        name = first[0]
    if name.is_known and read_group(line.text) is None:
        yield make_mention(page, number, name.text, None, 0.7, "contact")


def _leading_name(text: str) -> tuple[PersonName, int] | None:
    """The name at the beginning of a text, if one of its first words may be a given name or a title."""
    return read_leading_name(text) if _begins_as_name(text) else None


def _begins_as_name(text: str) -> bool:
    words = text.split(maxsplit=2)[:2] if text[:1].isupper() else []
    return any(is_title(word) or _is_given_name(word) for word in words)


def _ends_as_name(text: str) -> bool:
    """Whether a short line holds a given name behind its first word."""
    return 8 <= len(text) <= _LONGEST_FIRM and any(map(_is_given_name, text.split()[1:-1]))


def _is_given_name(word: str) -> bool:
    return fold_name(word.rstrip(".,")).split("-")[0] in GIVEN_NAMES


def _is_letters(rest: str) -> bool:
    """Whether only what a member of a chamber may write behind the name follows, such as "Reg.Mem.BACP"."""
    return len(rest) <= 20 and len(rest.split()) <= 2 and sum(map(str.isupper, rest)) >= 2


def _on_contact_line(page: CandidateLines, number: int) -> Iterator[Mention]:
    text = page.lines[number].text
    first = _leading_name(text)
    if first is not None and first[0].is_known and _AFTER_NAME.match(text, first[1]):
        yield make_mention(page, number, first[0].text, _bracketed_role(text[first[1] :]), 0.7, "contact")
        return
    for asked in _ASKED.finditer(text):
        name = _leading_name(text[asked.end() :])
        if name is not None and name[0].is_known and _AFTER_NAME.match(text, asked.end() + name[1]):
            role = _bracketed_role(text[asked.end() + name[1] :])
            yield make_mention(page, number, name[0].text, role, 0.7, "contact")
    if "@" in text:
        yield from _among_pieces(page, number, text)


def _bracketed_role(rest: str) -> str | None:
    """The role in brackets right behind a name."""
    role = _BRACKET.match(rest)
    return clean_role(role[1]) if role is not None else None


def _among_pieces(page: CandidateLines, number: int, text: str) -> Iterator[Mention]:
    """Names beside a mail address that is made of them: "Box office: Fern Adair, fern@theatre.org"."""
    locals_ = {fold_name(local) for local in _LOCAL.findall(text)}
    said = ""
    for piece in JOINT.split(text):
        name = read_shape(piece) if 4 <= len(piece) <= _LONGEST_PIECE else None
        keys = name_keys(name.text) if name is not None else ()
        if name is not None and len(keys) > 1 and any(map(locals_.__contains__, _locals_of(keys))):
            role = said if said and not any(map(str.isdigit, said)) and read_shape(said) is None else None
            yield make_mention(page, number, name.text, clean_role(role or ""), 0.7, "contact")
        said = piece if "@" not in piece and len(piece) <= _LONGEST_PIECE else ""


def _locals_of(keys: tuple[str, ...]) -> tuple[str, ...]:
    """What the address of somebody may begin with."""
    first, last = keys[0], keys[-1]
    return (
        first,
        last,
        first + last,
        first[0] + last,
        f"{first}.{last}",
        f"{first[0]}.{last}",
        f"{last}.{first}",
    )


def find_addressees(page: CandidateLines, numbers: list[int]) -> Iterator[Mention]:
    """Names on the line of an address, or above it behind a trade, a firm or "c/o"; `numbers` have digits."""
    for number in numbers:
        if page.others[number] or len(page.lines[number].text) > _LONGEST:
            continue
        text = page.lines[number].text
        head, comma, rest = text.partition(",")
        if comma and number not in page.roles and _begins_as_name(head):
            name = read_name(head)
            if name is not None and name.is_known and _is_street(rest.split(",")[0]):
                yield make_mention(page, number, name.text, None, 0.7, "address")
                continue
        if (
            number
            and len(text) <= _LONGEST_STREET
            and _ends_as_name(page.lines[number - 1].text)
            and not page.others[number - 1]
            and _is_street(text)
        ):
            yield from _above_street(page, number - 1)


def find_prefixed(page: CandidateLines) -> Iterator[Mention]:
    """Names behind "c/o", "v/" and the like."""
    for number in sorted(page.role_lines.prefixes):
        line = page.lines[number]
        prefix = _PREFIX.match(line.text) if len(line.text) <= _LONGEST and not page.others[number] else None
        if prefix is None:
            continue
        names = [read_name(piece) for piece in _AND.split(line.text[prefix.end() :])[:4]]
        if any(name is not None and name.is_known for name in names):
            for name in filter(None, names):
                yield make_mention(page, number, name.text, None, 0.65, "address")


def _above_street(page: CandidateLines, number: int) -> Iterator[Mention]:
    """A name behind a trade or a firm, right above its street: "Bäckerei Karl Stein"."""
    line = page.lines[number]
    if number in page.names and page.names[number].is_known:
        return
    joint = JOINT.search(line.text)
    last = read_name(line.text[joint.end() :]) if joint else None
    if last is None and joint is None:
        trailing = read_trailing_name(line.text)
        trade = line.text[: trailing[1]].split() if trailing else []
        if trailing is not None and len(trade) == 1 and len(trade[0]) > 4 and trade[0][0].isupper():
            last = trailing[0] if len(trailing[0].text.split()) == 2 else None
    if last is not None and last.is_known:
        yield make_mention(page, number, last.text, None, 0.65, "address")


def _is_street(text: str) -> bool:
    return (
        not is_date(text)
        and len(text) <= _LONGEST_STREET
        and any(map(str.isdigit, text))
        and rate_street(text.strip()) >= StreetLikeness.WORD
    )


def find_described(page: CandidateLines, text: str) -> Iterator[Mention]:
    """Names above a text that says what the person is."""
    for number, name in page.names.items():
        if page.others[number] or number + 1 >= len(page.lines):
            continue
        below = page.lines[number + 1]
        if len(below.text) < 40 or below.block - page.lines[number].block > 2 or page.others[number + 1]:
            continue
        role = _described_role(name_keys(name.text), below.text[:240])
        if role is not None and (name.is_known or not is_phrase(name.text, text)):
            yield make_mention(page, number, name.text, role, 0.7, "text")


def _described_role(keys: tuple[str, ...], text: str) -> str | None:
    """The role that a text gives to somebody whom its first words name."""
    said = _IS.search(text)
    if said is None or said.start() > 120:
        return None
    before = [fold_name(word) for word in _WORD.findall(text[: said.start()])]
    if not set(keys) & set(before[:4]):
        return None
    words: list[str] = []
    for word in _WORD.findall(_CLAUSE.split(text[said.end() :], maxsplit=1)[0])[: _MOST_ROLE_WORDS + 3]:
        if not words and word.lower() in _ARTICLES:
            continue
        words.append(word)
        if is_role_word(word.lower()):
            return clean_role(" ".join(words)) if len(words) <= _MOST_ROLE_WORDS else None
    return None
