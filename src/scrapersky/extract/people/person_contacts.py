"""Attaches e-mail addresses and phone numbers to the person next to them."""

from bisect import bisect_right

from scrapersky.extract.html import Document
from scrapersky.extract.people.names import fold_name, name_keys
from scrapersky.extract.results import Email, Evidence, Person, Phone

_TEXT_REACH = 400
_HTML_REACH = 2_500
_MARK = 30
# A shared mailbox belongs to somebody only in a list of several people.
_TEAM_SIZE = 3


def attach_contacts(
    doc: Document,
    people: list[Person],
    emails: tuple[Email, ...],
    phones: tuple[Phone, ...],
    *,
    barriers: list[tuple[int, str]],
) -> tuple[Person, ...]:
    """The people with the addresses and numbers of their cards; a card ends at a barrier."""
    if not people or not (emails or phones):
        return tuple(people)
    cards = _cards(doc, people, barriers)
    owned = _owned(people, emails)
    own = {name: address for address, name in reversed(owned.items())}
    # Beside addresses of the organisation's own one of another domain is a stranger's, but not in a list of
    # several people, who have private ones.
    has_own = len(people) < _TEAM_SIZE and any(email.relation == "own" for email in emails)
    shared = [
        (email.address, email.evidence)
        for email in emails
        if email.address not in owned
        and (email.kind == "person" or len(people) >= _TEAM_SIZE)
        and not (has_own and email.relation == "other")
    ]
    numbers = [(phone.e164, phone.evidence) for phone in phones if phone.kind != "fax"]
    result = []
    for person in people:
        own_cards = cards.get(person.name, [])
        email = person.email or own.get(person.name) or _in_cards(own_cards, shared)
        phone = person.phone or _in_cards(own_cards, numbers)
        result.append(Person(person.name, person.role, email, phone, person.confidence, person.evidence))
    return tuple(result)


def _owned(people: list[Person], emails: tuple[Email, ...]) -> dict[str, str]:
    """The addresses that hold the whole name of somebody, each with that name."""
    owned: dict[str, str] = {}
    keys = [(person.name, name_keys(person.name)) for person in people]
    names = [(name, words[0], words[-1]) for name, words in keys if len(words) > 1]
    for email in emails:
        local = "".join(filter(str.isalpha, fold_name(email.address.partition("@")[0])))
        for name, first, last in names if local else ():
            if (first in local and last in local) or local in (first[0] + last, last + first[0]):
                owned[email.address] = name
    return owned


def _cards(
    doc: Document, people: list[Person], barriers: list[tuple[int, str]]
) -> dict[str, list[tuple[range, range]]]:
    """For each person the stretches of text and of source from the name to the next name or barrier."""
    texts = sorted({(e.start, p.name) for p in people for e in p.evidence if e.place == "text"})
    sources = _places_in_source(doc, [name for _, name in texts])
    cards: dict[str, list[tuple[range, range]]] = {}
    for index, (start, name) in enumerate(texts):
        end = min(start + _TEXT_REACH, texts[index + 1][0] if index + 1 < len(texts) else start + _TEXT_REACH)
        source = sources[index]
        after = next((s for s in sources[index + 1 :] if s > source), source + _HTML_REACH)
        nearest = bisect_right(barriers, (start, "\uffff"))
        if nearest < len(barriers) and barriers[nearest][0] < end:
            end, mark = barriers[nearest]
            wall = doc.html.find(mark[:_MARK], source, source + _HTML_REACH)
            after = min(after, wall) if wall >= 0 else after
        card = range(start, end), range(max(source, 0), min(after, source + _HTML_REACH))
        cards.setdefault(name, []).append(card)
    return cards


def _places_in_source(doc: Document, names: list[str]) -> list[int]:
    """Where each name stands in the source, in the order of the page; -1 where it is not found."""
    places, position = [], 0
    for name in names:
        whole = doc.html.find(name, position)
        place = whole if whole >= 0 else doc.html.find(name.split()[0], position)
        places.append(place)
        position = place + 1 if place >= 0 else position
    return places


def _in_cards(cards: list[tuple[range, range]], values: list[tuple[str, tuple[Evidence, ...]]]) -> str | None:
    """The first value that was seen inside the first card that holds one."""
    for in_text, in_source in cards:
        for value, evidence in values:
            if any(seen.start in (in_text if seen.place == "text" else in_source) for seen in evidence):
                return value
    return None
