"""Binding an e-mail address and a phone number to the person they stand beside."""

from dataclasses import replace

from scrapersky.extract.document import Document
from scrapersky.extract.findings import Email, Evidence, Person, Phone
from scrapersky.extract.names import folded, keys_of

_TEXT_REACH = 400
_HTML_REACH = 2_500
# A shared mailbox belongs to somebody only in a list of several people.
_TEAM_SIZE = 3


def bound(
    doc: Document, people: list[Person], emails: tuple[Email, ...], phones: tuple[Phone, ...]
) -> tuple[Person, ...]:
    """The people with the addresses and numbers of their cards."""
    if not people or not (emails or phones):
        return tuple(people)
    cards = _cards(doc, people)
    owned = {
        email.address: person.name for email in emails for person in people if _likeness(email, person) == 2
    }
    own = {name: address for address, name in reversed(owned.items())}
    shared = [
        (email.address, email.evidence)
        for email in emails
        if email.address not in owned and (email.kind == "person" or len(people) >= _TEAM_SIZE)
    ]
    numbers = [(phone.e164, phone.evidence) for phone in phones if phone.kind != "fax"]
    result = []
    for person in people:
        card = cards.get(person.name)
        email = person.email or own.get(person.name) or _in_card(card, shared)
        result.append(replace(person, email=email, phone=person.phone or _in_card(card, numbers)))
    return tuple(result)


def _likeness(email: Email, person: Person) -> int:
    """2 when the local part holds the whole name, 1 when it holds some of it."""
    local = "".join(c for c in folded(email.address.partition("@")[0]) if c.isalpha())
    keys = keys_of(person.name)
    if len(keys) < 2 or not local:
        return 0
    first, last = keys[0], keys[-1]
    if (first in local and last in local) or local in (first[0] + last, last + first[0]):
        return 2
    return int(local in (first, last))


def _cards(doc: Document, people: list[Person]) -> dict[str, tuple[range, range]]:
    """For each person the stretch of text and of source from the name to the next name."""
    texts = sorted((p.evidence[0].start, p.name) for p in people if p.evidence[0].place == "text")
    cards: dict[str, tuple[range, range]] = {}
    position = 0
    sources: list[int] = []
    for _, name in texts:
        found = doc.html.find(name.split()[0], position)
        whole = doc.html.find(name, position)
        found = whole if whole >= 0 else found
        sources.append(found)
        position = found + 1 if found >= 0 else position
    for index, (start, name) in enumerate(texts):
        end = texts[index + 1][0] if index + 1 < len(texts) else start + _TEXT_REACH
        source = sources[index]
        after = next((s for s in sources[index + 1 :] if s > source), source + _HTML_REACH)
        cards[name] = (
            range(start, min(end, start + _TEXT_REACH)),
            range(source, min(after, source + _HTML_REACH)) if source >= 0 else range(0),
        )
    return cards


def _in_card(card: tuple[range, range] | None, values: list[tuple[str, tuple[Evidence, ...]]]) -> str | None:
    """The first value that was seen inside the card."""
    if card is None:
        return None
    for value, evidence in values:
        if any(seen.start in card[0 if seen.place == "text" else 1] for seen in evidence):
            return value
    return None
