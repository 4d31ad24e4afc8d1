"""Files that are sent with a form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

CHUNK_BYTES = 1 << 16


def upload_chunks(file: BinaryIO) -> Iterator[bytes]:
    """The content from here to the end, piece by piece."""
    while chunk := file.read(CHUNK_BYTES):
        yield chunk
