"""Classifies the lines of a page: a name, a role, or perhaps both."""

import re
from functools import lru_cache
from typing import NamedTuple

from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.people.name_vocabulary import POLITE, TITLES
from scrapersky.extract.people.names import (
    PersonName,
    is_title,
    read_leading_name,
    read_name,
    read_trailing_name,
)
from scrapersky.extract.people.people_headings import read_group
from scrapersky.extract.people.role_lines import RoleLines
from scrapersky.extract.people.roles import (
    FIELD_LABELS,
    LABEL_STARTS,
    has_role_word,
    is_field_label,
    is_person_label,
    is_role,
)

LONGEST_LINE = 140
_GLUE = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ][a-zß-ÿ])")
# How titles and names of fields begin: most lines need no more than this look.
_STARTS = frozenset(f"{word}."[:2] for word in (*TITLES, *FIELD_LABELS))
_LABELLED_TITLE = re.compile(
    r"[:：] ?(?:" + "|".join(re.escape(title) for title in POLITE if len(title) > 1) + r")\b", re.I
)
_CASELESS = "\u0590"
_CELLS = frozenset(["td", "th"])
_ROLE, _MIXED = "role", "mixed"
JOINT = re.compile(r"\s*[,|•·/(\t]\s*|\s+[-–—:]+\s+|:\s*")


class Mention(NamedTuple):
    """One sighting of a person in the text."""

    name: str
    role: str | None
    line: int
    start: int
    quote: str
    confidence: float
    method: str


class CandidateLines(NamedTuple):
    """The lines of a page with what is known of each: names, roles, and lines that may hold both.

    `row_starts` are the cells that begin a row of a table.
    """

    lines: list[TextLine]
    others: list[bool]
    role_lines: RoleLines
    names: dict[int, PersonName]
    roles: frozenset[int]
    mixed: tuple[int, ...]
    row_starts: frozenset[int]


def classify_lines(
    whole: str, lines: list[TextLine], others: list[bool], role_lines: RoleLines
) -> CandidateLines:
    """Find the lines that are wholly a name, wholly a role, or perhaps both."""
    names: dict[int, PersonName] = {}
    roles, mixed = set(), []
    said = role_lines.roles
    for number, line in enumerate(lines):
        text = line.text
        if not 3 <= len(text) <= LONGEST_LINE:
            continue
        if number not in said and _is_neither(text):
            continue
        kind = _kind(text, number in said)
        if kind is None:
            continue
        if kind == _ROLE:
            roles.add(number)
        elif kind == _MIXED:
            mixed.append(number)
        elif isinstance(kind, PersonName) and not (
            number in role_lines.groups and not kind.is_known and read_group(text) is not None
        ):
            names[number] = kind
    rows = _row_starts(whole, lines) if "\t" in whole else frozenset[int]()
    return CandidateLines(lines, others, role_lines, names, frozenset(roles), tuple(mixed), rows)


def _row_starts(whole: str, lines: list[TextLine]) -> frozenset[int]:
    return frozenset(
        number
        for number, line in enumerate(lines)
        if line.tag in _CELLS and line.start and whole[line.start - 1] != "\t"
    )


def _is_neither(text: str) -> bool:
    """A first look that leaves out one word alone, and what begins small, without a comma or a label."""
    if text[0].isupper() and " " in text:
        return False
    low = text[:3].lower()
    return "," not in text and low[:2] not in _STARTS and low not in LABEL_STARTS and text[0] < _CASELESS


@lru_cache(maxsize=8_192)
def _kind(text: str, may_say_role: bool) -> PersonName | str | None:
    """A name, only a role, perhaps both, or nothing; the pages of a site have many lines in common."""
    name = read_name(text.rstrip(".,:;")) if " " in text else None
    if name is not None and not (may_say_role and _holds_role(text, name)):
        return name
    if (may_say_role and has_role_word(text)) or is_person_label(text):
        return _ROLE if _is_role_line(text) else _MIXED
    if (
        "," in text
        or (":" in text and _LABELLED_TITLE.search(text))
        or (text[:2].lower() in _STARTS and _begins_as_person(text))
    ):
        return _MIXED
    return None


def _begins_as_person(text: str) -> bool:
    """Whether a line begins with a title or with the name of a field."""
    return is_title(text.partition(" ")[0]) or is_field_label(text.partition(":")[0])


def _holds_role(text: str, name: PersonName) -> bool:
    """Whether a line that could be a name holds a role."""
    return split_glued(text) is not None or (not name.is_known and is_role(text))


def split_glued(text: str) -> tuple[PersonName, str] | None:
    """Name and role of elements without a blank between them: one begins in the middle of a word."""
    for match in _GLUE.finditer(text):
        left, right = text[: match.start()], text[match.start() :]
        name, role = (read_name(left), right) if is_role(right) else (read_name(right), left)
        if name is not None and is_role(role):
            return name, role
    return None


def _is_role_line(text: str) -> bool:
    """Whether a line is a role or a label and nothing more, so that the name stands on another line."""
    label, colon, rest = text.partition(":")
    if colon and rest.strip() and not is_field_label(label):
        return False
    return (is_role(text) or is_person_label(text)) and not _holds_name(text)


def _holds_name(text: str) -> bool:
    """Whether a line with a role in it holds the name as well."""
    if text.count(" ") < 2:
        return False
    joint = JOINT.search(text)
    if joint is not None and (read_name(text[: joint.start()]) or _ends_known(text[: joint.start()])):
        return True
    if _ends_known(text.rstrip(" .)")):
        return True
    first = read_leading_name(text)
    return first is not None and first[0].is_known and is_role(text[first[1] :].strip())


def _ends_known(text: str) -> bool:
    name = read_trailing_name(text)
    return name is not None and name[0].is_known


def make_mention(
    page: CandidateLines, number: int, name: str, role: str | None, confidence: float, method: str
) -> Mention:
    line = page.lines[number]
    return Mention(name, role or None, number, line.start, line.text[:300], confidence, method)
