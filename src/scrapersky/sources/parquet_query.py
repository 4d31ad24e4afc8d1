"""Reads Parquet files by DuckDB: bounded memory, no network, and no file but those of its search."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapersky.errors import SourceError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QueryLimits:
    memory_mib: int = 512
    threads: int = 2


async def query_parquet(
    files: Sequence[Path], query: Callable[[DuckDBPyRelation], T], limits: QueryLimits
) -> T:
    """Run a query on the rows of the files in a thread; whoever stops waiting for it interrupts it."""

    def read(connection: DuckDBPyConnection) -> T:
        names = [str(file) for file in files]
        return query(connection.read_parquet(names, union_by_name=True, hive_partitioning=False))

    return await _query(files, read, limits)


async def query_layout(
    files: Sequence[Path], query: Callable[[DuckDBPyRelation], T], limits: QueryLimits
) -> T:
    """The same on what the files say of themselves: a row for each column of each group of rows."""

    def read(connection: DuckDBPyConnection) -> T:
        return query(connection.table_function("parquet_metadata", [[str(file) for file in files]]))

    return await _query(files, read, limits)


async def _query(files: Sequence[Path], read: Callable[[DuckDBPyConnection], T], limits: QueryLimits) -> T:
    # Imported here because it takes a tenth of a second, and most commands never need it.
    import duckdb

    connection = await asyncio.to_thread(_connect, files, limits)
    work = asyncio.create_task(asyncio.to_thread(read, connection))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        connection.interrupt()
        await asyncio.wait([work])
        raise
    except duckdb.OutOfMemoryException:
        raise SourceError(
            f"The search needs more than {limits.memory_mib} MiB; use a smaller box or OPEN_DATA_MEMORY_MIB"
        ) from None
    except duckdb.Error as error:
        raise SourceError(f"The Parquet files cannot be read: {_first_line(error)}") from None
    finally:
        connection.close()


def _connect(files: Sequence[Path], limits: QueryLimits) -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "memory_limit": f"{limits.memory_mib}MiB",
            "threads": limits.threads,
            "temp_directory": "",
        },
    )
    paths = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
    connection.execute("SET allowed_paths = [" + paths + "]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]
