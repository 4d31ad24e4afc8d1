"""A whole database as text in which every writing is decoded: compressed, JSON, Base64, URL and HTML.

It shares no code with the product: it must find what the product overlooks.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import html
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_plus
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.fetch.http.zstd import zstd

_TOKEN = re.compile(rb"[A-Za-z0-9+/_-]{8,}={0,2}")
_JSON_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_HEX = re.compile(r"\\x([0-9a-f]{16,})")


def decoded(data: bytes, depth: int = 3) -> Iterator[str]:
    """The data in lower case, and everything that decoding it once or several times gives."""
    written = data.decode(errors="replace")
    yield written.lower()
    if depth == 0:
        return
    forms = {
        html.unescape(written),
        unquote_plus(written),
        _JSON_ESCAPE.sub(lambda match: chr(int(match[1], 16)), written),
    } - {written}
    for form in forms:
        yield from decoded(form.encode(), depth - 1)
    for token in _TOKEN.findall(data):
        for start in range(4):
            part = token[start:].rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
            part = part[: len(part) - (len(part) % 4 == 1)]
            try:
                inner = base64.b64decode(part + b"=" * (-len(part) % 4))
            except binascii.Error:
                continue
            yield inner.decode(errors="replace").lower()
    for match in _HEX.findall(written):
        inner = bytes.fromhex(match)
        with contextlib.suppress(zstd.ZstdError):
            inner = zstd.decompress(inner)
        yield from decoded(inner, depth - 1)


async def places_of(engine: AsyncEngine, needle: str, tenant: UUID | None = None) -> set[str]:
    """The tables in which the needle stands, in any writing; of one tenant or of all."""
    found = set()
    async with engine.connect() as connection:
        for table in tables.metadata.sorted_tables:
            condition = ""
            if tenant is not None:
                if "tenant_id" not in table.c:
                    continue
                condition = f" WHERE tenant_id = '{tenant}'"
            rows = await connection.scalars(text(f"SELECT t::text FROM {table.name} t{condition}"))
            for row in rows:
                if any(needle in form for form in decoded(row.encode())):
                    found.add(table.name)
    return found


def files_with(folder: Path, needle: str) -> set[str]:
    """The files below the folder in which the needle stands; parts of archives are decompressed."""
    found = set()
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        parts = [path.read_bytes()]
        if zipfile.is_zipfile(io.BytesIO(parts[0])):
            with zipfile.ZipFile(path) as archive:
                parts = [archive.read(name) for name in archive.namelist()]
        if any(needle in form for part in parts for form in decoded(part)):
            found.add(path.name)
    return found
