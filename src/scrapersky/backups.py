"""Backups: pg_dump's custom format with a seal at its end, checked before it replaces anything."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from alembic.script import ScriptDirectory

from scrapersky.embedded import binaries
from scrapersky.errors import StartError
from scrapersky.opening import database_address, database_state
from scrapersky.settings import Settings
from scrapersky.tables.migrate import alembic_config

# pg_restore reads no further than its own data, so the file stays readable without us.
SEAL = b"\nscrapersky backup, sha256 of all before: "
SEAL_LENGTH = len(SEAL) + 64 + 1
PIECE = 2**20


async def _tool(name: str, *arguments: str, database: str = "") -> bytes:
    """Run one of PostgreSQL's own programs; its complaint becomes ours."""
    target, secrets = _libpq(database) if database else ("", {})
    process = await asyncio.create_subprocess_exec(
        str(binaries() / name),
        *(["-d", target] if target else []),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **secrets},
    )
    out, complaint = await process.communicate()
    if process.returncode:
        reason = complaint.decode(errors="replace").strip().splitlines()
        raise StartError(f"{name}: {reason[-1] if reason else f'ended with {process.returncode}'}")
    return out


def _libpq(url: str) -> tuple[str, dict[str, str]]:
    """SQLAlchemy's address as libpq wants it; the password goes apart, where `ps` does not show it."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    query = [("sslmode" if key == "ssl" else key, value) for key, value in parse_qsl(parts.query)]
    address = f"postgresql://{name}{'@' if user else ''}{host}{parts.path}?{urlencode(query)}"
    return address.rstrip("?"), {"PGPASSWORD": unquote(password)} if password else {}


async def back_up(settings: Settings, file: Path) -> int:
    """Write a backup that only its owner can read; a half-written one never stands under its final name."""
    unfinished = file.with_name(file.name + ".unfinished")
    async with database_address(settings) as url:
        try:
            os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
            await _tool("pg_dump", "-Fc", "--no-owner", "-f", str(unfinished), database=url)
            await asyncio.to_thread(_seal, unfinished)
            await asyncio.to_thread(unfinished.replace, file)
        except OSError as error:
            raise StartError(f"{file} cannot be written: {error.strerror}") from None
        finally:
            unfinished.unlink(missing_ok=True)
    return (await asyncio.to_thread(file.stat)).st_size


async def restore(settings: Settings, file: Path) -> None:
    """Check the file whole, then replace the database by it in one transaction."""
    await asyncio.to_thread(_check_seal, file)
    _check_revision(file, await _tool("pg_restore", "--data-only", "-t", "alembic_version", "-f-", str(file)))
    async with database_address(settings) as url:
        arguments = ["--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error"]
        await _tool("pg_restore", *arguments, str(file), database=url)
    await database_state(settings, migrated=True)


def _digest(file: Path, size: int) -> bytes:
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while size > 0 and (piece := stream.read(min(PIECE, size))):
            found.update(piece)
            size -= len(piece)
    return found.hexdigest().encode()


def _seal(file: Path) -> None:
    digest = _digest(file, file.stat().st_size)
    with file.open("ab") as stream:
        stream.write(SEAL + digest + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def _check_seal(file: Path) -> None:
    """pg_restore would not notice most damage: a single changed bit is found here."""
    try:
        size = file.stat().st_size - SEAL_LENGTH
        with file.open("rb") as stream:
            stream.seek(max(size, 0))
            end = stream.read()
        if not end.startswith(SEAL):
            raise StartError(f"{file} is not a whole backup made by `scrapersky db backup`")
        if _digest(file, size) != end[len(SEAL) :].strip():
            raise StartError(f"{file} is damaged: it is not what was backed up")
    except OSError as error:
        raise StartError(f"{file} cannot be read: {error.strerror}") from None


def _check_revision(file: Path, told: bytes) -> None:
    """A backup of a newer version must not replace what this version can read."""
    known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    if not known & set(told.decode(errors="replace").splitlines()):
        raise StartError(f"{file} was made by a newer version of the program; update the program")
