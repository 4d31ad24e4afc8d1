"""Backups: pg_dump's custom format with a checksum at its end, verified before a restore."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote, urlencode, urlsplit

from alembic.script import ScriptDirectory

from scrapersky.database import database_address, open_database, prepare_backup, prepare_restore
from scrapersky.embedded import find_binaries
from scrapersky.errors import StartupError
from scrapersky.processes.supervisor import ends_with_parent
from scrapersky.settings import Settings
from scrapersky.settings.database_url import libpq_parameters
from scrapersky.tables.migrate import alembic_config
from scrapersky.wiring import apply_suppression_log

# pg_restore ignores what follows its own data, so it can read the file without us.
SEAL = b"\nscrapersky backup, sha256 of all before: "
SEAL_LENGTH = len(SEAL) + 64 + 1
CHUNK_BYTES = 2**20
OWNER_POLICY = re.compile(r"\d+; \d+ \d+ POLICY \w+ \w+ owner\b")


async def _tool(name: str, *arguments: str, database: str = "", output: IO[bytes] | None = None) -> bytes:
    """Run a program of PostgreSQL; its last error line becomes ours."""
    target, secrets = _libpq(database) if database else ("", {})
    process = await asyncio.create_subprocess_exec(
        _program(name, target),
        *(["-d", target] if target else []),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output or asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **secrets},
        preexec_fn=ends_with_parent(),
    )
    try:
        out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if process.returncode:
        reason = errors.decode(errors="replace").strip().splitlines()
        raise StartupError(f"{name}: {reason[-1] if reason else f'ended with {process.returncode}'}")
    return out


def _program(name: str, target: str) -> str:
    """The bundled program; it has no TLS, so where TLS is required, the one of the system."""
    if not any(f"sslmode={mode}" in target for mode in ("require", "verify-ca", "verify-full")):
        return str(find_binaries() / name)
    if on_path := shutil.which(name):
        return on_path
    raise StartupError(f"A {name} with TLS is needed: install the PostgreSQL client programs of your system")


def _libpq(url: str) -> tuple[str, dict[str, str]]:
    """SQLAlchemy's address for libpq; the password goes into the environment, where `ps` does not show it."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    query = libpq_parameters(parts.query)
    secrets = {"PGPASSWORD": query.pop("password", "") or unquote(password)}
    address = (
        f"postgresql://{name}{'@' if user else ''}{host}{parts.path}?{urlencode(query, quote_via=quote)}"
    )
    return address.rstrip("?"), secrets if secrets["PGPASSWORD"] else {}


async def back_up(settings: Settings, file: Path, *, force: bool = False) -> int:
    """Write a backup that only its owner can read; gives its size in bytes.

    It is written to a temporary file and renamed when it is complete; only `force` replaces an existing one.
    """
    _check_target(file, force=force)
    async with database_address(settings) as url:
        await prepare_backup(url)
        try:
            # mkstemp opens with O_EXCL and mode 0600, so it never writes to an existing file or link.
            descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:100]}.")
        except OSError as error:
            raise StartupError(f"{file} cannot be written: {error.strerror}") from None
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w+b") as stream:
                # An owner who is not a superuser is subject to the policies too; its own shows every row.
                arguments = "-Fc", "--no-owner", "--enable-row-security"
                await _tool("pg_dump", *arguments, database=url, output=stream)
                size = await asyncio.to_thread(_seal, stream)
            _put_in_place(temporary, file, force=force)
        except OSError as error:
            raise StartupError(f"{file} cannot be written: {error.strerror}") from None
        finally:
            _remove(temporary)
    return size


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)


def _check_target(file: Path, *, force: bool) -> None:
    """Check before the work begins; `_put_in_place` checks again at the end."""
    try:
        kind = stat.S_IFMT(file.lstat().st_mode)
    except OSError:
        return
    if not force:
        raise StartupError(f"{file} already exists; use --force to replace it")
    if kind not in (stat.S_IFREG, stat.S_IFLNK):
        raise StartupError(f"{file} is not a regular file")


def _put_in_place(temporary: Path, file: Path, *, force: bool) -> None:
    """Give the finished file its name. A link at that name is replaced, never followed."""
    if not force:
        try:
            os.link(temporary, file, follow_symlinks=False)
        except FileExistsError:
            raise StartupError(f"{file} already exists; use --force to replace it") from None
        except OSError:
            # A file system without hard links: the check is then not atomic.
            _check_target(file, force=force)
        else:
            return
    temporary.replace(file)


async def restore(settings: Settings, file: Path) -> None:
    """Verify the whole file, then replace the database by it in one transaction."""
    await asyncio.to_thread(_check_seal, file)
    _check_revision(file, await _tool("pg_restore", "--data-only", "-t", "alembic_version", "-f-", str(file)))
    with tempfile.NamedTemporaryFile("w", suffix=".list") as entries:
        entries.write(await _entries_to_restore(file))
        entries.flush()
        async with database_address(settings) as url:
            await prepare_restore(url)
            arguments = ["--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error"]
            await _tool("pg_restore", *arguments, "-L", entries.name, str(file), database=url)
    # Whoever was suppressed or erased after the backup was made is in it again.
    async with open_database(settings, migrated=True) as engine:
        await apply_suppression_log(settings, engine)


async def _entries_to_restore(file: Path) -> str:
    """The backup's list of contents without the policies of its owner: the migration makes those of ours."""
    listed = (await _tool("pg_restore", "-l", str(file))).decode()
    return "\n".join(line for line in listed.splitlines() if not OWNER_POLICY.match(line))


def _digest(stream: IO[bytes], size: int) -> bytes:
    digest = hashlib.sha256()
    while size > 0 and (chunk := stream.read(min(CHUNK_BYTES, size))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest().encode()


def _seal(stream: IO[bytes]) -> int:
    """Append the checksum and sync; gives the size of the whole file."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    digest = _digest(stream, size)
    stream.seek(size)
    stream.write(SEAL + digest + b"\n")
    stream.flush()
    os.fsync(stream.fileno())
    return size + SEAL_LENGTH


def _check_seal(file: Path) -> None:
    """Verify the checksum, because pg_restore does not notice most damage."""
    try:
        size = file.stat().st_size - SEAL_LENGTH
        with file.open("rb") as stream:
            stream.seek(max(size, 0))
            end = stream.read()
            stream.seek(0)
            digest = _digest(stream, size)
        if not end.startswith(SEAL):
            raise StartupError(f"{file} is not a complete backup made by `scrapersky db backup`")
        if digest != end[len(SEAL) :].strip():
            raise StartupError(f"{file} is damaged: its checksum does not match")
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}") from None


def _check_revision(file: Path, versions: bytes) -> None:
    """A backup of a newer version must not replace what this version can read."""
    known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    if not known & set(versions.decode(errors="replace").splitlines()):
        raise StartupError(f"{file} was created by a newer version of the program; upgrade the program")
