"""Names beside roles on other lines: cards, lists, labels above, and the addressee of an address."""

import re
from collections import Counter
from collections.abc import Iterator

from scrapersky.extract.addresses.streets import StreetLikeness, rate_street
from scrapersky.extract.people.candidate_lines import CandidateLines, Mention, make_mention
from scrapersky.extract.people.names import is_credentials
from scrapersky.extract.people.roles import (
    clean_role,
    has_role_word,
    is_field_label,
    is_person_label,
    is_role_word,
)

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5"])
_DATE = re.compile(r"\W*(?:\d{1,2}\.?,? )?[^\W\d]{3,10}\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d\W*")
_CODE = re.compile(r"\d{3}")


def find_paired_names(page: CandidateLines) -> Iterator[Mention]:
    """Names above or below a role; where both are there, row and block decide, then the page's habit."""
    sides = {
        number: _in_same_place(page, number, role_line(page, number, -1), role_line(page, number, 1))
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
            yield make_mention(page, number, name.text, clean_role(page.lines[role].text), sure, "role line")


def _in_same_place(
    page: CandidateLines, number: int, above: int | None, below: int | None
) -> tuple[int | None, int | None]:
    """The roles on both sides of a name without the one outside of the row or block that holds the other."""
    if above is None or below is None:
        return above, below
    lines = page.lines
    is_first, is_last = number in page.row_starts, below in page.row_starts
    if number - above == below - number == 1 and is_first != is_last:
        return (None, below) if is_first else (above, None)
    block = lines[number].block
    if (lines[above].block == block) != (lines[below].block == block):
        return (above, None) if lines[above].block == block else (None, below)
    return above, below


def _look(page: CandidateLines, number: int) -> tuple[str, str, bool]:
    """How a line is set: its element, its classes, and whether it begins its block."""
    line = page.lines[number]
    return line.tag, line.classes, number == 0 or page.lines[number - 1].block != line.block


def _is_sure(page: CandidateLines, number: int, role: int, looks: Counter[tuple[str, str, bool]]) -> bool:
    """A name of uncommon words needs a team around it, or a role that is nothing else."""
    name, text = page.names[number], page.lines[role].text
    if name.is_known or name.is_titled or looks[_look(page, number)] >= 3 or is_person_label(text):
        return True
    words = [word.strip(".,:;()").casefold() for word in text.split()]
    compact = len(words) <= 4 and (is_role_word(words[0]) or is_role_word(words[-1]) or words[0] == "head")
    return compact and max(map(len, name.text.split())) <= 13 and abs(role - number) == 1


def role_line(page: CandidateLines, number: int, step: int) -> int | None:
    """The role beside a name, over a field label, or over other names below one label."""
    other, passed = number + step, 0
    while (
        0 <= other < len(page.lines)
        and passed < 4
        and abs(page.lines[other].block - page.lines[number].block) <= 3 + passed
    ):
        text = page.lines[other].text
        if other in page.roles:
            return other if not passed or step > 0 or is_person_label(text) else None
        is_passed = is_field_label(text) or (step > 0 and is_credentials(text))
        if not is_passed and not (step < 0 and other in page.names):
            return None
        other, passed = other + step, passed + 1
    return None


def _is_endorsed(page: CandidateLines, number: int, role: int) -> bool:
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


def find_card_names(page: CandidateLines, paired: list[Mention], *, is_team_page: bool) -> Iterator[Mention]:
    """Names set like the names that have a role, and between them, are of the same team."""
    lines = {m.line for m in paired}
    spans: dict[tuple[str, str, bool], list[int]] = {}
    for number in sorted(lines):
        spans.setdefault(_look(page, number), []).append(number)
    least = 1 if is_team_page else 2
    if is_team_page:
        for look, numbers in _alike(page).items():
            spans.setdefault(look, numbers)
    for number, name in page.names.items():
        span = spans.get(_look(page, number), [])
        if number in lines or page.others[number] or len(span) < least:
            continue
        if len(span) < 3 and not (name.is_known or name.is_titled):
            continue
        if span[0] - 12 <= number <= span[-1] + 12:
            yield make_mention(page, number, name.text, None, 0.6, "card")


def _alike(page: CandidateLines) -> dict[tuple[str, str, bool], list[int]]:
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


def find_addressee(page: CandidateLines, number: int) -> Iterator[Mention]:
    """A name on top of a postal address."""
    name = page.names[number]
    if not (name.is_known or name.is_titled) or number + 2 >= len(page.lines):
        return
    below = page.lines[number + 1 : number + 4]
    if below[0].block - page.lines[number].block > 1 or not any(_CODE.search(line.text) for line in below):
        return
    if rate_street(below[0].text) >= StreetLikeness.SHAPE and not is_date(below[0].text):
        yield make_mention(page, number, name.text, None, 0.7, "address")


def is_date(text: str) -> bool:
    """Whether a line is the date of an article, which has the shape of a street with its number."""
    return _DATE.fullmatch(text) is not None


def find_titled_heading(page: CandidateLines, number: int, alike: int) -> Iterator[Mention]:
    """A doctor, lawyer or engineer whose name with the title is a heading of the page.

    An uncommon name needs others that are set `alike`.
    """
    name = page.names[number]
    if name.is_titled and (name.is_known or alike > 1) and page.lines[number].tag in _HEADINGS:
        yield make_mention(page, number, name.text, None, 0.6, "heading")
