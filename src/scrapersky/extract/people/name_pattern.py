"""The shape of a name: what the structure of a page may take for a person, whatever the dictionaries know."""

from __future__ import annotations

import re
from functools import lru_cache

from scrapersky.extract.people.given_names import GIVEN_NAMES
from scrapersky.extract.people.name_vocabulary import FAMILY_ENDINGS
from scrapersky.extract.people.names import PersonName, fold_name, read_name, read_structured_name
from scrapersky.extract.people.script_names import is_caseless, read_caseless_name

_COUNTRY = re.compile(r"\s*\([A-Z]{2,3}\)$")
_MARKS = " \t.,:;•·*–—-|"


@lru_cache(maxsize=8192)
def read_shape(text: str) -> PersonName | None:
    """The name that a piece of text has the shape of, in any script."""
    text = text.strip(_MARKS)
    if text.endswith(")"):
        text = _COUNTRY.sub("", text)
    if not 2 <= len(text) <= 70:
        return None
    if is_caseless(text):
        caseless = read_caseless_name(text)
        return PersonName(caseless[0], caseless[1], False) if caseless else None
    name = read_structured_name(text)
    if name is None:
        return _read_turned(text) if text.count(",") == 1 else None
    if not name.is_known and any(map(_ends_as_family, name.text.split())):
        return name._replace(is_known=True)
    return name


def _ends_as_family(word: str) -> bool:
    return len(word) > 5 and word.lower().endswith(FAMILY_ENDINGS)


def _read_turned(text: str) -> PersonName | None:
    """A name with the family name first and a comma behind it."""
    family, _, first_names = (part.strip() for part in text.partition(","))
    first = first_names.split()
    if (
        not 1 <= len(first) <= 2
        or " " in family
        or not any(fold_name(word.strip(".")) in GIVEN_NAMES for word in first)
    ):
        return None
    return read_name(f"{first_names} {family}")
