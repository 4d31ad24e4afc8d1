"""What a host of the demo world answers to one request, before it is encoded."""

import zlib
from dataclasses import dataclass
from functools import cache

_BOMB_MIB = 256


@dataclass(frozen=True, slots=True)
class Response:
    """`mode` is what a plain answer cannot do: abort, drip, endless, busy, flaky; `delay` is in seconds."""

    status: int
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""
    modified: str = ""
    delay: float = 0.0
    mode: str = ""


def redirect(location: str, *, status: int = 301) -> Response:
    return Response(status, b"moved\n", "text/plain", (("Location", location),))


@cache
def bomb() -> bytes:
    """A gzip body of a few hundred kilobytes that unpacks to 256 MiB of blanks."""
    block = b" " * 2**20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    # A fully flushed block stands alone, so that it can be repeated without packing it again.
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(_BOMB_MIB):
        check = zlib.crc32(block, check)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    tail = b"\x03\x00" + check.to_bytes(4, "little") + (_BOMB_MIB * 2**20).to_bytes(4, "little")
    return head + piece * _BOMB_MIB + tail
