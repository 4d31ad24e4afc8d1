"""Which lines of a page hold words for roles, or words that introduce persons."""

from __future__ import annotations

from typing import NamedTuple

from scrapersky.extract.html import Document
from scrapersky.extract.html.keyword_scan import LineKeywords
from scrapersky.extract.people.people_headings import GROUP_PHRASES
from scrapersky.extract.people.role_vocabulary import (
    CREDITS,
    ENDINGS,
    INTRODUCTIONS,
    OTHERS_SECTION,
    ROLE_WORDS,
)
from scrapersky.extract.people.script_names import CASELESS_ROLES

_EAST_ASIAN_ROLES = (
    "代表 取締役 社長 会長 店長 院長 所長 園長 理事 支店長 工場長 校長 館長 部長 執行役員 監査役 責任者"
    " 担当 法定代表人 董事 总经理 经理 总裁 负责人 联系人 聯絡人 負責人 대표 원장 이사장 사장 담당자 책임자"
)
_REPRESENTED = (
    "vertreten durch|represented by|représenté|vertegenwoordigd door|representad|rappresentat|reprezentowan|"
    "zastoupen|led by|run by|directed by|owned by|operated by|founded|started by|established|gegründet von|"
    "fondé|fundad|fondat|opgericht door|założon|grundades av|grundlagt af|grunnlagt av|geleitet von|"
    "dirigée par|dirigé par|dirigid|"
    "diretto da|diretta da|guidata da|"
    "geleid door|kierowan|leds av|ledes av|ledes af"
)
_PREFIXES = "v/|c/o|attn|att:|att.|z. h|z.h|t.a.v"
COPULAS = "est|ist|is|è|es|sind|jest|je|är|er|on|é"
# What stands before the office of one of the organisation's own.
OURS = (
    "our|my|unserer|unsere|unser|notre|nuestro|nuestra|nosso|nossa|il nostro|la nostra|onze|vår|vores|nasz|"
    "nasza|meidän"
)


class RoleLines(NamedTuple):
    """Lines with a word for a role, of a heading that opens a section about others, or of an introduction.

    `groups` may be headings of people, `prefixes` may begin with "c/o" or the like, `ours` may hold "our",
    `copulas` hold "is".
    """

    roles: set[int]
    openings: set[int]
    introductions: set[int]
    representations: set[int]
    east_asian_roles: set[int]
    groups: set[int]
    prefixes: set[int]
    ours: set[int]
    copulas: set[int]


def _phrases(text: str) -> set[str]:
    return {phrase.removesuffix("$") for phrase in text.split("|")}


_KEYWORDS = LineKeywords(
    {*ROLE_WORDS, *ENDINGS, *CASELESS_ROLES, "head", "lead"},
    _phrases(OTHERS_SECTION) | _phrases(CREDITS),
    _phrases(INTRODUCTIONS),
    _REPRESENTED.split("|"),
    _EAST_ASIAN_ROLES.split(),
    GROUP_PHRASES,
    _PREFIXES.split("|"),
    [f"{word} " for word in OURS.split("|")],
    [f" {word} " for word in COPULAS.split("|")],
)


def find_role_lines(doc: Document) -> RoleLines:
    """The lines of a page that may speak of a person and a role."""
    return RoleLines(*doc.scan(_KEYWORDS))
