"""A Parquet file with typed columns: rows are spooled to a scratch file and written by DuckDB at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from scrapersky.destinations.contact_format import json_line

MEMORY = "256MB"
# Columns that hold more than text; those that end in _at are moments in UTC.
TYPES = {
    "confidence": "DOUBLE",
    "email_validation_score": "SMALLINT",
    "priority_level": "SMALLINT",
    "tags": "VARCHAR[]",
    "url_count": "BIGINT",
    "page_count": "BIGINT",
    "total_sitemaps": "BIGINT",
    "places_found": "BIGINT",
}
MOMENT = "TIMESTAMP"


def column_type(name: str) -> str:
    return MOMENT if name.endswith("_at") else TYPES.get(name, "VARCHAR")


class ParquetWriter:
    """Takes rows with these columns; the file is written to the stream when it is closed."""

    def __init__(self, stream: IO[bytes], columns: Iterable[str]) -> None:
        self._stream, self._columns = stream, list(columns)
        self._folder = tempfile.TemporaryDirectory(prefix="scrapersky-")
        self._spool = (Path(self._folder.name) / "rows.jsonl").open("wb")

    def add(self, row: Mapping[str, Any]) -> None:
        self._spool.write(json_line(row, columns=self._columns).encode())

    def close(self) -> None:
        # DuckDB takes a third of a second to load, and few exports need it.
        import duckdb

        self._spool.close()
        written = Path(self._folder.name) / "rows.parquet"
        options: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "threads": 1,
            "temp_directory": self._folder.name,
        }
        with duckdb.connect(config=options) as connection:
            rows = connection.read_json(
                self._spool.name,
                columns={name: column_type(name) for name in self._columns},
                format="newline_delimited",
            )
            rows.write_parquet(str(written), compression="zstd")
        with written.open("rb") as file:
            while piece := file.read(1 << 20):
                self._stream.write(piece)
        self._folder.cleanup()

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._spool.close()
            self._folder.cleanup()
