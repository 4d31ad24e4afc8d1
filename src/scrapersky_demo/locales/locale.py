"""What the generator needs to know of one language and country; the words themselves are in `words`."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

_FOLDS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "'": ""})


@dataclass(frozen=True, slots=True)
class City:
    """An invented city; `phone` is a national number in which each # is a free digit."""

    name: str
    postcode: str
    phone: str
    latitude: float
    longitude: float
    region: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of business in one language: what it is called and what it offers."""

    key: str
    label: str
    offers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Locale:
    """The words, shapes and habits of one language in one country."""

    tag: str
    country: str
    country_name: str
    calling_code: str
    trunk: str
    mobile: str
    overflow: str
    host_endings: tuple[str, ...]
    free_mail: tuple[str, ...]
    address: str
    cities: tuple[City, ...]
    streets: tuple[str, ...]
    given_names: tuple[str, ...]
    family: tuple[str, ...]
    brands: tuple[str, ...]
    names: tuple[str, ...]
    legal_forms: tuple[str, ...]
    kinds: tuple[Kind, ...]
    words: dict[str, str]
    slugs: dict[str, tuple[str, ...]]
    roles: tuple[str, ...]
    role_mailboxes: tuple[str, ...]
    sentences: tuple[str, ...]
    posts: tuple[str, ...]
    products: tuple[str, ...]
    topics: tuple[str, ...]
    at_signs: tuple[str, ...]
    dot_signs: tuple[str, ...]

    @property
    def language(self) -> str:
        return self.tag.partition("-")[0]

    @cached_property
    def kind_by_key(self) -> dict[str, Kind]:
        return {kind.key: kind for kind in self.kinds}


def slugify(text: str) -> str:
    """ASCII letters, digits and single hyphens, as a site builder would make them of a title."""
    folded = unicodedata.normalize("NFKD", text.lower().translate(_FOLDS))
    kept = "".join(
        letter if letter.isascii() and letter.isalnum() else " " for letter in folded if not _is_mark(letter)
    )
    return "-".join(kept.split())


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter) == "Mn"
