"""Persons in the text of a page: names beside roles, behind labels, in sentences and in addresses."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from scrapersky.extract.lines import Line
from scrapersky.extract.names import LONGEST_NAME, Name, is_title, leading_name, read_name, trailing_name
from scrapersky.extract.role_words import PERSON_LABELS
from scrapersky.extract.roles import (
    has_role_word,
    is_field_label,
    is_person_label,
    is_role,
    is_role_word,
    role_text,
)
from scrapersky.extract.streets import Likeness, street_likeness

_LONGEST_LINE = 140
_LONGEST_SENTENCE = 400
_JOINT = re.compile(r"\s*[,|•·/(\t]\s*|\s+[-–—:]+\s+|:\s*")
_LIST_JOINT = re.compile(r"\s*[,;/|&•·\t]\s*|\s+(?:und|and|et|y|e|en|och|og|ja|oraz|és|și|и|та|i)\s+")
_COPULA = re.compile(
    r" (?:est|ist|is|è|es|sind|jest|je|är|er|on|é) +"
    r"(?:M(?:me|onsieur|adame|r|rs|s)?\.?\s+|Herrn?\s+|Frau\s+)?(?=[^\W\d_])"
)
_ANY_LABEL = re.compile(r"(?<!\w)(?:" + PERSON_LABELS + r")", re.IGNORECASE)
_CAPACITY = re.compile(
    r"\s*,?\s*(?:en sa qualité de|en qualité de|in qualità di|en calidad de|na qualidade de|als|as|"
    r",)\s+([^,.;\n]{2,60})",
    re.IGNORECASE,
)
_EASTERN = re.compile(
    r"(?P<role>代表取締役(?:社長|会長)?|取締役(?:社長)?|代表者?(?:理事)?|社長|店長|院長|所長|園長|理事長|責任者|担当者?|法定代表人|董事长|总经理|经理|负责人|"
    r"대표(?:이사|자)?|원장)(?:名|氏名|성명)?[\s:：／/|\t]*(?P<name>[\u4e00-\u9fff々]{1,4}[ "
    r"\u3000]?[\u4e00-\u9fff々\u3041-\u30ff]{1,4}|[\uac00-\ud7a3]{2,4})(?![\w])"
)
_CODE = re.compile(r"\d{3}")
_LONGEST_ROSTER = 600
_BRACKETED = re.compile(r"([^()|;•·]{4,80})\(([^()]{2,60})\)")
_GLUE = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ][a-zß-ÿ])")
_MOST_IN_LIST = 8


class Mention(NamedTuple):
    """One sighting of a person in the text."""

    name: str
    role: str | None
    line: int
    start: int
    quote: str
    confidence: float
    method: str


class Page(NamedTuple):
    """The lines of a page with what is known of each: names, roles, and lines that may hold both."""

    lines: list[Line]
    others: list[bool]
    names: dict[int, Name]
    roles: frozenset[int]
    mixed: tuple[int, ...]


def read_lines(lines: list[Line], others: list[bool]) -> Page:
    """Find the lines that are wholly a name, wholly a role, or perhaps both."""
    names: dict[int, Name] = {}
    roles, mixed = set(), []
    for number, line in enumerate(lines):
        text = line.text
        if not 3 <= len(text) <= _LONGEST_LINE:
            continue
        name = read_name(text.rstrip(".,:;")) if " " in text else None
        if name is not None:
            names[number] = name
        elif has_role_word(text) or is_person_label(text):
            if _is_role_line(text):
                roles.add(number)
            else:
                mixed.append(number)
        elif is_title(text.partition(" ")[0]) or "," in text:
            mixed.append(number)
    return Page(lines, others, names, frozenset(roles), tuple(mixed))


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
    joint = _JOINT.search(text)
    if joint is not None and read_name(text[: joint.start()]) is not None:
        return True
    found = trailing_name(text.rstrip(" .)"))
    return found is not None and found[0].is_known


def mentions_in(page: Page, *, is_team_page: bool) -> Iterator[Mention]:
    """Every person the text speaks of as one of the organisation."""
    paired = list(_paired(page))
    yield from paired
    yield from _rosters(page)
    yield from _same_cards(page, paired, is_team_page=is_team_page)
    for number in page.names:
        if not page.others[number]:
            yield from _addressee(page, number)
    for number in page.mixed:
        if not page.others[number]:
            yield from _inline(page, number)
    for number, line in enumerate(page.lines):
        if 5 <= len(line.text) <= _LONGEST_SENTENCE and not page.others[number]:
            yield from _in_sentence(line, number)


def _paired(page: Page) -> Iterator[Mention]:
    """Names above or below a role; where both are there, the page's own habit decides."""
    sides = {
        number: (_role_line(page, number, -1), _role_line(page, number, 1))
        for number in page.names
        if not page.others[number]
    }
    above = sum(1 for before, after in sides.values() if before is not None and after is None)
    below = sum(1 for before, after in sides.values() if after is not None and before is None)
    preferred = 1 if below >= above else 0
    pairs = {number: both[preferred] for number, both in sides.items() if both[preferred] is not None}
    taken = set(pairs.values())
    for number, both in sides.items():
        role = both[1 - preferred]
        if (
            number not in pairs
            and role is not None
            and (role not in taken or is_person_label(page.lines[role].text))
        ):
            pairs[number] = role
    looks = Counter(_look(page, number) for number in pairs)
    for number, role in sorted(pairs.items()):
        if role is not None and not _is_endorsed(page, number, role) and _is_sure(page, number, role, looks):
            name = page.names[number]
            sure = 0.85 if name.is_known or name.is_titled else 0.65
            yield _mention(page, number, name.text, role_text(page.lines[role].text), sure, "role line")


def _look(page: Page, number: int) -> tuple[str, str, bool]:
    """How a line is set: its element, its classes, and whether it begins its block."""
    line = page.lines[number]
    return line.tag, line.classes, number == 0 or page.lines[number - 1].block != line.block


def _is_sure(page: Page, number: int, role: int, looks: Counter[tuple[str, str, bool]]) -> bool:
    """A name of uncommon words needs a team around it, or a role that is nothing else."""
    name, text = page.names[number], page.lines[role].text
    if name.is_known or name.is_titled or looks[_look(page, number)] >= 3 or is_person_label(text):
        return True
    words = [word.strip(".,:;()").casefold() for word in text.split()]
    compact = len(words) <= 4 and (is_role_word(words[0]) or is_role_word(words[-1]) or words[0] == "head")
    return compact and max(map(len, name.text.split())) <= 13 and abs(role - number) == 1


def _role_line(page: Page, number: int, step: int) -> int | None:
    """The role beside a name, over a field label, or over other names below one label."""
    other, passed = number + step, 0
    while (
        0 <= other < len(page.lines)
        and passed < 4
        and abs(page.lines[other].block - page.lines[number].block) <= 3 + passed
    ):
        text = page.lines[other].text
        if other in page.roles:
            return (
                other
                if not passed or is_person_label(text) or is_field_label(page.lines[other - step].text)
                else None
            )
        if not is_field_label(text) and not (step < 0 and other in page.names):
            return None
        other, passed = other + step, passed + 1
    return None


def _is_endorsed(page: Page, number: int, role: int) -> bool:
    """A long text above a name and a company below the role make a customer's recommendation."""
    if role != number + 1 or number == 0 or role + 1 >= len(page.lines):
        return False
    above, below = page.lines[number - 1], page.lines[role + 1]
    is_company = (
        len(below.text) <= 30
        and below.text[0].isupper()
        and below.tag not in ("h1", "h2", "h3", "h4", "a")
        and not has_role_word(below.text)
    )
    return (
        len(above.text) > 120
        and is_company
        and role + 1 not in page.names
        and not any(c.isdigit() or c in "@:" for c in below.text)
    )


def _same_cards(page: Page, paired: list[Mention], *, is_team_page: bool) -> Iterator[Mention]:
    """Names set like the names that have a role, and between them, are of the same team."""
    found = {m.line for m in paired}
    spans: dict[tuple[str, str, bool], list[int]] = {}
    for number in sorted(found):
        spans.setdefault(_look(page, number), []).append(number)
    least = 1 if is_team_page else 2
    if is_team_page:
        for look, numbers in _alike(page).items():
            spans.setdefault(look, numbers)
    for number, name in page.names.items():
        span = spans.get(_look(page, number), [])
        if number in found or page.others[number] or len(span) < least:
            continue
        if len(span) < 3 and not (name.is_known or name.is_titled):
            continue
        if span[0] - 12 <= number <= span[-1] + 12:
            yield _mention(page, number, name.text, None, 0.6, "card")


def _alike(page: Page) -> dict[tuple[str, str, bool], list[int]]:
    """On a page about the team: at least three common names set alike, outside of menus."""
    spans: dict[tuple[str, str, bool], list[int]] = {}
    for number, name in page.names.items():
        if (
            name.is_known
            and not page.others[number]
            and page.lines[number].tag not in ("li", "nav", "option")
        ):
            spans.setdefault(_look(page, number), []).append(number)
    return {look: span for look, span in spans.items() if len(span) >= 3}


def _addressee(page: Page, number: int) -> Iterator[Mention]:
    """A name on top of a postal address."""
    name = page.names[number]
    if not (name.is_known or name.is_titled) or number + 2 >= len(page.lines):
        return
    below = page.lines[number + 1 : number + 4]
    if below[0].block - page.lines[number].block > 1 or not any(_CODE.search(line.text) for line in below):
        return
    if street_likeness(below[0].text) >= Likeness.SHAPE:
        yield _mention(page, number, name.text, None, 0.7, "address")


def _inline(page: Page, number: int) -> Iterator[Mention]:
    """A name and a role on one line, in any order, or a label with a list of names."""
    text = page.lines[number].text
    label, colon, rest = text.partition(":")
    if (
        colon
        and rest.strip()
        and len(label) <= 100
        and (is_role(label.strip()) or is_person_label(label.strip()))
    ):
        yield from _listed(page, number, rest, "" if is_field_label(label) else role_text(label))
        return
    joint = _JOINT.search(text)
    if joint is not None:
        yield from _joined(page, number, text[: joint.start()], text[joint.end() :])
        return
    if has_role_word(text) or is_person_label(text):
        found = trailing_name(text)
        if found is not None and found[0].is_known and _is_role_before(text[: found[1]]):
            yield _mention(page, number, found[0].text, role_text(text[: found[1]]), 0.7, "line")


def _rosters(page: Page) -> Iterator[Mention]:
    """Several persons on one line, each with the role in brackets; or a role glued to a name."""
    for number, line in enumerate(page.lines):
        if page.others[number] or not 8 <= len(line.text) <= _LONGEST_ROSTER:
            continue
        if line.text.count("(") > 1:
            yield from _bracketed(page, number)
        elif len(line.text) <= 100 and number not in page.names:
            yield from _glued(page, number)


def _bracketed(page: Page, number: int) -> Iterator[Mention]:
    for match in _BRACKETED.finditer(page.lines[number].text):
        found = trailing_name(match[1].strip()[-LONGEST_NAME:])
        if found is not None and is_role(match[2]):
            yield _mention(page, number, found[0].text, role_text(match[2]), 0.8, "line")


def _glued(page: Page, number: int) -> Iterator[Mention]:
    """Elements without a blank between them: the role begins in the middle of a word."""
    text = page.lines[number].text
    for match in _GLUE.finditer(text):
        left, right = text[: match.start()], text[match.start() :]
        name, role = (read_name(left), right) if is_role(right) else (read_name(right), left)
        if name is not None and is_role(role):
            yield _mention(page, number, name.text, role_text(role), 0.75, "line")
            return


def _is_role_before(text: str) -> bool:
    return is_role(text.strip(" ,:-–")) or is_person_label(text.strip())


def _joined(page: Page, number: int, left: str, right: str) -> Iterator[Mention]:
    """Two halves of a line: name and role, role and name, or a titled name and anything."""
    name = read_name(left)
    if name is not None:
        role = next((part for part in _pieces(right) if is_role(part)), None)
        if role is not None and len(right) <= 90:
            yield _mention(
                page,
                number,
                name.text,
                role_text(role),
                0.8 if name.is_known or name.is_titled else 0.6,
                "line",
            )
        elif name.is_titled and name.is_known and len(right) <= 70:
            yield _mention(page, number, name.text, None, 0.65, "line")
        elif name.is_known and _role_line(page, number, -1) is not None and len(right) <= 60:
            above = _role_line(page, number, -1)
            yield _mention(page, number, name.text, role_text(page.lines[above or 0].text), 0.7, "role line")
        return
    last = read_name(_pieces(right)[-1]) if right.strip() else None
    if last is not None and (last.is_known or last.is_titled) and is_role(left):
        yield _mention(page, number, last.text, role_text(left), 0.75, "line")


def _pieces(text: str) -> list[str]:
    return [piece.strip(" )") for piece in _JOINT.split(text) if piece.strip(" )")] or [text]


def _listed(page: Page, number: int, text: str, role: str | None) -> Iterator[Mention]:
    """The names behind a label, each with the role that the label or the list gives."""
    for part in _LIST_JOINT.split(text.strip())[:_MOST_IN_LIST]:
        found = leading_name(part.strip())
        if found is None or len(part) > LONGEST_NAME + 25:
            continue
        yield _mention(
            page,
            number,
            found[0].text,
            role,
            0.85 if found[0].is_known or found[0].is_titled else 0.7,
            "label",
        )


def _in_sentence(line: Line, number: int) -> Iterator[Mention]:
    """Who is what, said in a sentence; and the roles of East Asia before their names."""
    if not line.text.isascii():
        for match in _EASTERN.finditer(line.text):
            name = " ".join(match["name"].split())
            yield Mention(
                name, match["role"], number, line.start + match.start("name"), line.text[:300], 0.8, "label"
            )
    for match in _COPULA.finditer(line.text):
        if not line.text[match.end()].isupper():
            continue
        found = leading_name(line.text[match.end() :])
        role = (
            _role_said(line.text[max(0, match.start() - 110) : match.start()]) if found is not None else None
        )
        if found is None or role is None:
            continue
        capacity = _CAPACITY.match(line.text, match.end() + found[1])
        if capacity and is_role(capacity[1]):
            role = capacity[1]
        yield Mention(
            found[0].text,
            role_text(role),
            number,
            line.start + match.end(),
            line.text[:300],
            0.75,
            "sentence",
        )


def _role_said(text: str) -> str | None:
    """The role or label that the beginning of a sentence speaks of."""
    clause = re.split(r"[.;:!?]\s", text)[-1]
    label = _ANY_LABEL.search(clause)
    if label is not None:
        return label.group()
    return next(
        (word for word in re.findall(r"[^\W\d_][\w'’-]*", clause) if is_role_word(word.lower())), None
    )


def _mention(page: Page, number: int, name: str, role: str | None, confidence: float, method: str) -> Mention:
    line = page.lines[number]
    return Mention(name, role or None, number, line.start, line.text[:300], confidence, method)
