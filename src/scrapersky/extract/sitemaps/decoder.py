"""Decompresses and decodes the bytes of a sitemap, in bounded memory."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

PIECE = 64 * 1024
MAX_LAYERS = 2  # Some servers compress a file that was compressed already; nobody does it three times.

# Blocked gzip holds 64 KiB a member, so 50 MiB needs 800; many more are an attack on our time.
MAX_MEMBERS = 10_000

_GZIP = b"\x1f\x8b\x08"
_FIXED_HEADER, _MAX_HEADER, _TAIL = 10, 70_000, 8
_SLICE = 512
_CONTROLS = bytes(code for code in range(32) if code not in (9, 10, 13)) + b"\x7f"
_DECLARED = re.compile(
    rb"""^[^<]{0,200}+<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:\-]{1,40})""", re.I
)
# Only encodings that map bytes to text; utf-7, unicode_escape and the like are programs in disguise.
_KNOWN = re.compile(
    r"iso-?8859-?\d{1,2}|latin-?1|(?:windows|cp)-?125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc-(?:jp|kr)|shift[_-]jis|tis-620"
)
_UTF8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf16", "unicode"})


class SitemapProblem(NamedTuple):
    """What was wrong, where (bytes or characters read so far), and what became of it."""

    kind: str
    where: int
    detail: str = ""


class Decompressor:
    """Bytes with up to two layers of gzip taken off; other bytes pass unchanged."""

    def __init__(self, problems: list[SitemapProblem], *, layer: int = 0) -> None:
        self._problems = problems
        self._layer = layer
        self._head = b""
        self._is_plain = layer >= MAX_LAYERS
        # Not isal's, which is faster but swallows bytes behind the end when pieces are small.
        self._stream: Any = None
        self._is_in_tail = False
        self._count = self._checksum = self._size = 0
        self._inner: Decompressor | None = None
        self._is_over = False
        self._read = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Unpacked pieces of at most 64 KiB; a consumer that stops iterating stops the unpacking."""
        self._read += len(data)
        # In pieces, because every member copies what is left behind it.
        for piece in _pieces(data, PIECE):
            if self._is_plain:
                yield piece
            elif not self._is_over:
                yield from self._started(piece)

    def _started(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._head += data
            if len(self._head) < len(_GZIP):
                return
            data, self._head = self._head, b""
            if not data.startswith(_GZIP):
                self._is_plain = True
                yield from _pieces(data, PIECE)
                return
            self._inner = Decompressor(self._problems, layer=self._layer + 1)
        for piece in self._members(data):
            yield from self._inner.feed(piece)

    def _members(self, data: bytes) -> Iterator[bytes]:
        """The content of each gzip member; several in a row are one file, anything else behind is padding."""
        while True:
            if self._stream is not None:
                data = yield from self._inflated(data)
                if self._stream is not None or self._is_over:
                    return
            self._head += data
            if self._is_in_tail:
                if len(self._head) < _TAIL:
                    return
                if fault := gzip_tail_error(self._head[:_TAIL], self._checksum, self._size):
                    self._note(f"gzip_{fault}", f"wrong {fault} behind the gzip data")
                self._head, self._is_in_tail = self._head[_TAIL:], False
            size = gzip_header_size(self._head)
            self._is_over = size < 0
            if self._is_over and self._head.strip(b"\0"):
                self._note("gzip_trailing", "other bytes behind the gzip data")
            if size <= 0:
                return
            self._count += 1
            if self._count > MAX_MEMBERS:
                self._is_over = True
                self._note("gzip_damaged", f"more than {MAX_MEMBERS:,} parts")
                return
            data, self._head = self._head[size:], b""
            self._stream = zlib.decompressobj(wbits=-15)
            self._checksum = self._size = 0

    def _inflated(self, data: bytes) -> Generator[bytes, None, bytes]:
        """Inflate in small slices, because what a slice held before a fault is lost; give back what is left.

        The checksum behind the content is checked separately: a sitemap is kept when it is wrong.
        """
        for at in range(0, len(data), _SLICE):
            part, is_full = data[at : at + _SLICE], False
            while part or is_full:
                try:
                    piece = self._stream.decompress(part, PIECE)
                except zlib.error as error:
                    self._is_over = True
                    self._problems.append(SitemapProblem("gzip_damaged", self._read, str(error)))
                    return b""
                if piece:
                    self._checksum = zlib.crc32(piece, self._checksum)
                    self._size += len(piece)
                    yield piece
                if self._stream.eof:
                    rest: bytes = self._stream.unused_data + data[at + _SLICE :]
                    self._stream, self._is_in_tail = None, True
                    return rest
                part, is_full = self._stream.unconsumed_tail, len(piece) == PIECE
        return b""

    def _note(self, kind: str, detail: str) -> None:
        """Once for each kind, because a file may have very many members."""
        if all(known.kind != kind for known in self._problems):
            self._problems.append(SitemapProblem(kind, self._read, detail))

    def close(self) -> Iterator[bytes]:
        """What was held back, and a problem when the compressed stream ended early."""
        if self._inner is not None:
            # Zeros behind the last member are padding, however few they are.
            is_cut = self._stream is not None or self._is_in_tail or self._head.strip(b"\0")
            if is_cut and not self._is_over:
                self._problems.append(SitemapProblem("gzip_truncated", self._read))
            yield from self._inner.close()
        elif self._head:
            yield self._head


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def gzip_tail_error(tail: bytes, checksum: int, size: int) -> str:
    """What the eight bytes behind a gzip member say against its content: `checksum`, `length` or nothing."""
    if int.from_bytes(tail[:4], "little") != checksum:
        return "checksum"
    return "" if int.from_bytes(tail[4:], "little") == size & 0xFFFFFFFF else "length"


def gzip_header_size(data: bytes) -> int:
    """Length of the gzip header at the start; 0 while it is incomplete, negative when it is none."""
    if data[: len(_GZIP)] != _GZIP[: len(data)]:
        return -1
    if len(data) < _FIXED_HEADER:
        return 0
    flags, at = data[3], _FIXED_HEADER
    if flags & 4:
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    for flag in (8, 16):  # A file name and a comment, each ended by a zero.
        if flags & flag:
            end = data.find(b"\0", at)
            at = end + 1 if end >= 0 else _MAX_HEADER
    at += 2 if flags & 2 else 0
    if at <= len(data):
        return at
    return 0 if len(data) < _MAX_HEADER else -1


def _legacy_byte(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that is not UTF-8 as Windows-1252, which it nearly always is."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


LEGACY_BYTES = "scrapersky_legacy"
codecs.register_error(LEGACY_BYTES, _legacy_byte)


class SitemapDecoder:
    """Text of the unpacked bytes, without a byte-order mark and without characters that XML forbids."""

    def __init__(self, problems: list[SitemapProblem]) -> None:
        self._problems = problems
        self._head = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_wide = False
        self._was_flagged = False
        self._read = 0

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text of this piece; the first kilobyte may be held back to see what it is."""
        if self._decoder is None:
            self._head += data
            if len(self._head) < 1024 and not final:
                return ""
            data, self._head = self._head, b""
            data = self._begun(data)
        assert self._decoder is not None  # noqa: S101  For the type checker.
        self._read += len(data)
        if self._is_wide:
            return self._cleaned(self._decoder.decode(data, final))
        clean = data.translate(None, _CONTROLS)
        if len(clean) != len(data):
            self._flag()
        return self._cleaned(self._decoder.decode(clean, final))

    def _begun(self, data: bytes) -> bytes:
        name, mark = _wide_encoding(data)
        self._is_wide = bool(name)
        if not name:
            name = self._declared(data)
            mark = 3 if data.startswith(codecs.BOM_UTF8) else 0
        errors = LEGACY_BYTES if name == "utf-8" else "replace"
        self._decoder = codecs.getincrementaldecoder(name)(errors)
        return data[mark:]

    def _declared(self, data: bytes) -> str:
        match = _DECLARED.match(data[:1024].translate(None, _CONTROLS))
        name = match[1].decode("ascii").lower() if match else "utf-8"
        if name in _UTF8_NAMES:
            return "utf-8"
        if _KNOWN.fullmatch(name):
            try:
                return codecs.lookup(name).name
            except LookupError:
                pass
        self._problems.append(SitemapProblem("encoding_refused", 0, name))
        return "utf-8"

    def _cleaned(self, text: str) -> str:
        if text.isascii():
            return text.translate(_NO_CONTROLS) if self._is_wide else text
        clean = _FORBIDDEN.sub("", text) if _FORBIDDEN.search(text) else text
        if len(clean) != len(text):
            self._flag()
        return clean

    def _flag(self) -> None:
        if not self._was_flagged:
            self._was_flagged = True
            self._problems.append(SitemapProblem("forbidden_characters", self._read, "dropped"))


_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def _wide_encoding(data: bytes) -> tuple[str, int]:
    """UTF-16 or UTF-32 by mark, or UTF-16 by the zeros between the first letters; and the mark's length."""
    for mark, name in (
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return name, len(mark)
    head = data[:8]
    if len(head) == 8 and not any(head[1::2]) and all(head[::2]):
        return "utf-16-le", 0
    if len(head) == 8 and not any(head[::2]) and all(head[1::2]):
        return "utf-16-be", 0
    return "", 0
