"""People known by the structure of the page: lines set alike below a heading, in cards, tables and lists."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from scrapersky.extract.addresses.streets import is_organisation
from scrapersky.extract.people.candidate_lines import JOINT, CandidateLines, Mention
from scrapersky.extract.people.given_names import GIVEN_NAMES
from scrapersky.extract.people.name_pattern import read_shape
from scrapersky.extract.people.names import PersonName, fold_name, is_credentials
from scrapersky.extract.people.people_headings import GroupHeading, read_group
from scrapersky.extract.people.phrase_check import is_phrase
from scrapersky.extract.people.roles import clean_role, is_field_label, is_person_label, is_role, is_sentence
from scrapersky.extract.people.script_names import has_caseless_role, is_caseless

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_MENU = frozenset(["li", "nav", "option", "button", "label", "summary"])
_REACH = 150
_MOST_OTHER_LINES = 3
_LONGEST_LINE = 140
_LONGEST_LIST = 600
_LONGEST_ROLE = 70
_CONTACT = re.compile(r"@|https?:|www\.|(?:\d[\s()/.+-]*){6}|[\[(]at[\])]", re.IGNORECASE)
_LIST_JOINT = re.compile(
    r"\s*[,;/|&•·\t、，；،]\s*|\s+(?:und|and|et|y|e|en|och|og|ja|oraz|és|și|и|та|i|ve|a|και|و|dan|và)\s+"
)
_BRACKETED = re.compile(r"\s*[(（]([^()（）]{2,60})[)）]\s*$")
_TEAM_CLASS = re.compile(
    r"(?<![a-z])(?:team|staff|member|person|people|employee|mitarbeiter|attorney|lawyer|trainer|coach|doctor|"
    r"trustee|director|board|teacher|faculty|profile|bio|equipo|equipe|medewerker)(?![a-rt-z])",
    re.IGNORECASE,
)
_LINK_WORDS = re.compile(
    r"(?:read|learn|view|see|show|find|more|full|mehr|weiter|lire|voir|en savoir|leer|ver|saiba|leggi|scopri|"
    r"lees|bekijk|czytaj|więcej|více|läs|les|lue|profile?|bio|linkedin|facebook|twitter|instagram|xing|e-?mail|mail|"
    r"tel|phone|telefon|contact|kontakt|back|next|vcard|website|webseite|home|menu|©)(?!\w)",
    re.IGNORECASE,
)
_BEFORE_CONTACT = re.compile(
    r"\s+(?:(?:tel|puh|tlf|fon|phone|telefon|mob|mobile|gsm|e-?mail|mail)\b\.?:?\s*)?(?=[+(\d]|\S+@)",
    re.IGNORECASE,
)
_WORKPLACE = re.compile(
    r"universit|universid|univerz|uniwers|hochschule|college|institut|laborator|akademi|academy|politecnic|polytechn|"
    r"hospital|klinika?\b|school|società|company|bank\b|大学|대학|جامعة",
    re.IGNORECASE,
)
_MARKS = re.compile("[,;&/|•·、，；]")
_LABEL_DASH = re.compile(r"([^\W\d_][^:–—,;]{2,40}?) [–—-] (?=[^\W\d_][^:]*[,;&])")
_BLANK = re.compile(r"[ \u3000]")
_DIGITS = re.compile(r"\d")
_LONG_TEXT = 120
_LONGEST_LABEL = 60
_CARD = 5
_LIST_REACH = 4
_MOST_IN_LIST = 60
_CELLS = frozenset(["td", "th"])
_ENTRIES = frozenset(["td", "th", "dt"])


class _Section(NamedTuple):
    """The lines below a heading of people; `role` is what it says everybody there does.

    `is_of_persons` says that firms never stand below such a heading.
    """

    heading: int
    end: int
    role: str
    is_of_persons: bool


class _Candidate(NamedTuple):
    line: int
    name: PersonName
    role: str
    start: int


class _Group(NamedTuple):
    """Candidates set alike, and what speaks for them."""

    members: list[_Candidate]
    section: _Section | None
    kind: str
    is_team: bool
    lines: frozenset[int]


def find_group_members(
    page: CandidateLines, text: str, contacts: set[int], *, is_team_page: bool
) -> Iterator[Mention]:
    """Everybody in a list of people that the structure of the page makes out.

    `contacts` are the lines that hold a mail address or a phone number.
    """
    has_title = any(name.is_titled for name in page.names.values())
    if not (page.role_lines.groups or page.role_lines.roles or contacts or is_team_page or has_title):
        return
    sections = _find_sections(page)
    for group in _find_groups(page, text, sections, contacts, is_team_page=is_team_page):
        yield from _members(page, group)


def _find_sections(page: CandidateLines) -> list[_Section]:
    """The parts of the page below a heading or label of people, the inner ones last."""
    sections = []
    for number in sorted(page.role_lines.groups | page.role_lines.roles | page.roles):
        line = page.lines[number]
        if number not in page.role_lines.groups and number not in page.roles and line.tag not in _HEADINGS:
            continue
        is_label = line.text.endswith((":", "："))
        if page.others[number] or (line.tag in _MENU and not is_label):
            continue
        group = None if _is_below_name(page, number) else read_group(line.text)
        if group is None and is_label and number in page.roles and not is_person_label(line.text):
            group = GroupHeading(clean_role(line.text), is_of_persons=False)
        if group is not None:
            sections.append(_Section(number, _section_end(page, number), group.role, group.is_of_persons))
    return sections


def _is_below_name(page: CandidateLines, number: int) -> bool:
    """Whether a word for people is what the person named above does: "Trainer" below a name."""
    line = page.lines[number]
    if number == 0 or line.text.endswith((":", "：")) or read_shape(page.lines[number - 1].text[:80]) is None:
        return False
    if number in page.row_starts:
        return False
    above = page.lines[number - 1].tag
    return line.tag not in _HEADINGS or (above in _HEADINGS and above < line.tag)


def _section_end(page: CandidateLines, heading: int) -> int:
    """Where the part below a heading is over: at a heading of its rank, or where others begin."""
    tag = page.lines[heading].tag
    level = int(tag[1]) if tag in _HEADINGS else 7
    other_lines = 0
    last = min(heading + _REACH, len(page.lines))
    for number in range(heading + 1, last):
        line = page.lines[number]
        is_person = number in page.names or number in page.roles or read_shape(line.text[:80]) is not None
        if number in page.role_lines.groups and not _is_below_name(page, number) and read_group(line.text):
            return number
        if number in page.roles and line.text.endswith(":"):
            return number
        if line.tag in _HEADINGS and int(line.tag[1]) <= level and not is_person:
            return number
        if level == 7:
            other_lines = (
                0 if is_person or JOINT.search(line.text) or _CONTACT.search(line.text) else other_lines + 1
            )
            if other_lines > _MOST_OTHER_LINES:
                return number - other_lines + 1
    return last


def _find_groups(
    page: CandidateLines, text: str, sections: list[_Section], contacts: set[int], *, is_team_page: bool
) -> Iterator[_Group]:
    """Candidates that are set alike in one part of the page."""
    section_of = {
        number: section for section in sections for number in range(section.heading + 1, section.end)
    }
    near = range(len(page.lines)) if is_team_page else sorted(_near(page, contacts) | section_of.keys())
    said = page.role_lines.groups | page.role_lines.roles
    members: dict[tuple[object, ...], list[_Candidate]] = defaultdict(list)
    hits: dict[tuple[object, ...], int] = defaultdict(int)
    looks: dict[tuple[object, ...], int] = defaultdict(int)
    unnamed, named = [], []
    for number in near:
        line, section = page.lines[number], section_of.get(number)
        if not 2 <= len(line.text) <= _LONGEST_LIST or page.others[number]:
            continue
        listed = _listed(page, number, section) if _may_hold_list(page, number, section, said) else None
        if listed is not None:
            yield listed
            if len(listed.members) > 1:
                continue
        is_team = section is not None or is_team_page
        if len(line.text) > _LONGEST_LINE or not _may_list(page, number, contacts, is_team=is_team):
            continue
        candidate = _candidate(page, number)
        if candidate is not None and not _is_phrase(candidate[1].name, text):
            named.append((number, candidate))
        else:
            unnamed.append(number)
    if not named:
        return
    columns, stacks = _columns(page, text), _stacks(page, section_of)
    for number, (kind, member) in named:
        look = _look(page, number, section_of.get(number), columns, stacks)
        members[(*look, kind)].append(member)
        hits[look] += 1
    # Only what is set like a name says how many of the lines set so are none.
    tags = {key[1] for key in members}
    for number in unnamed:
        if page.lines[number].tag in tags and not _is_beside(page, number, contacts):
            looks[_look(page, number, section_of.get(number), columns, stacks)] += 1
    for key, candidates in members.items():
        of_look, kind = key[:-1], str(key[-1])
        section = section_of.get(candidates[0].line)
        is_team = section is not None or is_team_page or _TEAM_CLASS.search(str(key[2])) is not None
        group = _Group(
            candidates, section, kind, is_team, frozenset(candidate.line for candidate in candidates)
        )
        if _is_people(page, group, hits[of_look] / (hits[of_look] + looks[of_look]), contacts):
            yield group


def _look(
    page: CandidateLines,
    number: int,
    section: _Section | None,
    columns: Mapping[int, int],
    stacks: Collection[int],
) -> tuple[int, str, str, int, bool]:
    """How a line is set, and in which part of the page."""
    line = page.lines[number]
    is_first = line.block in stacks or number == 0 or page.lines[number - 1].block != line.block
    return section.heading if section else -1, line.tag, line.classes, columns.get(number, 0), is_first


def _stacks(page: CandidateLines, section_of: dict[int, _Section]) -> set[int]:
    """The blocks below a heading of people that hold names only, one on each line."""
    names: dict[int, list[bool]] = defaultdict(list)
    for number in section_of:
        line = page.lines[number]
        names[line.block].append(read_shape(line.text[:_LONGEST_LINE]) is not None)
    return {block for block, are_names in names.items() if len(are_names) > 1 and all(are_names)}


def _near(page: CandidateLines, contacts: set[int]) -> set[int]:
    """The lines close to a role, a label or a contact: elsewhere nothing would speak for a name."""
    near = {number + step for number in page.roles for step in (-1, 0, 1)}
    near |= page.role_lines.roles
    near.update(number - step for number in contacts for step in range(_CARD))
    near.update(page.role_lines.groups)
    near.update(number for number, name in page.names.items() if name.is_titled)
    lines = page.lines
    return {number for number in near if 0 <= number < len(lines) and _may_begin_name(lines[number].text)}


def _may_begin_name(text: str) -> bool:
    """A first look that leaves out most lines."""
    return len(text) <= _LONGEST_LIST and (text[0].isupper() or is_caseless(text))


def _may_list(page: CandidateLines, number: int, contacts: set[int], *, is_team: bool) -> bool:
    """Whether a line may be one of a list of people: an entry of a menu only if a title marks a person."""
    if is_team or page.lines[number].tag not in _MENU or number in contacts:
        return True
    text = page.lines[number].text
    if number in page.role_lines.roles and (JOINT.search(text) or is_caseless(text)):
        return True
    name = page.names.get(number)
    return name is not None and name.is_titled


def _columns(page: CandidateLines, text: str) -> dict[int, int]:
    """The column of each line that stands in a table."""
    columns: dict[int, int] = {}
    cells = [number for number, line in enumerate(page.lines) if line.tag in _CELLS]
    for number in cells:
        line = page.lines[number]
        if number == 0:
            continue
        before = columns.get(number - 1, 0)
        if page.lines[number - 1].block == line.block:
            columns[number] = before
        else:
            columns[number] = before + 1 if text[line.start - 1] == "\t" else 0
    return columns


def _candidate(page: CandidateLines, number: int) -> tuple[str, _Candidate] | None:
    """The name on a line, alone or beside a role, and how it stands there."""
    line = page.lines[number]
    is_only_role = number in page.roles and number not in page.names
    if is_only_role and not is_caseless(line.text) and JOINT.search(line.text) is None:
        return None
    if number in page.role_lines.groups and read_group(line.text) is not None:
        beside = _read_caseless_line(line.text) if is_caseless(line.text) else None
        if beside is None:
            return None
    name = page.names.get(number)
    if name is not None and name.is_known and "(" not in line.text:
        return "first", _Candidate(number, name, "", line.start)
    name_on_line = _read_line(line.text)
    if name_on_line is None:
        return None
    return name_on_line.kind, _Candidate(
        number, name_on_line.name, name_on_line.role, line.start + name_on_line.start
    )


class _NameOnLine(NamedTuple):
    """A name that begins or ends a line, what stands beside it, and where it begins."""

    kind: str
    name: PersonName
    role: str
    start: int


@lru_cache(maxsize=8_192)
def _read_line(text: str) -> _NameOnLine | None:
    """The name that a line begins or ends with; the pages of a site have many lines in common."""
    name = read_shape(text)
    if name is not None:
        return _NameOnLine("first", name, "", 0)
    bracket = _BRACKETED.search(text) if text[-1] in ")） " else None
    if bracket is not None:
        name = read_shape(text[: bracket.start()])
        if name is not None:
            return _NameOnLine("first", name, _own_role([bracket[1]]), 0)
    joint = JOINT.search(text)
    if joint is None:
        return _read_caseless_line(text) if is_caseless(text) else None
    left, right = text[: joint.start()], text[joint.end() :]
    first, last = read_shape(left), read_shape(right) or read_shape(JOINT.split(right)[0])
    if first is not None and _is_name(first) and (first.is_known or last is None or not last.is_known):
        return _NameOnLine("first", first, _own_role(JOINT.split(right)), 0)
    if last is None or len(left) > _LONGEST_LABEL or _CONTACT.search(left) or is_field_label(left):
        return None
    return _NameOnLine("last", last, _own_role([left]), joint.end()) if _is_name(last) else None


def _read_caseless_line(text: str) -> _NameOnLine | None:
    """A name and a role with nothing but a blank between them, as Korean pages write them."""
    for blank in _BLANK.finditer(text):
        left, right = text[: blank.start()], text[blank.end() :]
        first, last = read_shape(left), read_shape(right)
        if first is not None and first.is_known and is_role(right):
            return _NameOnLine("first", first, clean_role(right), 0)
        if last is not None and last.is_known and is_role(left):
            return _NameOnLine("last", last, clean_role(left), blank.end())
    return None


def _is_name(name: PersonName) -> bool:
    return name.is_known or not is_role(name.text)


def _is_phrase(name: PersonName, text: str) -> bool:
    """Whether an uncommon name is made of words that the page uses for other things."""
    return not (name.is_known or name.is_titled or is_caseless(name.text)) and is_phrase(name.text, text)


def _own_role(pieces: list[str]) -> str:
    """The first of some pieces that may be a role."""
    said = [piece.strip() for piece in pieces if piece.strip(" )")]
    piece = next((piece for piece in said if not is_credentials(piece)), "")
    return clean_role(piece) if _may_be_role(piece) else ""


def _may_be_role(text: str) -> bool:
    """Whether a short text beside a name can be what the person does, in whatever words."""
    if not 2 <= len(text) <= _LONGEST_ROLE or _CONTACT.search(text) or text[-1] in "!?:":
        return False
    if has_caseless_role(text) or (is_role(text) and not _WORKPLACE.search(text)):
        return True
    if (
        len(text.split()) > 8
        or _LINK_WORDS.match(text)
        or len(_DIGITS.findall(text)) > 2
        or is_sentence(text)
    ):
        return False
    if (
        text[0] in '"“„«»‘”('
        or text[0].isdigit()
        or is_organisation(text)
        or is_credentials(text)
        or _WORKPLACE.search(text)
    ):
        return False
    name = read_shape(text)
    return name is None or not name.is_known


def _is_beside(page: CandidateLines, number: int, contacts: set[int]) -> bool:
    """Whether a line may stand beside a name without being one: a role, a contact, a longer text."""
    text = page.lines[number].text
    return (
        number in page.roles
        or number in contacts
        or len(text) > 80
        or is_field_label(text)
        or is_credentials(text)
    )


def _may_hold_list(page: CandidateLines, number: int, section: _Section | None, said: set[int]) -> bool:
    """A first look that leaves out lines without a label that do not follow a heading of people."""
    if section is not None and number - section.heading <= _LIST_REACH:
        return True
    text = page.lines[number].text
    if (number - 1 in page.roles or number - 1 in page.role_lines.groups) and _MARKS.search(text):
        return True
    return (section is not None or number in said) and (
        ":" in text or "：" in text or _LABEL_DASH.match(text) is not None
    )


def _listed(page: CandidateLines, number: int, section: _Section | None) -> _Group | None:
    """Several names on one line: behind a label of people, below a role, or below their heading."""
    line = page.lines[number]
    text, start, least = line.text, line.start, 2
    label, colon, rest = text.replace("：", ":", 1).partition(":")
    least_behind = 1
    dash = _LABEL_DASH.match(text) if not colon else None
    if dash is not None and read_group(dash[1]) is not None:
        label, colon, rest, least_behind = text[: dash.end() - 1], "–", text[dash.end() :], 2
        own = _own_label(number, dash[1])
    else:
        own = _own_label(number, label) if colon and rest.strip() else None
    if own is not None:
        section, text, start, least = own, rest, start + len(label) + 1, least_behind
    else:
        section = _role_above(page, number) or section
    if section is None or number - section.heading > _LIST_REACH:
        return None
    pieces = [piece for piece in _LIST_JOINT.split(text.strip(" .")) if piece.strip()][:_MOST_IN_LIST]
    candidates = [
        candidate for piece in pieces if (candidate := _listed_name(number, piece, start)) is not None
    ]
    if len(pieces) < least or not candidates or len(candidates) < 0.8 * len(pieces):
        return None
    known = sum(1 for candidate in candidates if candidate.name.is_known)
    is_office = section.is_of_persons and section.role and len(candidates) >= 2
    if 2 * known >= len(candidates) or 3 * known >= len(candidates) >= 3 or is_office:
        return _Group(candidates, section, "listed", is_team=True, lines=frozenset([number]))
    return None


def _listed_name(number: int, piece: str, start: int) -> _Candidate | None:
    """The name in one piece of a list, with the role in brackets behind it."""
    bracket = _BRACKETED.search(piece)
    name = read_shape(piece[: bracket.start()] if bracket else piece)
    if name is None:
        return None
    role = bracket[1] if bracket and _may_be_role(bracket[1]) else ""
    return _Candidate(number, name, clean_role(role), start)


def _role_above(page: CandidateLines, number: int) -> _Section | None:
    """The part of the page that a role opens for the line below it or the next cell of its row."""
    before = number - 1
    if before < 0 or page.lines[number].block - page.lines[before].block > 1:
        return None
    said = page.lines[before].text
    group = read_group(said) if before in page.role_lines.groups else None
    if (before not in page.roles and group is None) or is_person_label(said):
        return None
    if _is_below_name(page, before):
        return None
    is_of_persons = group is not None and group.is_of_persons
    return _Section(before, number + 1, clean_role(said), is_of_persons)


def _own_label(number: int, label: str) -> _Section | None:
    """The part of the page that a label opens for the rest of its line."""
    group = read_group(label)
    if group is not None:
        return _Section(number, number + 1, group.role, group.is_of_persons)
    return _Section(number, number + 1, clean_role(label), is_of_persons=False) if is_role(label) else None


def _is_people(page: CandidateLines, group: _Group, share: float, contacts: set[int]) -> bool:
    """Whether so many signs agree that the members of a group are persons."""
    members = group.members
    count = len({member.name.text for member in members})
    known = len({member.name.text for member in members if member.name.is_known or member.name.is_titled})
    with_role = sum(1 for member in members if _is_said_role(page, member))
    with_contact = sum(
        1 for member in members if not contacts.isdisjoint(range(member.line, member.line + _CARD))
    )
    signs = (known > 0) + (with_role > 0) + (with_contact > 0)
    section = group.section
    if section is not None:
        if known * 2 >= count:
            return share >= 0.4
        if count == 1 and _is_cell_of_office(page, members[0], section):
            return True
        if share < 0.6 or count < 2:
            return False
        has_roles = 2 * sum(1 for member in members if member.role) >= count or _role_side(page, group)
        if section.is_of_persons and count >= 3 and (section.role or has_roles):
            return True
        if known * 3 >= count >= 3 and share >= 0.8:
            return True
        return signs >= (1 if section.is_of_persons and section.role else 2)
    if count < 2 or _are_endorsements(page, members):
        return False
    if all(member.name.is_titled and member.name.is_known for member in members):
        return True
    if known * 3 >= count * 2 and with_contact * 3 >= count * 2:
        return share >= 0.3
    if share < 0.6:
        return False
    if known * 3 >= count * 2:
        return with_contact * 2 >= count or with_role * 2 >= count or (group.is_team and signs > 1)
    if share >= 0.9 and all(_is_caseless_card(page, member) for member in members):
        return True
    if count < 3:
        return False
    return (with_role * 2 >= count and signs >= 2) or bool(_offices(group))


def _is_said_role(page: CandidateLines, member: _Candidate) -> bool:
    """Whether words that name a role stand with a name or on the next line."""
    if member.role:
        return is_role(member.role) or has_caseless_role(member.role)
    return any(
        0 <= other < len(page.lines) and (other in page.roles or has_caseless_role(page.lines[other].text))
        for other in (member.line - 1, member.line + 1)
    )


def _is_cell_of_office(page: CandidateLines, member: _Candidate, section: _Section) -> bool:
    """Whether a cell names a person whose office stands in the cell before, in a script without capitals."""
    is_next = member.line == section.heading + 1 and page.lines[section.heading].tag in _ENTRIES
    is_name = is_caseless(member.name.text) and (member.name.is_known or " " in member.name.text)
    return is_next and is_name and section.is_of_persons and bool(section.role)


def _is_caseless_card(page: CandidateLines, member: _Candidate) -> bool:
    """Whether a name of a script without capitals stands right above or beside what somebody does."""
    if not is_caseless(member.name.text):
        return False
    below = page.lines[member.line + 1].text if member.line + 1 < len(page.lines) else ""
    return has_caseless_role(member.role or below)


def _are_endorsements(page: CandidateLines, members: list[_Candidate]) -> bool:
    """Whether long texts stand above the names, as customers' recommendations do."""
    long = sum(1 for m in members if m.line and len(page.lines[m.line - 1].text) > _LONG_TEXT)
    return 2 * long >= len(members)


def _members(page: CandidateLines, group: _Group) -> Iterator[Mention]:
    """The members of a group with their roles."""
    side = _role_side(page, group)
    offices = _offices(group)
    for member in group.members:
        name, role = member.name.text, member.role
        if name.split()[0] in offices:
            role, _, name = name.partition(" ")
        if not role and side:
            role = clean_role(_beside(page, group, member.line, side) or "")
        if not role and group.section is not None:
            role = clean_role(group.section.role)
        is_known = member.name.is_known or member.name.is_titled
        sure = (0.75 if role else 0.7) if is_known else 0.6
        quote = page.lines[member.line].text[:300]
        yield Mention(name, role or None, member.line, member.start, quote, sure, "group")


def _offices(group: _Group) -> set[str]:
    """The offices that most lines begin with before a given name, some of them more than once."""
    leading = [m.name.text.split()[0] for m in group.members if _leads_with_office(m.name.text)]
    is_habit = (
        len(leading) >= 3 and 2 * len(leading) >= len(group.members) and len(set(leading)) < len(leading)
    )
    return set(leading) if is_habit else set()


def _leads_with_office(name: str) -> bool:
    first, *rest = [fold_name(word) for word in name.split()]
    return len(rest) >= 2 and len(first) > 5 and first not in GIVEN_NAMES and rest[0] in GIVEN_NAMES


def _role_side(page: CandidateLines, group: _Group) -> int:
    """On which side of the names their roles stand: below (1), above (-1), or nowhere (0)."""
    if group.kind != "first":
        return 0
    if group.section is not None and _is_cell_of_office(page, group.members[0], group.section):
        return 0
    best, highest = 0, 0
    alone = [member for member in group.members if not member.role]
    for side in (1, -1):
        looks = Counter(
            (page.lines[member.line + side].tag, page.lines[member.line + side].classes)
            for member in alone
            if _beside(page, group, member.line, side) is not None
        )
        count = max(looks.values(), default=0)
        if count > highest:
            best, highest = side, count
    return best if 2 * highest >= len(alone) else 0


def _beside(page: CandidateLines, group: _Group, number: int, side: int) -> str | None:
    """The line above or below a name, when it may be a role."""
    other = number + side
    if not 0 <= other < len(page.lines) or page.others[other] or other in group.lines:
        return None
    line = page.lines[other]
    if is_field_label(line.text) and side > 0 and other + 1 < len(page.lines):
        line = page.lines[other + 1]
    is_heading = other in page.role_lines.groups and not _is_below_name(page, other)
    if abs(line.block - page.lines[number].block) > 2 or (is_heading and read_group(line.text) is not None):
        return None
    text = (
        _BEFORE_CONTACT.split(line.text[:_LONGEST_LINE], maxsplit=1)[0].strip(" ,|–-")
        if side > 0
        else line.text
    )
    is_about = text.partition(" ")[0] in page.lines[number].text.split() or (
        text.endswith(".") and " " in text
    )
    return text if _may_be_role(text) and not is_about and ": " not in text else None
