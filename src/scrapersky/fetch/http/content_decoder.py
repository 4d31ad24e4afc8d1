"""Decodes gzip, deflate, br and zstd in small pieces, so that no body exceeds its limit in memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import brotli

from scrapersky.extract.sitemaps.decoder import MAX_MEMBERS, gzip_header_size, gzip_tail_error
from scrapersky.fetch.errors import BadEncoding, TooLarge
from scrapersky.fetch.http.zstd import zstd

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

PIECE = 64 * 1024
# Input is decoded in slices, so that a decompression bomb is detected early.
SLICE = 4 * 1024
GZIP_TAIL = 8  # Checksum and length behind the content of a gzip member.
# RFC 9659 sets the largest window of the content coding to 8 MiB.
ZSTD_WINDOW_LOG = 23
# Text compresses some fifty times at best; a higher ratio beyond the limit is a decompression bomb.
BOMB_RATIO = 100


_BROKEN = (zlib.error, zstd.ZstdError, EOFError, ValueError)


class Decoder(Protocol):
    """Decodes one encoding: `pieces` yields at most PIECE bytes, `ended` is whether the stream is complete.

    `damage` describes a defect of a stream that could still be decoded.
    """

    damage: str

    def pieces(self, raw: bytes) -> Iterator[bytes]: ...

    def ended(self) -> bool: ...


class Identity:
    """No encoding."""

    damage = ""

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        yield raw

    def ended(self) -> bool:
        return True


class Members:
    """gzip and zstd: one stream after another; bytes after the last one are skipped."""

    def __init__(self, magic: bytes, open_member: Callable[[], Any]) -> None:
        self._magic = magic
        self._open = open_member
        self._member: Any = None
        self._count = 0
        self._garbage = False
        self.damage = ""

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        pending = raw
        while not self._garbage and (pending or self._member):
            if self._member is None and not self._begins_member(pending):
                return
            out = self._step(pending)
            if out:
                yield out
            self.damage = self.damage or getattr(self._member, "damage", "")
            if self._member is None or self._member.eof:
                pending = b"" if self._member is None else self._member.unused_data
                self._member = None
            else:
                pending = self._left_over()
                if not pending and len(out) < PIECE:
                    return

    def _begins_member(self, pending: bytes) -> bool:
        if self._count and not pending.startswith(self._magic):
            self._garbage = True
            if pending.strip(b"\0"):
                self.damage = self.damage or "extra bytes after the compressed response"
            return False
        self._count += 1
        if self._count > MAX_MEMBERS:
            raise BadEncoding("the compressed response has too many parts")
        self._member = self._open()
        return True

    def _step(self, pending: bytes) -> bytes:
        try:
            return bytes(self._member.decompress(pending, PIECE))
        except _BROKEN as why:
            if self._count == 1:
                raise BadEncoding("the compressed response is corrupt") from why
            self._member, self._garbage = None, True
            self.damage = self.damage or "a later part of the compressed response is corrupt"
            return b""

    def _left_over(self) -> bytes:
        # zstd buffers the rest itself; gzip returns it.
        return bytes(getattr(self._member, "unconsumed_tail", b""))

    def ended(self) -> bool:
        if self._member is None:
            return True
        is_readable = self._count > 1 or getattr(self._member, "has_content", False)
        if is_readable:
            self.damage = self.damage or "the end of the compressed response is missing"
        return is_readable


class _GzipMember:
    """One gzip member with the interface of zlib's objects.

    A wrong checksum or length is recorded, not raised: browsers show such content too.
    """

    def __init__(self) -> None:
        self._head = self._tail = b""
        self._stream: Any = None
        self._checksum = self._size = 0
        self.has_content = self.eof = False
        self.unused_data = self.unconsumed_tail = b""
        self.damage = ""

    def decompress(self, data: bytes, limit: int) -> bytes:
        if self._stream is None:
            self._head += data
            size = gzip_header_size(self._head)
            if size < 0:
                raise ValueError("not gzip")
            if size == 0:
                return b""
            data, self._head = self._head[size:], b""
            self._stream = zlib.decompressobj(wbits=-15)
        if self.has_content:
            self._end(data)
            return b""
        out = bytes(self._stream.decompress(data, limit))
        self._checksum = zlib.crc32(out, self._checksum)
        self._size += len(out)
        self.unconsumed_tail = self._stream.unconsumed_tail
        if self._stream.eof:
            self.has_content, self.unconsumed_tail = True, b""
            self._end(self._stream.unused_data)
        return out

    def _end(self, data: bytes) -> None:
        self._tail += data
        if len(self._tail) >= GZIP_TAIL:
            tail, self.unused_data = self._tail[:GZIP_TAIL], self._tail[GZIP_TAIL:]
            self.eof = True
            if fault := gzip_tail_error(tail, self._checksum, self._size):
                self.damage = f"the compressed response has a wrong {fault}"


class Deflate:
    """zlib, or raw deflate that some servers send under its name."""

    damage = ""

    def __init__(self) -> None:
        self._stream: Any = None

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        pending = raw
        while raw:
            out, pending = self._step(pending)
            if out:
                yield out
            if self._stream.eof or (not pending and len(out) < PIECE):
                return

    def _step(self, pending: bytes) -> tuple[bytes, bytes]:
        if self._stream is None:
            self._stream = zlib.decompressobj(15 if _looks_like_zlib(pending) else -15)
        if self._stream.eof:
            return b"", b""
        try:
            out = self._stream.decompress(pending, PIECE)
        except zlib.error as why:
            raise BadEncoding("the compressed response is corrupt") from why
        return out, self._stream.unconsumed_tail

    def ended(self) -> bool:
        return self._stream is None or bool(self._stream.eof)


def _looks_like_zlib(head: bytes) -> bool:
    return head[0] & 0x0F == 8 and (len(head) < 2 or (head[0] * 256 + head[1]) % 31 == 0)


class Brotli:
    """br, which can compress a gigabyte of zeros to a kilobyte."""

    damage = ""

    def __init__(self) -> None:
        self._stream: Any = None

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        if self._stream is None and raw:
            self._stream = brotli.Decompressor()
        pending = raw
        while self._stream is not None and not self._stream.is_finished():
            out = self._step(pending)
            pending = b""
            if out:
                yield out
            if self._stream.can_accept_more_data():
                return

    def _step(self, pending: bytes) -> bytes:
        try:
            return bytes(self._stream.process(pending, output_buffer_limit=PIECE))
        except brotli.error as why:
            raise BadEncoding("the compressed response is corrupt") from why

    def ended(self) -> bool:
        return self._stream is None or bool(self._stream.is_finished())


def _zstd_frame() -> Any:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "": Identity,
    "identity": Identity,
    "gzip": lambda: Members(b"\x1f", _GzipMember),
    "x-gzip": lambda: Members(b"\x1f", _GzipMember),
    "deflate": Deflate,
    "br": Brotli,
    "zstd": lambda: Members(b"\x28", _zstd_frame),
}


def make_decoder(content_encoding: str) -> Decoder:
    """The decoder of an encoding; several layers and unknown encodings are rejected."""
    layers = [part.strip().lower() for part in content_encoding[:200].split(",")]
    coded = [layer for layer in layers if layer not in ("", "identity")]
    if len(coded) > 1 or len(content_encoding) > 200:
        raise BadEncoding("the response is compressed more than once")
    make = _DECODERS.get(coded[0] if coded else "")
    if make is None:
        raise BadEncoding("unknown content encoding")
    return make()


class BoundedBody:
    """A decoder that stops at the limit."""

    def __init__(self, content_encoding: str, limit: int) -> None:
        self._decoder = make_decoder(content_encoding)
        self._coded = not isinstance(self._decoder, Identity)
        self._limit = limit
        self._wire = 0
        self.size = 0
        self.truncated = False

    @property
    def damage(self) -> str:
        """A defect of the compression of a body that could still be decoded; valid after `finish`."""
        return self._decoder.damage

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        step = SLICE if self._coded else max(len(raw), 1)
        for start in range(0, len(raw), step):
            part = raw[start : start + step]
            self._wire += len(part)
            yield from self._cut(self._decoder.pieces(part))
            if self._coded and not self.truncated and self._wire > self._limit + PIECE:
                raise TooLarge
            if self.truncated:
                return

    def _cut(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            room = self._limit - self.size
            self.truncated = len(piece) > room
            kept = piece[:room] if self.truncated else piece
            self.size += len(kept)
            if kept:
                yield kept
            if self.truncated:
                self._refuse_bomb()
                return

    def _refuse_bomb(self) -> None:
        if self._coded and self.size > self._wire * BOMB_RATIO:
            raise TooLarge("response too large after decompression")

    def finish(self) -> None:
        """Call after the last raw byte; an incomplete stream is an error."""
        if not self.truncated and not self._decoder.ended():
            raise BadEncoding("the compressed response is incomplete")
