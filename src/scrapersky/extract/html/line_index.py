"""Which lines of a page hold words that decide which of the slower readers must look at them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple

import ahocorasick_rs

from scrapersky.extract.addresses.postcodes import COUNTRY_OF_NAME
from scrapersky.extract.html.lines import Line
from scrapersky.extract.people.role_vocabulary import (
    CREDITS,
    ENDINGS,
    INTRODUCTIONS,
    OTHERS_SECTION,
    ROLE_WORDS,
)

_EASTERN_ROLES = (
    "代表 取締役 社長 会長 店長 院長 所長 園長 理事 支店長 工場長 校長 館長 部長 執行役員 監査役 責任者"
    " 担当 法定代表人 董事 总经理 经理 总裁 负责人 联系人 聯絡人 負責人 대표 원장 이사장 사장 담당자 책임자"
)
_REPRESENTED = (
    "vertreten durch|represented by|représenté|vertegenwoordigd door|representad|rappresentat|reprezentowan|"
    "zastoupen"
)
_EASTERN_PLACES = "市 区 郡 縣 县 도 시 구 군"
# Every character that is a decimal digit in some script; beyond this range there are none.
_DIGITS = "".join(filter(str.isdecimal, map(chr, range(0x1FC00))))


class Telling(NamedTuple):
    """Places of digits, where a run of them begins, their lines, and the lines with a word of each family."""

    digits: list[int]
    runs: list[int]
    numbers: list[int]
    roles: set[int]
    openings: set[int]
    introductions: set[int]
    representations: set[int]
    countries: set[int]
    eastern_roles: set[int]
    eastern_places: set[int]


def _families() -> list[Collection[str]]:
    phrases = (*OTHERS_SECTION.split("|"), *CREDITS.split("|"))
    return [
        {*ROLE_WORDS, *ENDINGS, "head", "lead"},
        {phrase.removesuffix("$") for phrase in phrases},
        [phrase.removesuffix("$") for phrase in INTRODUCTIONS.split("|")],
        _REPRESENTED.split("|"),
        COUNTRY_OF_NAME,
        _EASTERN_ROLES.split(),
        _EASTERN_PLACES.split(),
        _DIGITS,
    ]


_WORDS = [(word, family) for family, words in enumerate(_families()) for word in words]
_FAMILY = [family for _, family in _WORDS]
_SEARCH = ahocorasick_rs.AhoCorasick(
    [word for word, _ in _WORDS], implementation=ahocorasick_rs.Implementation.ContiguousNFA
)


def telling_lines(text: str, low: str, lines: list[Line]) -> Telling:
    """One pass over the text of a page, given also in lower case.

    A text whose letters change their number is told of every line.
    """
    starts = [line.start for line in lines]
    places: list[list[int]] = [[] for _ in Telling._fields[2:]]
    for word, start, _ in _SEARCH.find_matches_as_indexes(low, overlapping=True):
        places[_FAMILY[word]].append(start)
    digits = places.pop()
    if len(low) != len(text):
        digits = [place for place, letter in enumerate(text) if letter.isdecimal()]
        places = [starts for _ in places]
    found = [{bisect_right(starts, start) - 1 for start in one} for one in places]
    runs = [place for place, before in zip(digits, [-2, *digits], strict=False) if place != before + 1]
    numbers = dict.fromkeys([bisect_right(starts, place) - 1 for place in runs])
    return Telling(digits, runs, list(numbers), *found)
