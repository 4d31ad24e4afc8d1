"""Rows as the bytes of a CSV, JSON Lines, XLSX or Parquet file, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, cast

from scrapersky.destinations.contact_format import (
    ExportOptions,
    FileFormat,
    header_line,
    row_line,
    typed_cells,
)
from scrapersky.destinations.parquet_writer import ParquetWriter
from scrapersky.destinations.xlsx_writer import XLSXWriter

MEDIA_TYPES: dict[FileFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class RowStream:
    """Encodes rows with these columns. Every call returns the bytes that are ready; `close` the last ones.

    Cells that a spreadsheet would run as a formula are marked as text.
    """

    def __init__(self, form: FileFormat, columns: Sequence[str], title: str) -> None:
        self._options, self._columns = ExportOptions(form), list(columns)
        self._buffer = _Buffer()
        self._workbook: XLSXWriter | None = None
        self._table: ParquetWriter | None = None
        stream = cast("IO[bytes]", self._buffer)
        if form == "parquet":
            self._table = ParquetWriter(stream, self._columns)
        elif form == "xlsx":
            self._workbook = XLSXWriter(stream, self._columns, title=title)
        else:
            self._buffer.write(header_line(self._options, self._columns).encode())

    def add(self, rows: Iterable[Mapping[str, Any]]) -> bytes:
        for row in rows:
            if self._table is not None:
                self._table.add(row)
            elif self._workbook is not None:
                self._workbook.add(typed_cells(row, self._columns))
            else:
                line = row_line(row, self._options, self._columns)
                self._buffer.write(line.encode("utf-8", "replace"))
        return self._buffer.take()

    def close(self) -> bytes:
        if self._table is not None:
            self._table.close()
        if self._workbook is not None:
            self._workbook.close()
        return self._buffer.take()


class _Buffer:
    """A file whose bytes are taken away as they come; it cannot be sought, so nothing is rewritten."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def write(self, data: bytes) -> int:
        self._bytes += data
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        ready, self._bytes = bytes(self._bytes), bytearray()
        return ready
