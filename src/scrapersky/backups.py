"""Backups: pg_dump's custom format, checked before it replaces anything."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from scrapersky.app import database_address, database_state
from scrapersky.embedded import binaries
from scrapersky.errors import StartError
from scrapersky.settings import Settings


async def _tool(name: str, *arguments: str) -> bytes:
    """Run one of PostgreSQL's own programs; its complaint becomes ours."""
    program = binaries() / name
    process = await asyncio.create_subprocess_exec(
        str(program), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, complaint = await process.communicate()
    if process.returncode:
        reason = complaint.decode(errors="replace").strip().splitlines()
        raise StartError(f"{name}: {reason[-1] if reason else f'ended with {process.returncode}'}")
    return out


def _libpq(url: str) -> str:
    """SQLAlchemy's address as libpq wants it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(scheme="postgresql"))


async def back_up(settings: Settings, file: Path) -> int:
    """Write a backup that only its owner can read; a half-written one never stands under its final name."""
    unfinished = file.with_name(file.name + ".unfinished")
    async with database_address(settings) as url:
        os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        try:
            await _tool("pg_dump", "-Fc", "--no-owner", "-f", str(unfinished), _libpq(url))
            await asyncio.to_thread(unfinished.replace, file)
        finally:
            unfinished.unlink(missing_ok=True)
    return (await asyncio.to_thread(file.stat)).st_size


async def restore(settings: Settings, file: Path) -> None:
    """Check the file whole, then replace the database by it in one transaction."""
    listed = await _tool("pg_restore", "--list", str(file))
    if b"alembic_version" not in listed:
        raise StartError(f"{file} is not a backup of ScraperSky")
    # Reading every byte finds a truncated or damaged file before anything is overwritten.
    await _tool("pg_restore", "--file", os.devnull, str(file))
    async with database_address(settings) as url:
        target = _libpq(url)
        arguments = ["--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error"]
        await _tool("pg_restore", *arguments, "-d", target, str(file))
    await database_state(settings, migrated=True)
