"""What a street looks like: its words, house numbers, boxes and the labels before it."""

import re
from enum import IntEnum
from functools import lru_cache

from scrapersky.extract.addresses.vocabulary import (
    CALENDAR_WORDS,
    ENDINGS,
    FAINT_WORDS,
    FOREIGN_WORDS,
    LABELS,
    LEGAL_FORMS,
    NOT_STREETS,
    SMALL_WORDS,
    STREET_WORDS,
    UNIT_WORDS,
)
from scrapersky.extract.text.cleanup import lower_letters
from scrapersky.extract.text.regex_prefilter import prefilter

LONGEST_STREET = 110
_LAST_LETTERS = frozenset(ending[-3:] for ending in ENDINGS)  # The shortest of them has three.
_PARTS = (UNIT_WORDS | {"quadra", "qd", "lote", "lt", "bloco", "mz", "sector"}) - {
    "no",
    "plaza",
    "center",
    "centre",
}
_LEADING_WORDS = frozenset(["za", "zi", "via", "place"])
_HOUSE_LABEL = re.compile(r"(?:no|nr|n[º°]|numer|number|číslo)\W*$", re.IGNORECASE)

_WORD = re.compile(r"[^\W\d_][\w.'’-]*(?:/(?=[^\W\d_])[\w.'’-]*)*")
_PAIR = re.compile(
    r"(?<!\w)(?:an der|auf der|(?:business|industrial|retail|science|technology) park|(?:industrial|"
    r"trading) estate|lieu dit|main road|zone (?:artisanale|industrielle|d'activités?)|polígono industrial|"
    r"private bag)(?!\w)",
    re.IGNORECASE,
)
BOX = re.compile(
    r"(?<!\w)(?:p\.? ?o\.? ?box|post office box|private bag|locked bag|gpo box|postfach|postbus|bo[iî]te "
    r"postale|case postale|b\.?p\.?|casella postale|apartado(?: de correos)?|apdo\.?|caixa postal|"
    r"skr(?:ytka|\.) poczt(?:owa|\.)|p\.?o\.?b\.?|postboks|pl(?= \d{1,4}$)|box|postilokero|а/я)"
    r"[ .:°nºN]*\d{1,7}\b",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"(?<![\w,.:])(?:n[°ºo.]{1,2} ?|nr[.:]? ?|no[.:]? ?|# ?|№ ?|č\. ?p\. ?|km\.? ?|[nseow](?=\d))?\d{1,5}(?: "
    r"?(?!(?<= )[ye] )[^\W\d_](?![\w.]))?(?: ?[-–/+&] ?\d{1,5}[a-zA-Z]?)*(?![\w%€$£])",
    re.IGNORECASE,
)
_NAME_THEN_NUMBER = re.compile(
    r"[^\W\d_][^\d\n:;@]{1,48}[\s,.] ?(?:n[°ºo.]{1,2} ?|nr\.? ?|no\.? ?|№ ?|# ?|č\. ?p\. ?)?"
    r"\d{1,5} ?(?:[^\W\d_]\b)?(?: ?[-–/+&] ?\w{1,6})*(?: (?:[a-zA-Z]|bis|ter))?[.,]?(?: ?\([^()]{1,40}\))?$",
    re.IGNORECASE,
)
_NUMBER_THEN_NAME = re.compile(
    r"(?:n[°ºo.]{1,2} ?|№ ?|# ?)?\d{1,5}(?:[a-zA-Z]|[ -]?(?:bis|ter|quater)\b)?(?:(?: ?[-–/&] ?|, ?#?| "
    r"#)\d{1,5}[a-zA-Z]?)*,? [^\W\d_][^\n@]{2,80}$",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"@|https?:|www\.|\d{1,2}[:h.]\d{2}(?!\d)|[€$£%©®™§?!]|\+\d|\d{3}[ .-]?\d{3}[ .-]?\d{2,4}|"
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}"
)
PLACEHOLDER = re.compile(
    r"street name|your (?:street|address|city)|city name|sample (?:street|city)|musterstr|musterstadt|"
    r"musterort|lorem ipsum|example (?:street|city)|(?<!\w)(?:123|1234),? (?:main|street|fake|rue|calle|"
    r"rua|via) |anystreet|anytown|any ?city|[○●〇□]|x{2,}区|xxx|nome da rua|rua exemplo|via esempio|calle "
    r"ejemplo|rue exemple|straatnaam|przykładowa",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[^\w〒(#]*(?:(?:our|the|my|notre|nuestra|unsere|nasz|naše|onze) )?(?:"
    + LABELS
    + r")(?= *[:：–—|\t]| +-|-\s|\s+(?=[\d〒])|\s*$)[\s:：\-–—|]*"
)
_COLON_LABEL = re.compile(r"[^\d\n:]{2,48}:\s+(?=\S)")
_ICON = re.compile(r"[^\w〒(#\"'„“«]+")


# What is written where a house has no number: "s/n", "bb", "б.б.".
_NO_NUMBER = re.compile(r",? ?(?:\b[Ss]/[Nn]\.?|(?<= )b\.?b\.?|(?<= )б\.?б\.?)$")
# In Central America houses are found by what they stand near.
_LANDMARK = re.compile(
    r"(?:de(?:l| la| los| las)? .{3,60}? )?\d{1,4} ?(?:c|cuadras?|m|mts|metros|varas)\.? (?:al |hacia el )?"
    r"(?:norte|sur|este|oeste|arriba|abajo|lago)\b",
    re.IGNORECASE,
)
_OF_SENTENCES = re.compile(r"[:;!?%€$£„“”»«\"…]|\s[-–—]\s")
_QUOTED_NAME = re.compile(r"[„“\"«]([^„“”\"»«]{2,40})[”“\"»](?=,? ?(?:№ ?)?\d)")
_NUMBER_LABEL = re.compile(r"\bno ?: ?(?=\d)", re.IGNORECASE)
_SPOT = re.compile(r"\S+")
_AFTER_NUMBER = re.compile(r"[a-z]|bis|ter|quater|[ivx]+|[-/ ]?[a-z]?\d{1,4}[a-z]?|[-/+&] ?[a-z]", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
# Beside a number alone these are ranks, tracks and models.
_NEED_NAMES = frozenset(
    [
        "ring",
        "drive",
        "dr",
        "platz",
        "park",
        "place",
        "way",
        "court",
        "row",
        "walk",
        "close",
        "square",
        "tor",
        "route",
    ]
)
_DAY = re.compile(
    r"[^\W\d_]+\.? (?:\d{1,2}|[IVX]{1,5})[.ºª°]? (?:d[eio] )?[^\W\d_]{3,11} ?(?:19\d\d)?[, ]+\d"
)
# The other street of a corner.
_CROSSING = re.compile(r"(?:y|e|i|esq\.?|esquina|entre|con|casi|c/|near|opp\.?|off|corner) [A-ZÀ-Þ]")
# "18 de Julio 1360": called after a day, without a word for streets.
_BARE_DAY = re.compile(r"\d{1,2} de [^\W\d_]{4,11},? (?!19|20)\d{3,4}(?!\d)")
_may_be_placeholder = prefilter(PLACEHOLDER)
# Without one of these there is no box, without one of those no pair.
_BOX_SIGNS = (
    "box", "bag", "post", "pl ", "bp", "b.p", "pob", "p.o", "o.b", "apartado", "apdo", "skr", "а/я",
)  # fmt: skip
_PAIR_SIGNS = (
    "an der", "auf der", " park", " estate", "lieu dit", "main road", "zone ", "polígono ", "private bag",
)  # fmt: skip


def has_box(text: str) -> bool:
    """Whether a post-office box stands in the text."""
    return any(map(text.lower().__contains__, _BOX_SIGNS)) and BOX.search(text) is not None


def is_placeholder_address(text: str) -> bool:
    """Whether the text is an address that was never filled in."""
    return _may_be_placeholder(text) and PLACEHOLDER.search(text) is not None


class StreetLikeness(IntEnum):
    """How much a piece of text looks like the street part of an address."""

    NONE = 0
    WORD = 1
    SHAPE = 2
    FULL = 3


@lru_cache(maxsize=2_048)
def lower_words(text: str) -> tuple[str, ...]:
    """The words of the text in lower case, without full stops at their ends."""
    return tuple([word.rstrip(".,'’-") for word in _WORD.findall(text.casefold())])


@lru_cache(maxsize=2_048)
def rate_street(text: str) -> StreetLikeness:
    """Judge one piece of text by its street words, its house number and its shape."""
    if not 2 < len(text) <= LONGEST_STREET or _FOREIGN.search(text):
        return StreetLikeness.NONE
    if text[-1] in "nNbBб." and _NO_NUMBER.search(text) is not None:
        text = _NO_NUMBER.sub(" 0", text)
    if _LANDMARK.match(text):
        return StreetLikeness.FULL
    words = lower_words(text)
    if not FOREIGN_WORDS.isdisjoint(words) and not _is_named_after_day(text, words):
        return StreetLikeness.NONE
    if has_box(text):
        return StreetLikeness.FULL
    number = NUMBER.search(text)
    weight = _street_weight(text, words)
    if weight == 1 and number and words[0] in FAINT_WORDS and text[0].isupper():
        weight = 2
    if weight == 2:
        return StreetLikeness.FULL if number else StreetLikeness.WORD
    if number and _BARE_DAY.match(text):
        return StreetLikeness.FULL
    if number and (_NAME_THEN_NUMBER.match(text) or _NUMBER_THEN_NAME.match(text)):
        return StreetLikeness.FULL if weight else StreetLikeness.SHAPE
    return StreetLikeness.WORD if weight and number else StreetLikeness.NONE


def _is_named_after_day(text: str, words: tuple[str, ...]) -> bool:
    """Whether a street is called after a day, as Via 4 Novembre is; then a month does not make it a date."""
    if not FOREIGN_WORDS.intersection(words) <= CALENDAR_WORDS or NUMBER.search(text) is None:
        return False
    if words[0] in STREET_WORDS and words[0] not in FAINT_WORDS:
        return True
    if words[0] in ("r", "av") and text[len(words[0]) : len(words[0]) + 2] == ". ":
        return True
    return _DAY.match(text) is not None if words[0] in STREET_WORDS else _BARE_DAY.match(text) is not None


def _street_weight(text: str, words: tuple[str, ...]) -> int:
    weight = max(map(word_weight, words), default=0)
    if weight == 2:
        return 2
    return 2 if any(map(text.lower().__contains__, _PAIR_SIGNS)) and _PAIR.search(text) else weight


@lru_cache(maxsize=8_192)
def word_weight(word: str) -> int:
    """How much a word speaks for a street: 2 when it is of streets alone, 1 when also of other things."""
    if word in FAINT_WORDS:
        return 1
    if word in STREET_WORDS:
        return 2
    if len(word) <= 5 or word[-3:] not in _LAST_LETTERS or not word.endswith(ENDINGS):
        return 0
    return 0 if word in NOT_STREETS else 2


def is_landmark(text: str) -> bool:
    """Whether a text says how far a house lies from what everybody knows there."""
    return _LANDMARK.match(text) is not None


def is_called_after_day(text: str) -> bool:
    """Whether a text is a street with a day as its name and a number, such as "18 de Julio 1333"."""
    return _BARE_DAY.match(text) is not None


def has_street_word(text: str) -> bool:
    """Whether a word that only streets are written with stands in the text."""
    return _street_weight(text, lower_words(text)) == 2


@lru_cache(maxsize=2_048)
def is_well_formed(street: str) -> bool:
    """Whether a street is written as on a letter: a name and its number, and no words of a sentence around.

    Where no postcode proves an address, headlines and data sheets look like streets.
    """
    if has_box(street) or is_landmark(street) or is_called_after_day(street):
        return True
    street = _NUMBER_LABEL.sub("", _QUOTED_NAME.sub(r"\1", street))
    if _OF_SENTENCES.search(street) or any(map(_is_of_sentence, _SPOT.findall(street))):
        return False
    pieces = [piece.strip() for piece in street.split(",") if piece.strip()]
    return bool(pieces) and all(map(_is_street_piece, pieces))


def _is_of_sentence(word: str) -> bool:
    """Whether a word in small letters belongs to a sentence rather than to a street."""
    low = word.strip(".,()#").casefold()
    if not word[:1].islower() or len(low) <= 2 or any(map(str.isdigit, low)):
        return False
    return low not in SMALL_WORDS and low not in UNIT_WORDS and not word_weight(low)


def _is_street_piece(piece: str) -> bool:
    """Whether the number of a piece stands before all of its words or right behind the name."""
    numbers = list(NUMBER.finditer(piece))
    if not numbers:
        return True
    first, last = numbers[0], numbers[-1]
    before, after = piece[: first.start()].strip(" .,"), piece[last.end() :].strip(" .,()")
    words = lower_words(before)
    if not words or words == ("số",):
        return True
    if after and not (
        _AFTER_NUMBER.fullmatch(after) or _CROSSING.match(after) or is_unit(after) or has_street_word(after)
    ):
        return False
    if _YEAR.fullmatch(last.group().strip()):
        return False
    if len(words) == 1 and words[0] in _NEED_NAMES:
        return False
    is_led = words[0] in STREET_WORDS or words[0] in UNIT_WORDS
    return is_led or not any(map(word_weight, words)) or word_weight(words[-1]) > 0


def begins_with_street_word(text: str) -> bool:
    """Whether the word for the street comes first, as in Rue Haute or Via Roma."""
    words = lower_words(text)
    if not words or words[0] not in STREET_WORDS:
        return False
    is_short_form = not words[0].isascii() and text[len(words[0]) : len(words[0]) + 1] == "."
    if not text[:1].isupper() and not is_short_form:
        return False
    return (
        words[0] not in FAINT_WORDS
        or words[0] in _LEADING_WORDS
        or (
            len(words[0]) <= 3
            and words[0] not in ("nr", "no", "os")
            and text[len(words[0]) : len(words[0]) + 1] == "."
        )
    )


def ends_with_street_word(text: str) -> bool:
    """Whether a number and a name end in a word for streets, though other things are called so too."""
    words = lower_words(text)
    if len(words) < 2 or not word_weight(words[-1]):
        return False
    return _NUMBER_THEN_NAME.match(text) is not None or _NAME_THEN_NUMBER.match(text) is not None


def is_unit(text: str) -> bool:
    """Whether the text is only a part of a building, such as Suite 300 or 2. Etage."""
    return (
        len(text) <= 40
        and not UNIT_WORDS.isdisjoint(lower_words(text))
        and rate_street(text) < StreetLikeness.FULL
    )


def is_unit_first(text: str) -> bool:
    """Whether a text begins with the word for a part of a building, as "Quadra 33" and "стр. 2" do."""
    words = lower_words(text)
    return bool(words) and words[0] in _PARTS and any(map(str.isdigit, text))


def is_organisation(text: str) -> bool:
    """Whether the text carries a legal form and so names an organisation."""
    return not LEGAL_FORMS.isdisjoint(lower_words(text))


@lru_cache(maxsize=2_048)
def strip_label(text: str) -> tuple[str, int]:
    """The text without a leading icon or label such as "Address:", and how much was cut."""
    label = _LABEL.match(lower_letters(text))
    if label is None:
        label = _COLON_LABEL.match(text)
        if label is not None and (
            _HOUSE_LABEL.search(label.group().rstrip()) or has_street_word(label.group())
        ):
            label = None
    start = label.end() if label else 0
    icon = _ICON.match(text, start)
    start = icon.end() if icon else start
    return text[start:], start


def is_label(text: str) -> bool:
    """Whether the whole line only announces an address."""
    match = _LABEL.match(lower_letters(text))
    return match is not None and match.end() >= len(text.rstrip())
