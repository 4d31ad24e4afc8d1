"""The words of page_words.txt in every spelling that URLs use: folded, ae/oe/ue, in Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from scrapersky.extract.pagetypes.topics import MISLEADING, PARTIAL


class Word(NamedTuple):
    """What a name means, in which language, and whether only the whole name means it."""

    topic: str
    language: str
    is_whole: bool


_SEPARATORS = re.compile(
    "[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\u30fb\uff01-\uff0f]+"
)
_PLAIN_WORD = re.compile("[0-9a-z]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ё": "е", "’": "'"}
)
_DOUBLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "õ": "o"})

_PLAIN = dict(zip("абвгдезийклмнопрстуфъыьэіґђјћѓќџљњ", "abvgdeziiklmnoprstuf|y|eigdjcgkd|n", strict=False))
_RU = {**_PLAIN, "|": "", "ъ": "", "ь": "", "ж": "zh", "ч": "ch", "ш": "sh", "љ": "lj", "њ": "nj", "џ": "dz"}
# The same letters as different sites write them: scholarly, passport, and as one hears them.
_LATIN: tuple[dict[str, str], ...] = (
    {**_RU, "й": "y", "х": "h", "ц": "ts", "щ": "shch", "ю": "yu", "я": "ya", "є": "ye", "ї": "yi"},
    {**_RU, "й": "j", "х": "h", "ц": "c", "щ": "shh", "ю": "ju", "я": "ja", "є": "je", "ї": "ji"},
    {**_RU, "й": "i", "х": "kh", "ц": "ts", "щ": "sch", "ю": "iu", "я": "ia", "є": "ie", "ї": "i"},
    {**_RU, "й": "i", "х": "h", "ц": "c", "щ": "sht", "ю": "yu", "я": "ya", "ъ": "a", "є": "e", "ї": "i"},
    {**_RU, "й": "y", "х": "kh", "ц": "ts", "щ": "shch", "и": "y", "г": "h", "ю": "iu", "я": "ia", "є": "ie"},
    {**_RU, "й": "y", "х": "h", "ц": "ts", "щ": "shch", "и": "y", "ю": "yu", "я": "ya", "є": "ye", "ї": "yi"},
    {**_RU, "й": "j", "х": "h", "ц": "c", "ж": "z", "ч": "c", "ш": "s", "ю": "ju", "я": "ja", "щ": "sc"},
)
_GREEK = dict(zip("αβγδεζηικλμνξοπρστυφχωςθψ", "avgdeziiklmn|oprstyf|os||", strict=False))
_GREEK_LATIN: tuple[tuple[tuple[str, str], ...], ...] = (
    (("ου", "ou"), ("ξ", "x"), ("χ", "ch"), ("θ", "th"), ("ψ", "ps")),
    (("ου", "ou"), ("ξ", "ks"), ("χ", "x"), ("θ", "th"), ("ψ", "ps"), ("η", "h"), ("ω", "w"), ("β", "b")),
    (("ου", "ou"), ("ευ", "ef"), ("αυ", "af"), ("ξ", "x"), ("χ", "h"), ("θ", "th"), ("ψ", "ps"), ("υ", "u")),
    (("ου", "ou"), ("ευ", "ev"), ("ξ", "x"), ("χ", "ch"), ("θ", "th"), ("ψ", "ps"), ("υ", "i"), ("μπ", "b")),
)

BEGINNING = 5
# Words that carry no meaning of their own in the name of a page.
FILLERS = frozenset(
    """
    a al an and az at bei by com d da das de del dei della den der des det di die do du e ed een ei el
    en er es et for from gli het i ihr ihre il in index its ja je kami l la las le les lo los mas meet
    mein meine moje mon my na nas nasa nasi nase nasz nasza nasze nashi nasha nashe nos nossa nossas
    nosso nossos nostra nostre nostri nostro notre noi nuestra nuestras nuestro nuestros o och og of on
    ons onze op os ou our par per por pour pri pro s si site sur the to u ul und unser unsere unseren
    uns us v va var vara vart vas ve vore vores vos votre von we website wir with y your z za zu zum zur
    page pages pagina seite html htm php new neu и в на о по наш наша наши наше нас про та και η ο οι το
    τα στο μας bizim
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)


def fold_word(text: str) -> str:
    """Lower case, compatibility forms unified, accents of Latin, Greek and Cyrillic letters dropped."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)


def split_words(text: str) -> list[str]:
    """The folded words of a name or a line of text; camelCase is taken apart."""
    if text.isascii():
        lower = text.lower()
        return _PLAIN_WORD.findall(lower if lower == text else _CAMEL.sub("-", text).lower())
    return [word for word in _SEPARATORS.split(fold_word(_CAMEL.sub("-", text))) if word]


def spellings(phrase: str) -> Iterator[str]:
    """Every form of a phrase, run together, that a URL may hold."""
    lower = unicodedata.normalize("NFC", phrase.casefold())
    forms = [lower, lower.translate(_DOUBLED)]
    if re.search("[а-яіїєґ]", lower):
        forms += ["".join(table.get(letter, letter) for letter in lower) for table in _LATIN]
    if re.search("[α-ωά-ώ]", lower):
        bare = fold_word(lower)
        forms += [_greek(bare, pairs) for pairs in _GREEK_LATIN]
    for form in forms:
        yield "".join(split_words(form))


def _greek(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for letters, latin in pairs:
        text = text.replace(letters, latin)
    return "".join(_GREEK.get(letter, letter) for letter in text)


@cache
def lexicon() -> dict[str, Word]:
    """Run-together spelling to meaning; the first topic of the file that claims a spelling keeps it."""
    entries: dict[str, Word] = {}
    for topic, language, entry in _entries():
        is_whole = entry.endswith("!") or topic not in PARTIAL
        for spelling in spellings(entry.rstrip("!")):
            if len(spelling) > 1 or not spelling.isascii():
                entries.setdefault(spelling, Word(topic, language, is_whole))
    return entries


@cache
def beginnings() -> frozenset[str]:
    """The first letters of every spelling: what begins otherwise need not be looked for."""
    return frozenset(spelling[:size] for spelling in lexicon() for size in range(1, BEGINNING + 1))


@cache
def misleading() -> frozenset[str]:
    """Run-together names in which a word of ours means something else."""
    return frozenset(spelling for phrase in MISLEADING.split(", ") for spelling in spellings(phrase))


def _entries() -> Iterator[tuple[str, str, str]]:
    topic = ""
    source = resources.files("scrapersky.extract.pagetypes").joinpath("data/page_words.txt")
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            topic = line.strip("[]")
        elif line and not line.startswith("#"):
            language, _, entries = line.partition(": ")
            for entry in entries.split(", "):
                yield topic, language, entry
