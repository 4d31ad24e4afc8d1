"""A disk that fills up: work waits below the minimum, and a server that ran out of space comes back."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from product import TENANT, USER
from scrapersky.maintenance import DiskMinimum

MIB = 2**20
SIZE, MINIMUM = 500, 100
# A job that no worker knows fails at once.
JOB = f"""
INSERT INTO jobs (tenant_id, created_by, job_type) VALUES ('{TENANT}', '{USER}', 'unknown') RETURNING id
"""
STATUS = "SELECT status FROM jobs WHERE id = $1"


@pytest.mark.parametrize(
    ("percent", "mib", "low"), [(90, 10_000_000, True), (0, 10_000_000, False), (90, 0, False)]
)
def test_the_smaller_of_share_and_size_is_the_minimum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, percent: int, mib: int, low: bool
) -> None:
    class Usage:
        total, used, free = 100 * 1024 * MIB, 20 * 1024 * MIB, 80 * 1024 * MIB

    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage)
    assert bool(DiskMinimum(tmp_path, percent, mib).shortage()) is low


@pytest.fixture
def disk(folder: Path) -> Iterator[Path]:
    """A small disk of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    small = folder / "small"
    small.mkdir()
    size = f"size={SIZE}m,mode=755"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", small], check=False).returncode:
        pytest.skip("no small disk can be made here")
    yield small
    subprocess.run(["umount", "--lazy", small], check=True)


def fill(disk: Path, *, leave: int) -> Path:
    """Take space until so many bytes are left."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as stream:
        while (free := os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize) > leave:
            with suppress(OSError):
                stream.write(b"x" * min(MIB, free - leave))
    return filler


@asynccontextmanager
async def connected(disk: Path) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(f"postgresql://scrapersky@/scrapersky?host={disk}/data/run")
    try:
        yield connection
    finally:
        connection.terminate()


async def write_ahead(connection: asyncpg.Connection, disk: Path) -> None:
    """Write to the log of the server until there is no space for its next file."""
    for _ in range(100):
        await connection.execute("SELECT pg_logical_emit_message(false, 'x', repeat('x', 1048576))")
        fill(disk, leave=0)


async def until_failed(connection: asyncpg.Connection, job: int) -> None:
    deadline = time.monotonic() + 30
    while await connection.fetchval(STATUS, job) != "failed":
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)


@pytest.mark.timed
async def test_work_waits_for_space_and_the_server_comes_back_after_disk_full(
    disk: Path, start: Callable[..., Any], ask: Callable[..., Any], free_port: Callable[[], str]
) -> None:
    port = free_port()
    given = {"MIN_FREE_DISK_MIB": str(MINIMUM), "MIN_FREE_DISK_PERCENT": "90"}
    program = start("up", DATA_FOLDER=str(disk / "data"), PORT=port, DATABASE_URL="", **given)
    ask(port, status="healthy")
    program.wait_for("worker_started")

    # Below the minimum: claims wait, and people are told.
    filler = fill(disk, leave=(MINIMUM - 10) * MIB)
    program.wait_for("disk_space_low")
    _, report = ask(port, status="degraded")
    assert report["details"]["open_alerts"][0].startswith("disk of ")
    async with connected(disk) as connection:
        job = await connection.fetchval(JOB)
        await asyncio.sleep(4)
        assert await connection.fetchval(STATUS, job) == "pending"
        filler.unlink()
        program.wait_for("disk_space_recovered")
        await until_failed(connection, job)
    ask(port, status="healthy")

    # Full to the last byte, in spite of the minimum: the server dies and cannot start.
    async with connected(disk) as connection:
        fill(disk, leave=0)
        with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
            await write_ahead(connection, disk)
    [line] = program.wait_for("database_restart_failed")[:1]
    assert "is full" in line["error"]

    # Space is back: everything is as before, with nobody's help.
    began = time.monotonic()
    filler.unlink()
    program.wait_for("database_restarted")
    ask(port, status="ready", path="/health/ready")
    assert time.monotonic() - began < 30
    async with connected(disk) as connection:
        await until_failed(connection, await connection.fetchval(JOB))
    ask(port, status="healthy")
    assert program.end() == 0
