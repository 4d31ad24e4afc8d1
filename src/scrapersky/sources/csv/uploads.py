"""Uploaded files between their preview and their import.

A browser cannot send a file again that it has sent before, and a hidden field of 10 MiB would be sent three
times. So the bytes wait in the data folder: under a name that only who knows the token can compute, readable
by nobody else, for an hour. Where several servers share no folder, the page asks for the file again.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from uuid import UUID, uuid4

from scrapersky.errors import NotFound

LIFETIME_SECONDS = 3_600
# A search reads its file when its turn comes, and again when somebody repeats it.
SEARCH_LIFETIME_SECONDS = 30 * 86_400
MAX_WAITING = 200
MAX_TOKEN = 64
CHUNK_BYTES = 1 << 16
WAITING, SEARCHED = "uploads", "search-files"


@dataclass(frozen=True, slots=True)
class Uploads:
    """The files of one tenant, in folders of its own below the data folder."""

    data_folder: Path
    tenant_id: UUID

    def save(self, content: bytes) -> str:
        """Keep the bytes; gives the token that finds them."""
        folder = self._folder(WAITING)
        _sweep(folder, LIFETIME_SECONDS)
        token = secrets.token_urlsafe(24)
        _write(self._path(token), content)
        return token

    def chunks(self, token: str) -> Iterator[bytes]:
        """The bytes in pieces."""
        path = self._path(token)
        if not path.is_file() or path.stat().st_mtime < time() - LIFETIME_SECONDS:
            raise NotFound("The file is no longer here: files wait for an hour. Choose it again")
        return _chunks(path)

    def remove(self, token: str) -> None:
        self._path(token).unlink(missing_ok=True)

    def save_for_search(self, content: bytes) -> Path:
        """A file that workers read; it stays for a month."""
        folder = self._folder(SEARCHED)
        _sweep(folder, SEARCH_LIFETIME_SECONDS)
        path = folder / f"{uuid4()}.csv"
        _write(path, content)
        return path

    def _path(self, token: str) -> Path:
        """The name is a hash: a token cannot lead out of the folder, nor to a file of another tenant."""
        name = hashlib.sha256(f"{self.tenant_id}\0{token[:MAX_TOKEN]}".encode()).hexdigest()
        return self._folder(WAITING) / f"{name}.csv"

    def path(self, name: str) -> Path:
        """The folder of waiting or of searched files; it may not exist."""
        return self.data_folder / name / str(self.tenant_id)

    def _folder(self, name: str) -> Path:
        folder = self.path(name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


def sweep_uploads(data_folder: Path) -> None:
    """Remove the files of all tenants whose time is over."""
    for name, lifetime in ((WAITING, LIFETIME_SECONDS), (SEARCHED, SEARCH_LIFETIME_SECONDS)):
        for folder in (data_folder / name).glob("*"):
            _sweep(folder, lifetime)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)


def _sweep(folder: Path, lifetime: float) -> None:
    """Remove files whose time is over, and the oldest beyond the limit."""
    files = sorted(folder.glob("*.csv"), key=_age, reverse=True)
    for at, path in enumerate(files):
        if at >= MAX_WAITING or _age(path) < time() - lifetime:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
