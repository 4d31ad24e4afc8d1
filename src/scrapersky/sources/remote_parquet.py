"""Parquet files in object storage: of each, only the parts that a search needs are read.

A copy has the size of the file, with holes. Its end, which says where everything is and between which values
the box of each group of rows lies, is read first; then the wanted columns of those groups that may hold a
place. DuckDB skips the other groups for the same reason, so that it never reads a hole: what it would find
there is no Parquet, and the search fails.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapersky.errors import SourceError
from scrapersky.fetch.limits import MIB
from scrapersky.sources.object_store import PART_BYTES, ObjectStore, RemoteFile
from scrapersky.sources.parquet_query import QueryLimits, query_layout

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

T = TypeVar("T")

MAGIC = b"PAR1"
# Enough for the end of most files; the length of a longer one is in its last 8 bytes.
FIRST_END = MIB
MAX_END = 64 * MIB
# Two ranges with less than this between them are one request.
GAP = 64 * 1024

# The least and the greatest value of each column of a group of rows; None if the file does not say.
Bounds = Mapping[str, tuple[float, float] | None]
MayHold = Callable[[Bounds], bool]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Where the values of one column in one group of rows are."""

    file: str
    group: int
    column: str
    start: int
    length: int
    least: str | None
    greatest: str | None


class RemoteParquet:
    """The Parquet files below an address; one search may read `max_mib` of them."""

    def __init__(self, store: ObjectStore, address: str, *, max_mib: int, limits: QueryLimits) -> None:
        self._store, self._address, self._limits = store, address, limits
        self._max_bytes = max_mib * MIB

    @asynccontextmanager
    async def copies(self, columns: Collection[str], may_hold: MayHold) -> AsyncIterator[list[Path]]:
        """Copies with the columns of the groups of rows that may hold something; gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="scrapersky-") as folder:
            files = await self._open_ends(Path(folder))
            ranges = await self._ranges(files, columns, may_hold)
            size = sum(length for _, _, length in ranges)
            if size > self._max_bytes:
                raise SourceError(
                    f"The search needs {size // MIB:,} MiB of {self._address};"
                    " use a smaller box or OPEN_DATA_DOWNLOAD_MIB"
                )
            await _together(self._copy(path, files[path], start, length) for path, start, length in ranges)
            yield list(files)

    @asynccontextmanager
    async def ends(self) -> AsyncIterator[list[Path]]:
        """Copies that hold only what the files say of themselves."""
        with tempfile.TemporaryDirectory(prefix="scrapersky-") as folder:
            yield list(await self._open_ends(Path(folder)))

    async def _open_ends(self, folder: Path) -> dict[Path, RemoteFile]:
        urls = await self._store.files(self._address, ".parquet")
        paths = [folder / f"{number}.parquet" for number in range(len(urls))]
        files = await _together(self._open_end(*pair) for pair in zip(urls, paths, strict=True))
        return dict(zip(paths, files, strict=True))

    async def _open_end(self, url: str, path: Path) -> RemoteFile:
        file, end = await self._store.open_end(url, FIRST_END)
        length = int.from_bytes(end[-8:-4], "little") + 8
        if end[-4:] != MAGIC or length > min(file.size, MAX_END):
            raise SourceError(f"{url} is not a Parquet file")
        with path.open("xb") as copy:
            copy.truncate(file.size)
            copy.write(MAGIC)
            copy.seek(file.size - len(end))
            copy.write(end)
        if length > len(end):
            await self._copy(path, file, file.size - length, length - len(end))
        return file

    async def _ranges(
        self, files: Mapping[Path, RemoteFile], columns: Collection[str], may_hold: MayHold
    ) -> list[tuple[Path, int, int]]:
        chunks = await query_layout(list(files), lambda layout: _chunks(layout, columns), self._limits)
        groups: dict[tuple[str, int], list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            groups[chunk.file, chunk.group].append(chunk)
        spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for (file, _), group in groups.items():
            if may_hold(_bounds(group)):
                spans[file] += [(chunk.start, chunk.length) for chunk in group]
        return [(path, *span) for path in files for span in _joined(spans[str(path)])]

    async def _copy(self, path: Path, file: RemoteFile, start: int, length: int) -> None:
        with path.open("r+b") as copy:
            for at in range(start, start + length, PART_BYTES):
                content = await self._store.read(file, at, min(PART_BYTES, start + length - at))
                os.pwrite(copy.fileno(), content, at)


def _chunks(layout: DuckDBPyRelation, columns: Collection[str]) -> list[Chunk]:
    rows = layout.select(
        "file_name",
        "row_group_id",
        "path_in_schema",
        "data_page_offset",
        "dictionary_page_offset",
        "total_compressed_size",
        "stats_min_value",
        "stats_max_value",
    ).fetchall()
    return [
        Chunk(file, group, path, min(filter(None, (data, dictionary))), size, least, greatest)
        for file, group, path, data, dictionary, size, least, greatest in rows
        if path.partition(", ")[0] in columns
    ]


def _bounds(group: Sequence[Chunk]) -> dict[str, tuple[float, float] | None]:
    """The bounds of the columns with numbers."""
    bounds: dict[str, tuple[float, float] | None] = {}
    for chunk in group:
        try:
            bounds[chunk.column] = float(chunk.least or ""), float(chunk.greatest or "")
        except ValueError:
            bounds[chunk.column] = None
    return bounds


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same ranges in their order, neighbours as one."""
    joined: list[tuple[int, int]] = []
    for start, length in sorted(spans):
        if joined and start - sum(joined[-1]) <= GAP:
            first, before = joined[-1]
            joined[-1] = first, max(before, start + length - first)
        else:
            joined.append((start, length))
    return joined


async def _together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all; the first failure ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]
