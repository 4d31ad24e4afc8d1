"""Recognises names of people among other capitalised words."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from scrapersky.extract.addresses.vocabulary import FAINT_WORDS, LEGAL_FORMS, STREET_WORDS
from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME
from scrapersky.extract.people.given_names import GIVEN_NAMES
from scrapersky.extract.people.name_vocabulary import (
    CREDENTIALS,
    FAINT_STOPS,
    FIRST_STOPS,
    OTHERS,
    PARTICLES,
    POLITE,
    STOP_WORDS,
    SURNAMES,
    THING_ENDINGS,
    TITLES,
)
from scrapersky.extract.people.roles import is_plural_role, is_role_word

LONGEST_NAME = 60
_MOST_WORDS = 5
_TOKEN = re.compile(r"[\"“„«(']?[^\W\d_]+(?:[.'’‘`-]+[^\W\d_]+)*\.?[\"”“»)']?$")
_NOT_IN_NAMES = re.compile(r"[\d_@/|:;+*=<>\[\]{}!?%&$#…©®™•·–—]")
_SPOT = re.compile(r"\S+")
_ALPHANUMERIC = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"[\"“„«(].*[\"”“»)]$")
# Some countries are called as people are: Jordan, Chad, Israel.
_FOREIGN = STOP_WORDS | LEGAL_FORMS | (frozenset(COUNTRY_OF_NAME) - GIVEN_NAMES)
_OF_STREETS = STREET_WORDS - FAINT_WORDS
_STREET_ENDINGS = ("straße", "strasse", "straat", "gatan", "vägen", "gasse", "platz", "weg", "allee")
# Families are called after where they come from: "aus der Beek", "in 't Veld".
_OF_PLACES = re.compile(r" (?:aus|auf|in|an|op|onder) (?:der|dem|den|de|'t|het) ")
# What stands in brackets between a title and the name: "Dipl.-Ing. (FH) Anna Berg".
_DEGREES = frozenset(["(fh)", "(univ)", "(univ.)", "(uni)", "(tu)", "(th)", "(ba)", "(dh)", "(hs)", "(eth)"])
_SPELLED = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


class PersonName(NamedTuple):
    """A person's name; known when a given name is common, titled when a title stands with it."""

    text: str
    is_known: bool
    is_titled: bool


@lru_cache(maxsize=8192)
def fold_name(text: str) -> str:
    """The text in lower case without accents, for comparison."""
    text = text.casefold()
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_SPELLED))
    return "".join(c for c in plain if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def read_name(text: str) -> PersonName | None:
    """The name that a whole piece of text is, or None when it is something else."""
    return _read_name(text, is_structure=False)


def read_structured_name(text: str) -> PersonName | None:
    """The name that a piece of text is which the page sets like names: its words need not look like one."""
    return _read_name(text, is_structure=True)


def _read_name(text: str, *, is_structure: bool) -> PersonName | None:
    if text.startswith("The ") and is_title(text[4:].partition(" ")[0]):
        text = text[4:]
    if not 4 <= len(text) <= LONGEST_NAME + 30 or text[-1] in "!?:":
        return None
    if text[0].islower() and not is_title(text.partition(" ")[0]):
        return None
    if _NOT_IN_NAMES.search(text):
        return None
    head, _, credentials = text.partition(",")
    lower = head.lower()
    if lower.count(" ") > 2 and any(map(lower.__contains__, (" de", " 't", " het"))):
        lower = _OF_PLACES.sub(" von ", lower)
    low = lower.split()
    if not 2 <= len(low) <= _MOST_WORDS + 4:
        return None
    if not STOP_WORDS.isdisjoint(low) and not STOP_WORDS.intersection(low) <= SURNAMES.intersection(low[1:]):
        return None
    if " ".join(low) in COUNTRY_OF_NAME:
        return None
    words = head.split()
    if credentials and not all(_is_credential(part) for part in credentials.replace(",", " ").split()):
        return None
    titled, polite = bool(credentials), False
    while words and (is_title(words[0]) or (titled and words[0].casefold() in _DEGREES)):
        if _is_initial(words[0]) and len(words) > 2 and _is_initial(words[1]):
            break
        bare = words[0].casefold().strip(".,()")
        polite = polite or bare in POLITE
        titled = titled or bare not in POLITE
        words = words[1:]
    while len(words) > 2 and _is_credential(words[-1]):
        titled = True
        words = words[:-1]
    return _name_of(words, titled=titled, polite=polite, is_structure=is_structure)


def is_title(word: str) -> bool:
    """Whether a word is a title that stands before a name."""
    bare = word.casefold().strip(".,()")
    return bare in TITLES and (word.endswith(".") or len(bare) > 1)


def _is_credential(word: str) -> bool:
    return word.casefold().strip(".,()") in CREDENTIALS or is_title(word)


def is_credentials(text: str) -> bool:
    """Whether a line holds only what stands behind a name, such as "MBBS, MD"."""
    return len(text) <= 50 and text.split()[0].casefold().strip(".,()") in CREDENTIALS


def _name_of(words: list[str], *, titled: bool, polite: bool, is_structure: bool) -> PersonName | None:
    if not 2 <= len(words) <= _MOST_WORDS + 1:
        return None
    main = _main_words(words)
    if not 2 <= len(main) <= _MOST_WORDS or words[-1].casefold() in PARTICLES:
        return None
    if len(" ".join(words)) > LONGEST_NAME or (_is_initial(main[-1]) and not is_structure):
        return None
    if _holds_foreign(main, is_structure=is_structure) or main[0].casefold() in FIRST_STOPS:
        return None
    if " ".join(map(fold_name, main)).replace("-", " ") in OTHERS:
        return None
    known = polite or _is_given_name(main[0]) or _is_given_name(main[-1])
    if not (known or titled) and (
        not FAINT_STOPS.isdisjoint(map(fold_name, main[:-1] if is_structure else main))
        or (all(map(str.isupper, main)) and not is_structure)
        or any(map(_is_thing, main))
    ):
        return None
    return PersonName(_written(words), known, titled)


def _main_words(words: list[str]) -> list[str]:
    """The words without particles; none at all when one of them cannot be a word of a name."""
    main = []
    for word in words:
        if word.casefold() in PARTICLES:
            continue
        if not (word[0].isupper() or _is_small_name(word)) or not (word.isalpha() or _TOKEN.match(word)):
            return []
        main.append(word)
    return main


def _is_small_name(word: str) -> bool:
    """Whether a word that begins with a mark or a small letter may be one of a name."""
    letters = word.strip("\"“”„«»()'‘’")
    if not letters or letters[0].isupper():
        return bool(letters)
    return letters.isalpha() and letters[0].islower() and fold_name(letters) in GIVEN_NAMES


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1


def _is_given_name(word: str) -> bool:
    key = fold_name(word.strip("\"“”„«»()'‘’."))
    return key in GIVEN_NAMES or key.split("-")[0] in GIVEN_NAMES


def _is_foreign(word: str) -> bool:
    """Whether a word belongs to organisations, streets, roles or menus."""
    low = word.casefold().strip("\"“”„«»()'‘’.")
    if low in _FOREIGN or is_role_word(low) or (low.endswith("innen") and is_plural_role(low)):
        return True
    if len(word) == 2 and word.endswith("."):
        return False
    return low in _OF_STREETS or (len(low) > 7 and low.endswith(_STREET_ENDINGS))


def _holds_foreign(main: list[str], *, is_structure: bool) -> bool:
    """Whether some word is of no name; behind a common given name a trade may be the family name."""
    if any(map(_is_foreign, main[:-1])):
        return True
    last = main[-1].casefold().rpartition("-")[2]
    return _is_foreign(main[-1]) and not (last in SURNAMES and (is_structure or _is_given_name(main[0])))


def _is_thing(word: str) -> bool:
    """Whether the end of a long word says that it is of a thing or a deed."""
    low = word.casefold()
    return len(low) > 6 and low.endswith(THING_ENDINGS)


def _written(words: list[str]) -> str:
    """The name as it is kept: words in capitals get their usual form."""
    if any(map(str.isupper, words)):
        words = [_cased(word) for word in words]
    return " ".join(words).strip("'‘’,. ")


def _cased(word: str) -> str:
    if len(word) > 3 and word.isupper():
        return "-".join(part.capitalize() for part in word.split("-"))
    if len(word) == 3 and word.isupper() and _is_given_name(word):
        return word.capitalize()
    return word


def read_leading_name(text: str) -> tuple[PersonName, int] | None:
    """The longest name that the text begins with, and where it ends."""
    spots = list(_SPOT.finditer(text, 0, LONGEST_NAME + 40))[: _MOST_WORDS + 4]
    for count in range(len(spots), 1, -1):
        end = spots[count - 1].end()
        piece = text[:end].rstrip(",.;:)")
        name = read_name(piece)
        if name is not None:
            return name, end
    return None


def read_trailing_name(text: str) -> tuple[PersonName, int] | None:
    """The longest name that the text ends with, and where it begins."""
    spots = [m.start() for m in _SPOT.finditer(text)][-_MOST_WORDS - 2 :]
    for start in spots[:-1]:
        name = read_name(text[start:].rstrip(",.;:"))
        if name is not None:
            return name, start
    return None


@lru_cache(maxsize=8192)
def name_keys(name: str) -> tuple[str, ...]:
    """The words of a name for comparison, without titles and marks."""
    return tuple([word for word in _ALPHANUMERIC.findall(fold_name(name)) if word not in TITLES])
