"""The bytes of a CSV file: another format is refused by its content, the rest becomes numbered lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Literal

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "cp1252"]

SAMPLE_BYTES = 65_536
_BOMS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_FORMATS = {
    b"PK\x03\x04": "a ZIP or XLSX file",
    b"PK\x05\x06": "a ZIP file",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"RIFF": "a media file",
    b"%PDF": "a PDF file",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z file",
    b"Rar!": "a RAR file",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"{\\rtf": "an RTF file",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"SQLite format 3": "a database",
}
_MARKUP = re.compile(
    rb"\s*<(?:!--|(?:!doctype|html|head|body|meta|title|script|\?xml|svg|table|div)\b)", re.IGNORECASE
)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LINE = re.compile(rb"\r\n|\n|\r")


class CSVRefused(ValueError):
    """The file as a whole cannot be read; the message says why."""


def limited(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The chunks, up to a number of bytes; 0 means any."""
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if most and size > most:
            raise CSVRefused(f"the file is larger than the limit of {most:,} bytes")
        yield chunk


def sniffed(chunks: Iterator[bytes]) -> tuple[Encoding, Iterator[bytes]]:
    """The encoding by the beginning of the file, and the whole file without its byte order mark."""
    sample = b""
    for chunk in chunks:
        sample += chunk
        if len(sample) >= SAMPLE_BYTES:
            break
    marked = next(((bom, encoding) for bom, encoding in _BOMS if sample.startswith(bom)), None)
    if marked:
        encoding, sample = marked[1], sample.removeprefix(marked[0])
    else:
        _refuse_other_formats(sample)
        encoding = _guessed(sample)
    # The signs of markup are the same letters in every encoding, in UTF-16 with zeros between them.
    if _MARKUP.match(sample.replace(b"\x00", b"") if encoding.startswith("utf-16") else sample):
        raise CSVRefused("this is a web page or XML, not a CSV file")
    return encoding, _again(sample, chunks)


def _again(sample: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield sample
    yield from chunks


def _refuse_other_formats(sample: bytes) -> None:
    for magic, name in _OTHER_FORMATS.items():
        if sample.startswith(magic):
            raise CSVRefused(f"this is {name}, not a CSV file")


def _guessed(sample: bytes) -> Encoding:
    if len(sample) >= 4:
        odd, even = sample[1::2].count(0) / len(sample), sample[::2].count(0) / len(sample)
        if max(odd, even) > 0.25 and min(odd, even) < 0.05:
            return "utf-16-le" if odd > even else "utf-16-be"
    if len(_BINARY.findall(sample)) > max(20, len(sample) // 20):
        raise CSVRefused("this is not a text file")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def physical_lines(chunks: Iterator[bytes], encoding: Encoding, *, longest: int) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends. Of an endless line only as much is kept as is refused."""
    if encoding.startswith("utf-16"):
        chunks = _as_utf8(chunks, encoding)
    keep = 4 * longest + 4
    number, rest = 0, b""
    for chunk in chunks:
        # A line end cut in two by the chunks must not count as two.
        *lines, rest = _LINE.split(rest + chunk) if not chunk.endswith(b"\r") else _split_later(rest + chunk)
        for line in lines:
            number += 1
            yield number, _text(line[:keep], encoding)
        if len(rest) > keep:
            rest = rest[:keep] + (b"\r" if rest.endswith(b"\r") else b"")
    for line in _LINE.split(rest):
        if line:
            number += 1
            yield number, _text(line[:keep], encoding)


def _split_later(data: bytes) -> list[bytes]:
    *lines, last = _LINE.split(data[:-1])
    return [*lines, last + b"\r"]


def _as_utf8(chunks: Iterator[bytes], encoding: Encoding) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _text(line: bytes, encoding: Encoding) -> str:
    """A line that is not what the beginning of the file promised is read as the commonest other encoding."""
    if encoding != "cp1252":
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return line.decode("cp1252", "replace")
