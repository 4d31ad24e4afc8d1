"""Decodes the bytes of a CSV file into numbered lines; other formats are refused by their content."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from scrapersky.extract.html.charset import codec_for
from scrapersky.extract.sitemaps.decoder import LEGACY_BYTES
from scrapersky.sources.csv.encodings import LEGACY, Guess, guess_legacy

SAMPLE_BYTES = 65_536
MAX_NOTES = 1_000
MAX_LINE_LENGTH = 100_000
_BOMS: tuple[tuple[bytes, str], ...] = (
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


class InvalidCSV(ValueError):
    """The file as a whole cannot be read; the message says why."""


def limit_size(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """The chunks, up to a number of bytes; 0 means any."""
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if limit and size > limit:
            raise InvalidCSV(f"the file is larger than the limit of {limit:,} bytes")
        yield chunk


class SniffedFile(NamedTuple):
    """How a file is read: its encoding, whether that is beyond doubt, and the file without its mark."""

    encoding: str
    is_sure: bool
    chunks: Iterator[bytes]


def sniff_file(chunks: Iterator[bytes], encoding: str = "") -> SniffedFile:
    """The encoding by the beginning of the file, unless it was chosen, and the whole file."""
    chosen = _chosen(encoding) if encoding else ""
    sample = b""
    for chunk in chunks:
        sample += chunk
        if len(sample) >= SAMPLE_BYTES:
            break
    marked = next(((bom, name) for bom, name in _BOMS if sample.startswith(bom)), None)
    if marked:
        guess, sample = Guess(marked[1], is_sure=True), sample.removeprefix(marked[0])
    else:
        _refuse_other_formats(sample)
        guess = Guess(chosen, is_sure=True) if chosen else _guessed(sample)
    if chosen and marked and chosen != marked[1]:
        raise InvalidCSV(f"the file is marked as {marked[1]}, but {encoding} was chosen")
    # The signs of markup are the same letters in every encoding, in UTF-16 with zeros between them.
    if _MARKUP.match(sample.replace(b"\x00", b"") if guess.encoding.startswith("utf-16") else sample):
        raise InvalidCSV("this is a web page or XML, not a CSV file")
    return SniffedFile(guess.encoding, guess.is_sure, _again(sample, chunks))


def _chosen(label: str) -> str:
    """The codec of an encoding that somebody named as browsers or Python do."""
    codec = codec_for(label)
    if codec is None:
        with suppress(LookupError, ValueError):
            name = codecs.lookup(label).name.removesuffix("-sig")
            codec = codec_for(name) or (name if name in LEGACY else None)
    if codec in (None, "replacement", "x-user-defined"):
        raise InvalidCSV(
            f"unknown encoding {label[:50]!r}; expected a name such as utf-8, cp1250, shift_jis or gbk"
        )
    return str(codec)


def _again(sample: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield sample
    yield from chunks


def _refuse_other_formats(sample: bytes) -> None:
    for magic, name in _OTHER_FORMATS.items():
        if sample.startswith(magic):
            raise InvalidCSV(f"this is {name}, not a CSV file")


def _guessed(sample: bytes) -> Guess:
    if len(sample) >= 4:
        odd, even = sample[1::2].count(0) / len(sample), sample[::2].count(0) / len(sample)
        if max(odd, even) > 0.25 and min(odd, even) < 0.05:
            return Guess("utf-16-le" if odd > even else "utf-16-be", is_sure=True)
    if len(_BINARY.findall(sample)) > max(20, len(sample) // 20):
        raise InvalidCSV("this is not a text file")
    # Line by line, so that one bad byte does not decide for the whole file. The last line may be cut.
    lines = _LINE.split(sample)
    foreign = [line for line in lines[: -1 if len(sample) >= SAMPLE_BYTES else None] if not line.isascii()]
    wrong = sum(not _is_utf8(line) for line in foreign)
    return Guess("utf-8", is_sure=not wrong) if 2 * wrong <= len(foreign) else guess_legacy(sample)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def split_lines(
    chunks: Iterator[bytes], encoding: str, *, longest: int, notes: list[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends. Of an endless line only as much is kept as is refused.

    `notes` gets the lines with bytes that the encoding does not have.
    """
    if encoding.startswith("utf-16"):
        chunks, encoding = _as_utf8(chunks, encoding), "utf-8"
    keep = 4 * longest + 4
    number, rest = 0, b""
    for chunk in chunks:
        # A line end cut in two by the chunks must not count as two.
        *lines, rest = _LINE.split(rest + chunk) if not chunk.endswith(b"\r") else _split_later(rest + chunk)
        for line in lines:
            number += 1
            yield number, _text(line[:keep], encoding, number, notes)
        if len(rest) > keep:
            rest = rest[:keep] + (b"\r" if rest.endswith(b"\r") else b"")
    for line in _LINE.split(rest):
        if line:
            number += 1
            yield number, _text(line[:keep], encoding, number, notes)


def read_text_lines(data: bytes) -> list[str]:
    """The lines of a text file that is not a table, empty ones included."""
    file, notes = sniff_file(iter([data])), list[tuple[int, str]]()
    return [line for _, line in split_lines(file.chunks, file.encoding, longest=MAX_LINE_LENGTH, notes=notes)]


def _split_later(data: bytes) -> list[bytes]:
    *lines, last = _LINE.split(data[:-1])
    return [*lines, last + b"\r"]


def _as_utf8(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _text(line: bytes, encoding: str, number: int, notes: list[tuple[int, str]]) -> str:
    """The text of a line. What is not in the encoding costs no other line, and is noted with its place."""
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        note = f"byte {error.start + 1} ({line[error.start]:#04x}) is not {encoding}"
        text, instead = _repaired(line, encoding)
    if len(notes) < MAX_NOTES:
        notes.append((number, f"{note}; {instead}"))
    return text


def _repaired(line: bytes, encoding: str) -> tuple[str, str]:
    """A line that is not what the file promised: of another encoding as a whole, or with a few bad bytes."""
    if encoding != "utf-8":
        return line.decode(encoding, "replace"), "replaced by \ufffd"
    if line.decode("utf-8", "ignore").isascii():
        other = guess_legacy(line).encoding
        return line.decode(other, "replace"), f"the line was read as {other}"
    return line.decode("utf-8", LEGACY_BYTES), "that byte was read as cp1252"
