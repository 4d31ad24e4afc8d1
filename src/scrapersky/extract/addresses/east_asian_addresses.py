"""Addresses of East Asia, which run from the region down to the house without blanks."""

import re
from collections.abc import Iterator

from scrapersky.extract.addresses.postcode_addresses import AddressHit
from scrapersky.extract.addresses.streets import is_placeholder_address
from scrapersky.extract.html.line_index import TextLine

# One of these ends the name of a city, a district or a county.
EAST_ASIAN_PLACES = ("市", "区", "郡", "縣", "县", "도", "시", "구", "군", "香港", "九龍", "新界", "澳門")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
_KANA = "\u3041-\u30ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7a3"
_LETTER = re.compile(f"[{_HAN}{_HANGUL}]")
_DASH = r"\-\u2010-\u2015\u2212\uff0d\u30fc"

_JAPANESE_CODE = re.compile(rf"(?:〒\s?)?(?<![\d{_DASH}])(\d{{3}}[{_DASH}]\d{{4}})(?![\d{_DASH}])")
_NAME = _HAN + _KANA
_JAPANESE_CITY = (
    rf"[{_NAME}]{{1,7}}市[{_NAME}]{{1,5}}区|[{_NAME}]{{1,7}}[市区]|[{_NAME}]{{1,5}}郡[{_NAME}]{{1,6}}[町村]"
)
_JAPANESE = re.compile(
    rf"(?P<region>東京都|北海道|京都府|大阪府|[{_HAN}]{{2,3}}県)?\s?"
    rf"(?P<city>{_JAPANESE_CITY})\s?"
    rf"(?P<street>[{_NAME}]{{0,14}}\s?[\d０-９一二三四五六七八九十]{{1,5}}"
    rf"(?:[{_DASH}\d０-９]|丁目|番地?|号|の|条|線){{0,14}}"
    rf"(?:\s?[^\s（(｜|、。TtＴ電☎℡]{{2,20}})?)"
)
_CHINESE = re.compile(
    rf"(?P<city>(?:[{_HAN}]{{2,8}}(?:省|自治区))?(?:[{_HAN}]{{2,6}}?[市縣县])(?:[{_HAN}]{{1,6}}?[区區县縣镇鎮市])?)"
    rf"(?P<street>[{_HAN}]{{1,14}}(?:路|街|大道|道|巷|弄)[{_HAN}\d]{{0,8}}?\d{{1,5}}(?:[{_DASH}]\d{{1,4}})?[号號弄]?(?:[{_HAN}\dA-Z{_DASH}]{{0,20}}))"
)
_HONG_KONG = re.compile(
    rf"(?P<city>香港(?:島)?(?:九龍|新界)?|九龍|新界|澳門)"
    rf"(?P<street>[{_HAN}]{{1,14}}(?:路|街|大道|道|徑|里|坊)\s?\d{{1,4}}(?:[{_DASH}]\d{{1,4}})?[号號][{_HAN}\dA-Z{_DASH}]{{0,20}})"
)
_KOREAN = re.compile(
    rf"(?P<city>[{_HANGUL}]{{2,7}}(?:특별시|광역시|특별자치시|도|시)\s?(?:[{_HANGUL}]{{1,5}}[시군]\s?)?[{_HANGUL}]{{1,5}}[구군시])\s?"
    rf"(?P<street>[{_HANGUL}\d]{{1,12}}(?:로|길|동)\s?(?:\d{{1,3}}(?:번?길)?\s?)?\d{{1,4}}(?:-\d{{1,4}})?)"
)
_HANGUL_LETTER = re.compile(f"[{_HANGUL}]")
_CODE_NEARBY = re.compile(
    rf"(?<![\d-])(?:\d{{5,6}}|(?<=[區区] )\d{{3}}|^\d{{3}}(?=[^\W\d])|\d{{3}}(?=[{_HAN}]{{2}}[市縣]))"
    r"(?![\d號号-])"
)


def find_east_asian_addresses(
    lines: list[TextLine], places: set[int], home: str | None
) -> Iterator[AddressHit]:
    """Japanese, Chinese, Taiwanese and Korean addresses, on the lines that name a place."""
    for number in sorted(places):
        line = lines[number]
        if len(line.text) > 400 or line.text.isascii() or not _LETTER.search(line.text):
            continue
        hit = _japanese(lines, number)
        if hit is None and home != "JP":
            hit = _over_lines(lines, number, home)
        if hit is None and home != "JP":
            hit = (
                _by_pattern(line, _HONG_KONG, "MO" if "澳門" in line.text else "HK")
                or _by_pattern(line, _CHINESE, home if home in ("CN", "TW", "HK") else "CN")
                or _by_pattern(line, _KOREAN, "KR")
            )
        if hit is not None and not is_placeholder_address(line.text):
            yield hit


def _japanese(lines: list[TextLine], number: int) -> AddressHit | None:
    """An address below or beside its postcode; without one only when a region is named."""
    line = lines[number]
    match = _JAPANESE.search(line.text)
    if match is None:
        return None
    start, code = line.start + match.start(), None
    before = _JAPANESE_CODE.search(line.text, 0, match.start())
    if before is not None:
        start, code = line.start + before.start(), before[1]
    elif number:
        above = _JAPANESE_CODE.search(lines[number - 1].text)
        if above is not None and len(lines[number - 1].text) <= 20:
            start, code = lines[number - 1].start + above.start(), above[1]
    if code is None and match["region"] is None:
        return None
    city = f"{match['region'] or ''}{match['city']}"
    sure = 0.92 if code else 0.7
    return AddressHit(
        match["street"].strip(), code, city, "JP", start, line.start + match.end(), sure, "text"
    )


def _over_lines(lines: list[TextLine], number: int, home: str | None) -> AddressHit | None:
    """An address whose places stand on lines of their own, from the country down or from the house up."""
    first = number
    while first > 0 and number - first < 3 and _is_part(lines, first - 1, number):
        first -= 1
    last = number
    while last + 1 < len(lines) and last - number < 3 and _is_part(lines, last + 1, number):
        last += 1
    parts = [lines[place].text for place in range(first, last + 1)]
    if not 1 < len(parts) <= 5:
        return None
    start, end = lines[first].start, lines[last].start + len(lines[last].text)
    for ordered in (parts, parts[::-1]):
        bare = [_CODE_NEARBY.sub("", part).strip(" ,") for part in ordered]
        text = (" " if _HANGUL_LETTER.search(bare[0]) else "").join(bare)
        match = _HONG_KONG.search(text) or _CHINESE.search(text) or _KOREAN.search(text)
        if match is None:
            continue
        code = next(filter(None, map(_CODE_NEARBY.search, parts)), None)
        country = {_HONG_KONG: "MO" if "澳門" in text else "HK", _KOREAN: "KR"}.get(match.re)
        country = country or (home if home in ("CN", "TW", "HK") else "TW" if "號" in text else "CN")
        street, sure = match["street"].strip(), 0.8 if code else 0.65
        return AddressHit(street, code and code.group(), match["city"], country, start, end, sure, "text")
    return None


def _is_part(lines: list[TextLine], place: int, number: int) -> bool:
    """Whether a line beside that of an address may be one more part of it."""
    text = lines[place].text
    return (
        lines[place].block == lines[number].block
        and len(text) <= 25
        and ("：" not in text and ":" not in text)
        and (_LETTER.search(text) is not None or _CODE_NEARBY.fullmatch(text) is not None)
    )


def _by_pattern(line: TextLine, pattern: re.Pattern[str], country: str | None) -> AddressHit | None:
    match = pattern.search(line.text)
    if match is None:
        return None
    code = _CODE_NEARBY.search(line.text)
    return AddressHit(
        match["street"].strip(),
        code.group() if code else None,
        match["city"].strip(),
        country,
        line.start + match.start(),
        line.start + match.end(),
        0.8 if code else 0.65,
        "text",
    )
