"""Guesses the legacy encoding of a text file by how much its letters look like words of some language.

Files carry no label, and a wrong guess turns names into nonsense without any error. So every candidate reads
a sample, the readings are scored, and the caller shows which one was taken and lets people choose another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

MAX_LETTERS = 5_000
DEFAULT = "cp1252"
# Two readings nearer to each other than this are a matter of opinion.
CLEAR = 0.15

# The letters beyond ASCII of the languages that an encoding is used for.
_LATIN = {
    "cp1252": "äöüß éèêëàâçîïôûùœ áéíóúñü ãõçáéíóúâêôà æøåé åäöé àèéìòù ëéïóü ðþáéíóúýæö",
    "cp1250": "áčďéěíňóřšťúůýž áäčďéíľňóôšťúýž ąćęłńóśźż áéíóöőúüű ăâîşţ čćđšž äöüß",
    "cp1254": "ğışçöüâ",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äöõüšž",
}
_SIGNS = frozenset("’–“”„‘€°´…§©®™\u00a0")
_VOWELS = frozenset("aeiouáéíóúAEIOU")
_SCRIPTS = {
    "cp1251": ("CYRILLIC", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфії"),
    "koi8-u": ("CYRILLIC", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфії"),
    "cp866": ("CYRILLIC", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфії"),
    "iso8859-5": ("CYRILLIC", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфії"),
    "cp1253": ("GREEK", "αοιετσνηυρπκμλςάόίέήώύδγχθφβξζψω"),
    "cp1255": ("HEBREW", "אבגדהוזחטיכלמנסעפצקרשתךםןףץ"),
    "cp1256": ("ARABIC", "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآئءؤپچژگ"),
    "cp874": ("THAI", "".join(map(chr, range(0x0E01, 0x0E5C)))),
}
# Every byte is a letter of Thai, so that proves less than it does for the others.
_WEIGHTS = {"CYRILLIC": 1.4, "GREEK": 1.4, "HEBREW": 1.4, "ARABIC": 1.3, "THAI": 1.0}
_JAPANESE = ("cp932", "euc_jp")
_HANGUL = frozenset(
    "이다의가에는을하고한시지사기도서로자인정대구부수전성장주동원해리나일공산아상보스용과중제비치학교회관식당"
    "빵집병울특별광역경남북군읍면길김박최조강윤임오권황안송류홍신화무실소방마영세여선은우미연진호현민재"
    "카페점업청단센터약국빌라층번호명표상품개유체육음악행복사랑건물법인주식회"
)
# Lead bytes of the frequent half of a double-byte set: (from, to) for ideographs.
_DOUBLE = {
    "cp932": (0x88, 0x98),
    "euc_jp": (0xB0, 0xD0),
    "gbk": (0xB0, 0xD8),
    "big5": (0xA4, 0xC7),
    "cp949": (0xB0, 0xC9),
}
# Websites in a list say in which part of the world its text was written.
_ENDINGS = {
    "cp1250": "cz sk pl hu ro hr si ba",
    "cp1254": "tr",
    "cp1257": "lt lv ee",
    "cp1251": "ru ua by bg rs mk su kz",
    "koi8-u": "",
    "cp1253": "gr cy",
    "cp1255": "il",
    "cp1256": "sa ae eg ir iq jo ma dz",
    "cp874": "th",
    "cp932": "jp",
    "euc_jp": "jp",
    "gbk": "cn",
    "big5": "tw hk",
    "cp949": "kr",
    "cp1252": "de at ch fr es it pt nl be dk se no fi is br mx uk ie us",
}
_WEB = re.compile(rb"[\w-]\.([a-z]{2})(?![\w.-])", re.ASCII)


class Guess(NamedTuple):
    """The likeliest encoding, and whether another one is nearly as likely."""

    encoding: str
    is_sure: bool


def guess_legacy(sample: bytes) -> Guess:
    """The encoding of bytes that are not UTF-8."""
    hints = _hints(sample)
    scores = {name: score(sample) + hints.get(name, 0.0) for name, score in _SCORES.items()}
    ordered = sorted(scores, key=lambda name: -scores[name])
    best = ordered[0]
    if scores[best] <= 0:
        return Guess(DEFAULT, is_sure=False)
    text = _text(sample, best)
    rivals = [name for name in ordered[1:] if scores[best] - scores[name] < CLEAR]
    return Guess(best, is_sure=all(_text(sample, name) == text for name in rivals))


def _hints(sample: bytes) -> dict[str, float]:
    endings = [match.decode() for match in _WEB.findall(sample)]
    if not endings:
        return {}
    return {
        name: 0.4 * sum(match in known.split() for match in endings) / len(endings)
        for name, known in _ENDINGS.items()
    }


def _text(sample: bytes, encoding: str) -> str:
    return sample.decode(encoding, "replace")


def _latin(encoding: str) -> Callable[[bytes], float]:
    languages = [frozenset(letters + letters.upper()) for letters in _LATIN[encoding].split()]
    common = frozenset.union(*languages)

    def score(sample: bytes) -> float:
        text = _text(sample, encoding)
        places = _foreign(text)
        if not places:
            return 0.0
        points = sum(_latin_points(text, at, common) for at in places)
        # A reading whose letters belong to one language is better than one that mixes several.
        letters = [text[at] for at in places if text[at].isalpha()]
        alike = max(sum(letter in language for letter in letters) for language in languages)
        return (points + 0.5 * alike) / len(places)

    return score


def _latin_points(text: str, at: int, common: frozenset[str]) -> float:
    letter, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if letter == "\ufffd" or unicodedata.category(letter) == "Cc":
        return -2.0
    if not letter.isalpha():
        is_inside = before.isalpha() and after.isalpha() and letter not in "’´"
        return -1.0 if is_inside or letter not in _SIGNS else 0.5
    if letter.isupper() and before.islower():
        return -1.0
    # Latin words rarely have two such letters side by side; misread other scripts have nothing else.
    beside = sum(neighbour.isalpha() and not neighbour.isascii() for neighbour in (before, after))
    is_at_home = letter in common and not _is_misplaced(letter, after)
    return (1.0 if is_at_home else 0.2) - 0.6 * beside


def _is_misplaced(letter: str, after: str) -> bool:
    """Letters whose place in a word tells two languages apart that share their byte."""
    if letter in "ñÑþÞ":
        return after not in _VOWELS
    if letter == "ý":  # Czech ends words with it where Turkish has its ı in the middle of words.
        return after.isalpha()
    if letter in "ţŢ":
        return after not in _VOWELS and after.isalpha()
    return False


def _script(encoding: str) -> Callable[[bytes], float]:
    script, common = _SCRIPTS[encoding]

    def score(sample: bytes) -> float:
        text = _text(sample, encoding)
        points = [_script_points(text, at, script, common) for at in _foreign(text)]
        return _WEIGHTS[script] * sum(points) / len(points) if points else 0.0

    return score


def _script_points(text: str, at: int, script: str, common: str) -> float:
    letter, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if letter == "\ufffd" or unicodedata.category(letter) == "Cc":
        return -2.0
    if not unicodedata.name(letter, "").startswith(script):
        return 0.3 if letter in "–—«»“”„’№€… " else -1.0
    if (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha()):
        return -1.0
    if letter.isupper() and before.isalpha():
        return -1.0 if before.islower() else 0.5
    return 1.0 if letter.lower() in common else 0.0


def _double(encoding: str) -> Callable[[bytes], float]:
    first, last = _DOUBLE[encoding]

    def score(sample: bytes) -> float:
        text = _text(sample, encoding)
        places = _foreign(text)
        points = [_double_points(text[at], encoding, first, last) for at in places]
        # Japanese without a single kana is rare.
        is_odd = encoding in _JAPANESE and not any("\u3041" <= text[at] <= "\u30ff" for at in places)
        return 1.4 * sum(points) / len(points) - 0.2 * is_odd if points else 0.0

    return score


def _double_points(letter: str, encoding: str, first: int, last: int) -> float:
    if letter == "\ufffd":
        return -2.0
    if "\u3041" <= letter <= "\u30ff":
        return 1.1 if encoding in _JAPANESE else 0.0
    if "\uac00" <= letter <= "\ud7a3":
        return 1.1 if letter in _HANGUL else 0.6 if letter.encode(encoding, "replace")[1] >= 0xA1 else 0.1
    if "\u4e00" <= letter <= "\u9fff":
        lead = letter.encode(encoding, "replace")[0]
        return 1.0 if first <= lead < last else 0.1
    if "\u3000" <= letter <= "\u303f" or "\uff01" <= letter <= "\uff5e":
        return 0.5
    return -1.0


def _foreign(text: str) -> list[int]:
    letters = []
    for match in _NOT_ASCII.finditer(text):
        letters.append(match.start())
        if len(letters) >= MAX_LETTERS:
            break
    return letters


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# In the order in which equals are taken.
_SCORES: dict[str, Callable[[bytes], float]] = {
    **{name: _latin(name) for name in _LATIN},
    **{name: _script(name) for name in _SCRIPTS},
    **{name: _double(name) for name in _DOUBLE},
}
# The encodings that are tried; other ones can still be chosen.
LEGACY = frozenset(_SCORES)
