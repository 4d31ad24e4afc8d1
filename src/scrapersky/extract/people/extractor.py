"""People of the organisation: names and roles, with their own e-mail address and phone number."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrapersky.extract.addresses.streets import is_organisation, lower_words
from scrapersky.extract.html import Document
from scrapersky.extract.people.adjacent_mentions import (
    find_addressee,
    find_card_names,
    find_paired_names,
    find_titled_heading,
)
from scrapersky.extract.people.candidate_lines import CandidateLines, Mention, classify_lines
from scrapersky.extract.people.contact_names import (
    find_addressees,
    find_contact_names,
    find_described,
    find_prefixed,
)
from scrapersky.extract.people.inline_mentions import (
    find_apposed,
    find_in_sentence,
    find_introduced,
    find_on_line,
    find_represented,
    find_rosters,
    sentences,
)
from scrapersky.extract.people.name_vocabulary import PROFESSIONS
from scrapersky.extract.people.names import PersonName, fold_name, name_keys, read_name
from scrapersky.extract.people.people_headings import is_group_phrase
from scrapersky.extract.people.person_contacts import attach_contacts
from scrapersky.extract.people.person_listings import find_group_members
from scrapersky.extract.people.phrase_check import is_phrase
from scrapersky.extract.people.role_lines import find_role_lines
from scrapersky.extract.people.roles import is_legal_role, is_person_label
from scrapersky.extract.people.third_party_sections import find_third_party_lines
from scrapersky.extract.results import QUOTE_LIMIT, Email, Evidence, Hints, Person, Phone, combine_confidences
from scrapersky.extract.text.cleanup import lower_letters
from scrapersky.extract.urls.hosts import unicode_host

MAX_PEOPLE = 200
_SHORTEST_SENTENCE = 30
_LONGEST_SENTENCE = 400
_LONGEST_TITLES = 25
# So many common names set alike make a team, to which an uncommon one may belong.
_TEAM_SIZE = 2
_TEAM = re.compile(
    r"(?<![a-z])(?:team|staff|people|board|vorstand|mitarbeiter|equipo|equipe|équipe|squadra|bestuur|medewerkers|styrels\w*|bestyrels\w*|styret|"
    r"hallitus|zarz[aą]d|zespół|tým|csapat|munkatársa\w*|echipa|leadership|management|directors|attorneys|doctors|faculty)(?![a-z])"
)
_LONGEST_FIRM = 60
_EASTERN = "\u2e80"  # From here on names are recognised by their family names.
# Labels of persons that stand before their field of work as well.
_OF_FIELDS = ("responsab", "responsáv", "referent", "nom", "titular", "éditeur", "interlocut")
# How the words for offices begin that no firm holds, in many languages.
_OF_STAFF = re.compile(
    r"(?<!\w)(?:manag|head|lead|officer|clerk|receptionist|superintend|principal|assistant|directo|direttor|diretor|"
    r"direct(?:eur|rice)|direkt|dyrekt|\w*leiter|\w*leitung|\w*chef|respons|coordin|koordin|koordyn|secret|sekret|asist|"
    r"contab|comptab|buchhalt|geren|jefe|jefa|encarg|vedouc|kierown|\w*vezeto|\w*paallikko|\w*johtaja|\w*ansvarig|"
    r"\w*sjef|\w*leder|skarbnik|sekretarz|tesor|trener|trainer|coach|foreman)"
)
_MENU = frozenset(["li", "nav", "option", "button", "label", "summary"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_ADDRESS = re.compile(r"[^@\s<>\"]{1,64}@[a-z0-9.-]{1,180}\.[a-z]{2,24}")
_LETTERS = re.compile(r"[a-z]+")
# Methods that look at the same lines: two of them prove no more than one.
_OF_LAYOUT = frozenset(["role line", "line", "card", "group", "label", "contact", "address", "text"])
_AUTHORED_TEXT = """
Article NewsArticle BlogPosting Review Comment Book CreativeWork Quotation UserComments Recipe
DiscussionForumPosting Question Answer QAPage
"""
_AUTHORED = frozenset(_AUTHORED_TEXT.split())


def find_people(
    doc: Document, hints: Hints, emails: tuple[Email, ...], phones: tuple[Phone, ...]
) -> tuple[Person, ...]:
    """The organisation's people on a page, each once, in the order of the page."""
    role_lines = find_role_lines(doc)
    page = classify_lines(doc.text, doc.lines, find_third_party_lines(doc, role_lines.openings), role_lines)
    is_team_page = bool(_TEAM.search(lower_letters(f"{hints.url or doc.url} {doc.title or ''}")))
    mentions = [
        *_text_mentions(page, is_team_page=is_team_page),
        *_addressed(page, emails),
        *_namesakes(page, hints),
    ]
    mentions = _credible(mentions, page, emails, doc.text)
    contacts = _contact_lines(doc, emails, phones)
    mentions += find_group_members(page, doc.text, contacts, is_team_page=is_team_page)
    mentions += find_contact_names(page, contacts)
    mentions += find_addressees(page, doc.digits.lines)
    mentions += find_prefixed(page)
    mentions += find_described(page, doc.text)
    mentions.sort(key=lambda mention: mention.start)
    people = [_with_title(person) for person in _merged([*mentions, *_marked_up(doc)])[:MAX_PEOPLE]]
    if not people or not (emails or phones):
        return tuple(people)
    own = f"{doc.title or ''} {unicode_host(hints.site_domain or '')}".lower()
    return attach_contacts(doc, people, emails, phones, barriers=_barriers(page, own))


def _contact_lines(doc: Document, emails: tuple[Email, ...], phones: tuple[Phone, ...]) -> set[int]:
    """The lines that hold a mail address or a phone number."""
    evidence = [seen for email in emails for seen in email.evidence]
    evidence += [seen for phone in phones for seen in phone.evidence]
    spots = [seen.start for seen in evidence if seen.place == "text" and seen.start >= 0]
    return {bisect_right(doc.line_starts, spot) - 1 for spot in spots}


def _text_mentions(page: CandidateLines, *, is_team_page: bool) -> Iterator[Mention]:
    """Every person the text speaks of as one of the organisation."""
    paired = list(find_paired_names(page))
    yield from paired
    yield from find_rosters(page)
    yield from find_card_names(page, paired, is_team_page=is_team_page)
    titled: dict[tuple[str, str], int] = defaultdict(int)
    for number, name in page.names.items():
        titled[_set_as(page, number)] += name.is_titled
    for number in page.names:
        if not page.others[number]:
            yield from find_addressee(page, number)
            yield from find_titled_heading(page, number, titled[_set_as(page, number)])
    for number in page.mixed:
        if not page.others[number]:
            yield from find_on_line(page, number)
    hints = page.role_lines
    for number in sorted({*sentences(page), *hints.introductions, *hints.representations}):
        line = page.lines[number]
        if 5 <= len(line.text) <= _LONGEST_SENTENCE and not page.others[number]:
            yield from find_in_sentence(line, number)
            if number in hints.introductions:
                yield from find_introduced(line, number)
            if number in hints.representations:
                yield from find_represented(line, number)
    for number in sorted(hints.roles & hints.ours):
        line = page.lines[number]
        if _SHORTEST_SENTENCE <= len(line.text) <= _LONGEST_SENTENCE and not page.others[number]:
            yield from find_apposed(line, number)


def _credible(
    mentions: list[Mention], page: CandidateLines, emails: tuple[Email, ...], text: str
) -> list[Mention]:
    """The mentions without those of uncommon names that nothing else on the page speaks for.

    A menu, a practice area or a city between two words for roles looks the same; what tells a person is the
    label of an imprint, an address made of the name, or several common names that are set alike.
    """
    names = [read_name(mention.name) for mention in mentions]
    sure = [
        name is None
        or name.is_known
        or name.is_titled
        or mention.name[0] >= _EASTERN
        or mention.method == "heading"
        for name, mention in zip(names, mentions, strict=True)
    ]
    teams = _teams(mentions, sure, page)
    locals_ = " ".join(email.address.partition("@")[0] for email in emails)
    return [
        mention
        for mention, is_sure in zip(mentions, sure, strict=True)
        if is_sure
        or _is_introduced(mention)
        or (
            (
                _is_staff(page, mention)
                or _set_as(page, mention.line) in teams
                or name_keys(mention.name)[-1] in locals_
            )
            and not _is_phrase(mention, page, text)
        )
    ]


def _teams(mentions: list[Mention], sure: list[bool], page: CandidateLines) -> set[tuple[str, str]]:
    """How the names of a team are set: alike are several common names, or many that offices go with."""
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    others: dict[tuple[str, str], set[str]] = defaultdict(set)
    offices: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mention, is_sure in zip(mentions, sure, strict=True):
        look = _set_as(page, mention.line)
        (known if is_sure else others)[look].add(mention.name)
        if mention.role and is_legal_role(mention.role):
            offices[look].add(mention.name)
    return {
        look
        for look in {*known, *others}
        if len(known[look]) >= _TEAM_SIZE
        or (len(offices[look]) >= _TEAM_SIZE and 3 * len(offices[look]) >= len(others[look]))
    }


def _set_as(page: CandidateLines, number: int) -> tuple[str, str]:
    line = page.lines[number]
    return line.tag, line.classes


def _is_introduced(mention: Mention) -> bool:
    """Whether a label of the imprint or a role that only a person can have leads to the name."""
    role = mention.role or ""
    if mention.method == "apposition":
        return True
    if is_person_label(role) and not role.casefold().startswith(_OF_FIELDS):
        return True
    return mention.method in ("label", "sentence") and is_legal_role(role)


def _is_staff(page: CandidateLines, mention: Mention) -> bool:
    """Whether a heading is a name and behind a comma an office that firms do not hold."""
    role = mention.role or ""
    if mention.method != "line" or page.lines[mention.line].tag not in _HEADINGS:
        return False
    return mention.quote == f"{mention.name}, {role}" and _OF_STAFF.search(fold_name(role)) is not None


def _is_phrase(mention: Mention, page: CandidateLines, text: str) -> bool:
    """Whether a name is made of the page's ordinary words, or is an entry of a menu."""
    if page.lines[mention.line].tag in _MENU and mention.method in ("card", "line"):
        return True
    return is_phrase(mention.name, text)


def _barriers(page: CandidateLines, own: str) -> list[tuple[int, str]]:
    """Where the card of a person ends at the latest: at a heading, another firm, or where others come up."""
    return [
        (line.start, line.text)
        for number, line in enumerate(page.lines)
        if (page.others[number] or line.tag in _HEADINGS or _names_other_firm(line.text, own))
        and number not in page.names
        and number not in page.roles
    ]


def _names_other_firm(text: str, own: str) -> bool:
    """Whether a short line is the name of a firm that neither the title nor the domain speaks of."""
    if not 5 <= len(text) <= _LONGEST_FIRM or not is_organisation(text):
        return False
    return not any(len(word) > 3 and word in own for word in lower_words(text))


def _addressed(page: CandidateLines, emails: tuple[Email, ...]) -> Iterator[Mention]:
    """Names that an address on the page is made of, such as anna.berg@ for Anna Berg."""
    locals_ = {tuple(_LETTERS.findall(email.address.partition("@")[0].lower())) for email in emails}
    if not locals_:
        return
    for number, name in page.names.items():
        if not page.others[number] and not locals_.isdisjoint(_local_parts(name)):
            line = page.lines[number]
            yield Mention(name.text, None, number, line.start, line.text[:QUOTE_LIMIT], 0.8, "e-mail")


def _local_parts(name: PersonName) -> list[tuple[str, ...]]:
    """What an address of this person may begin with, in words; run together only for common names."""
    keys = name_keys(name.text)
    if len(keys) < 2 or len(keys[0] + keys[-1]) < 6:
        return []
    first, last = keys[0], keys[-1]
    parts: list[tuple[str, ...]] = [(first, last), (last, first), (first[0], last), (last, first[0])]
    return [*parts, (first + last,), (last + first,), (first[0] + last,)] if name.is_known else parts


def _namesakes(page: CandidateLines, hints: Hints) -> Iterator[Mention]:
    """Names whose family name the site is called after."""
    host = unicode_host(hints.site_domain or "").removeprefix("www.")
    label = "".join(filter(str.isalpha, fold_name(host.split(".")[0])))
    if len(label) < 4:
        return
    for number, name in page.names.items():
        keys = name_keys(name.text)
        if page.others[number] or not name.is_known or len(keys) < 2 or len(keys[-1]) < 4:
            continue
        if label.endswith(keys[-1]) or label.startswith(keys[-1]) or keys[0] + keys[-1] in label:
            line = page.lines[number]
            yield Mention(name.text, None, number, line.start, line.text[:QUOTE_LIMIT], 0.6, "site name")


def _marked_up(doc: Document) -> Iterator[Person]:
    """Persons that the page declares, without the authors of articles and reviews."""
    authors = {key for thing in doc.things for key in _author_keys(thing)}
    relations = {key: role for thing in doc.things for key, role in _related(thing)}
    for thing in doc.things:
        types = thing.get("@type")
        if types != "Person" and not (isinstance(types, list) and "Person" in types):
            continue
        name = read_name(
            _text(thing.get("name"))
            or f"{_text(thing.get('givenName'))} {_text(thing.get('familyName'))}".strip()
        )
        role = _text(thing.get("jobTitle")) or relations.get(name_keys(name.text) if name else (), "")
        if name is None or (name_keys(name.text) in authors and not role):
            continue
        email = _text(thing.get("email")).lower().removeprefix("mailto:")
        evidence = Evidence(
            str(thing.get("@source", "json-ld")), f"{name.text} {role}".strip()[:QUOTE_LIMIT], -1, "html"
        )
        address = email if _ADDRESS.fullmatch(email) else None
        sure = 0.9 if role or address else 0.7
        yield Person(name.text, role or None, address, None, sure, (evidence,))


def _author_keys(thing: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    types = thing.get("@type")
    if not _AUTHORED.intersection([types] if isinstance(types, str) else types or ()):
        return
    authors = thing.get("author")
    for author in authors if isinstance(authors, list) else [authors]:
        text = _text(author.get("name")) if isinstance(author, Mapping) else _text(author)
        if text:
            yield name_keys(text)


def _related(thing: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Whom an organisation declares as its founder: the relation is the role."""
    for relation in ("founder", "founders"):
        people = thing.get(relation)
        for person in people if isinstance(people, list) else [people]:
            if isinstance(person, Mapping) and _text(person.get("name")):
                yield name_keys(_text(person.get("name"))), "Founder"


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, Mapping):
        value = value.get("name", "")
    return " ".join(value.split())[:QUOTE_LIMIT] if isinstance(value, str) else ""


def _merged(mentions: Iterable[Mention | Person]) -> list[Person]:
    """One person for all mentions of the name."""
    people: dict[tuple[str, ...], Person] = {}
    for mention in mentions:
        person = mention if isinstance(mention, Person) else _person(mention)
        key = tuple(sorted(name_keys(person.name)))
        if len(key) < 1:
            continue
        known = people.get(key)
        people[key] = person if known is None else _joined(known, person)
    return list(people.values())


def _person(mention: Mention) -> Person:
    evidence = Evidence(mention.method, mention.quote[:QUOTE_LIMIT], mention.start, "text")
    return Person(mention.name, mention.role, None, None, mention.confidence, (evidence,))


def _joined(first: Person, second: Person) -> Person:
    methods = {e.method for e in first.evidence}
    new = [e for e in second.evidence if e.method not in methods or len(first.evidence) < 3]
    sure = max(first.confidence, second.confidence)
    others = {e.method for e in second.evidence}
    if methods.isdisjoint(others) and not (methods | others) <= _OF_LAYOUT:
        sure = combine_confidences([first.confidence, second.confidence])
    best = max((first, second), key=lambda person: (_role_rank(person.role), person.confidence))
    return Person(
        first.name,
        best.role,
        first.email or second.email,
        first.phone or second.phone,
        sure,
        (*first.evidence, *new)[:5],
    )


def _with_title(person: Person) -> Person:
    """Somebody of whom nothing is said but a title, which tells the profession."""
    if person.role:
        return person
    words = person.evidence[0].quote[: len(person.name) + _LONGEST_TITLES].split()
    title = next((word for word in words if word.casefold().strip(".,()") in PROFESSIONS), None)
    return replace(person, role=title.strip(",()")) if title else person


def _role_rank(role: str | None) -> int:
    """What somebody does says more than the label that introduces the name."""
    if not role:
        return 0
    if is_person_label(role):
        return 1
    return 2 if is_group_phrase(role) else 3
