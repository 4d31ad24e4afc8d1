"""An XLSX file written row by row in constant memory; values are text or numbers, never formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import IO, Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

# Limits of Excel: rows of a sheet, UTF-16 units of a cell. A part beyond 2 GiB would need ZIP64.
MAX_ROWS = 1_048_576
MAX_CELL = 32_767
MAX_SHEET_BYTES = 1_500_000_000
MAX_WIDTH = 60

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Excel reads _x000D_ as a character code, so text that looks like one must be escaped.
_CHARACTER_CODE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# Two styles: normal, and bold for the headings.
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


class XLSXWriter:
    """A workbook with these headings; rows that do not fit into a sheet go to the next one."""

    def __init__(
        self,
        stream: IO[bytes],
        headings: Sequence[str],
        *,
        title: str = "Contacts",
        max_rows: int = MAX_ROWS,
    ) -> None:
        self._zip = ZipFile(stream, "w", ZIP_DEFLATED)
        self._headings, self._title = list(headings), title
        self._max_rows = max_rows
        self._sheets = self._rows = self._bytes = 0
        self._sheet: IO[bytes] | None = None
        self._begin_sheet()

    def add(self, values: Iterable[Any]) -> None:
        if self._rows >= self._max_rows or self._bytes >= MAX_SHEET_BYTES:
            self._end_sheet()
            self._begin_sheet()
        self._write_row(values, style=0)

    def close(self) -> None:
        self._end_sheet()
        for name, text in _parts(self._sheets, self._title):
            self._zip.writestr(name, text)
        self._zip.close()

    def __enter__(self) -> XLSXWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            # After an error the file is discarded; closing keeps the library from writing to it later.
            with suppress(OSError, ValueError):
                if self._sheet is not None:
                    self._sheet.close()
            with suppress(OSError, ValueError):
                self._zip.close()

    def _begin_sheet(self) -> None:
        self._sheets += 1
        self._rows = self._bytes = 0
        self._sheet = self._zip.open(f"xl/worksheets/sheet{self._sheets}.xml", "w")
        columns = "".join(
            f'<col min="{at}" max="{at}" width="{min(MAX_WIDTH, max(12, 2 * len(name)))}" customWidth="1"/>'
            for at, name in enumerate(self._headings, 1)
        )
        self._write(
            f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
            '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>'
            f"</sheetViews><cols>{columns}</cols><sheetData>"
        )
        self._write_row(self._headings, style=1)

    def _end_sheet(self) -> None:
        area = f"A1:{_letters(len(self._headings))}{self._rows}"
        # Digits stored as text are meant to be text, such as phone numbers and postcodes.
        self._write(
            f'</sheetData><autoFilter ref="{area}"/><ignoredErrors>'
            f'<ignoredError sqref="{area}" numberStoredAsText="1"/></ignoredErrors></worksheet>'
        )
        if self._sheet is not None:
            self._sheet.close()
            self._sheet = None

    def _write_row(self, values: Iterable[Any], *, style: int) -> None:
        self._rows += 1
        cells = "".join(
            _cell(f"{_letters(at)}{self._rows}", value, style) for at, value in enumerate(values, 1)
        )
        self._write(f'<row r="{self._rows}">{cells}</row>')

    def _write(self, text: str) -> None:
        data = text.encode()
        self._bytes += len(data)
        if self._sheet is not None:
            self._sheet.write(data)


@lru_cache(maxsize=1_024)
def _letters(column: int) -> str:
    """The name of a column from 1: A, Z, AA."""
    name = ""
    while column:
        column, digit = divmod(column - 1, 26)
        name = chr(65 + digit) + name
    return name


def _cell(place: str, value: Any, style: int) -> str:
    mark = f' s="{style}"' if style else ""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return f'<c r="{place}"{mark}><v>{value!r}</v></c>'
    text = plain_text(str(value)) if value is not None else ""
    if not text:
        return ""
    return f'<c r="{place}"{mark} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def plain_text(text: str) -> str:
    """The text as Excel can store it: no control characters, one kind of line end, not too long."""
    text = _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    units = text.encode("utf-16-le")
    if len(units) > 2 * MAX_CELL:
        text = units[: 2 * (MAX_CELL - 1)].decode("utf-16-le", "ignore") + "…"
    return _CHARACTER_CODE.sub("_x005F_", text)


def _parts(sheets: int, title: str) -> Iterable[tuple[str, str]]:
    """The other files of the workbook."""
    numbers = range(1, sheets + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for n in numbers
    )
    yield (
        "[Content_Types].xml",
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{types}</Types>',
    )
    yield "_rels/.rels", _relations([("rId1", "officeDocument", "xl/workbook.xml")])
    listed = "".join(f'<sheet name="{title}{_nth(n)}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
    yield (
        "xl/workbook.xml",
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
    )
    inner = [(f"rId{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
    yield "xl/_rels/workbook.xml.rels", _relations([*inner, (f"rId{sheets + 1}", "styles", "styles.xml")])
    yield "xl/styles.xml", _STYLES


def _nth(number: int) -> str:
    return "" if number == 1 else f" {number}"


def _relations(entries: Iterable[tuple[str, str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, kind, target in entries
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'
