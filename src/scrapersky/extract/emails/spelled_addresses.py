"""Finds addresses whose signs are spelled out in brackets: `info (at) firma (punkt) de`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapersky.extract.emails.address_pattern import (
    AddressMatch,
    read_local_before,
    real_domain,
    strip_filler,
)
from scrapersky.extract.text.regex_prefilter import prefilter

_AT_WORDS = (
    "at|ät|aet|æt|et|à|a|chez|arroba|arrobase|arobase|aroba|chiocciola|chioccola|bei|beim|apestaartje|"
    "apenstaartje|"
    "apestaart|zavin[aá][čc]|malpa|małpa|kukac|snabel-?a|alfakr[oø]ll|kr[oø]llalfa|miukumauku|ät-?merkki|"
    "majmun|"
    "klammeraffe|affe|αt|παπ[aά]κι|собака|собачка|эт|ет|@|＠|kuyruklu ?a|"
    "アット|アットマーク|あっと|골뱅이|monkey|ad|under|heliophon|bij|na"
)
_DOT_WORDS = (
    "dot|punkt|pkt|point|punto|ponto|punt|kropka|te[čc]ka|bodka|pont|piste|prikk|punktum|nokta|точка|"
    "крапка|тачка|"
    "τελεία|tačka|točka|taskas|punkts|doc|ch[aấ]m|ドット|ponto|\\.|・"
)
_OPEN = r"[(\[{<«‹（［【｛〔⟨|*~#/_-]{1,2}"
_SHUT = r"[)\]}>»›）］】｝〕⟩|*~#/_-]{1,2}"
_AT = re.compile(rf"{_OPEN} ?(?:{_AT_WORDS}) ?{_SHUT}", re.I)
_DOT = rf"(?: ?[(\[{{<（［【] ?(?:{_DOT_WORDS}) ?[)\]}}>）］】] ?| (?:dot|punkt|kropka|tečka|punto) )"
_LOCAL_BEFORE = re.compile(rf"[A-Za-z0-9_+-]{{1,64}}(?:(?:\.|{_DOT})[A-Za-z0-9_+-]{{1,64}}){{0,6}}\Z", re.I)
_DOMAIN_AFTER = re.compile(rf"\s{{0,2}}([\w-]{{1,63}}(?:(?:\.|{_DOT})[\w-]{{1,63}}){{1,6}})", re.I)
_DOT_SIGN = re.compile(_DOT, re.I)
_may_spell = prefilter(_AT)
_WINDOW = 100
_WEAK = frozenset("-_/*|~#")
MAX_MARKS = 2_000


def find_spelled_out(text: str) -> Iterator[tuple[AddressMatch, bool]]:
    """Every spelled address, and whether its brackets are so weak that the words alone do not prove it."""
    if len(text) > _WINDOW and not _may_spell(text):
        return
    for count, mark in enumerate(_AT.finditer(text)):
        if count >= MAX_MARKS:
            return
        address = _around(text, mark.start(), mark.end())
        if address is not None:
            yield address, text[mark.start()] in _WEAK


def _around(text: str, start: int, end: int) -> AddressMatch | None:
    before = text[max(0, start - _WINDOW) : start].rstrip()
    left = _LOCAL_BEFORE.search(before)
    right = _DOMAIN_AFTER.match(text, end, min(len(text), end + 2 * _WINDOW))
    if left is None or right is None:
        return None
    whole = before[: left.start()] + _DOT_SIGN.sub(".", left.group())
    read = read_local_before(whole, len(whole))
    written = right.group(1)
    domain = real_domain(_DOT_SIGN.sub(".", written).rstrip(".-_"))
    if read is None or not domain:
        return None
    local, first = read
    length = len(domain) if domain == written[: len(domain)] else len(written)
    begin, stop = max(0, start - _WINDOW) + min(first, left.start()), right.start(1) + length
    return strip_filler(AddressMatch(local, domain, begin, stop))
