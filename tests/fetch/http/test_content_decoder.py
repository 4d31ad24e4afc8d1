"""Undoing compression: whole bodies come out whole, bombs and broken streams end early (B6)."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from hostile import bombs
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.fetch.errors import BadEncoding, TooLarge
from scrapersky.fetch.http.content_decoder import BoundedBody
from scrapersky.fetch.http.zstd import zstd

MIB = 2**20


def bare_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


PACKERS = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
    "none": ("", bytes),
    "identity": ("identity", bytes),
}


def unpacked(coding: str, wire: bytes, *, limit: int = 5 * MIB, step: int = 65_536) -> tuple[bytes, bool]:
    body = BoundedBody(coding, limit)
    out = bytearray()
    for start in range(0, len(wire), step):
        for piece in body.pieces(wire[start : start + step]):
            out += piece
        if body.truncated:
            break
    body.finish()
    return bytes(out), body.truncated


@pytest.mark.parametrize("name", PACKERS)
@given(content=st.binary(max_size=5000), step=st.sampled_from([1, 3, 100, 65_536]))
def test_what_was_packed_comes_out_whatever_the_pieces(name: str, content: bytes, step: int) -> None:
    coding, pack = PACKERS[name]
    assert unpacked(coding, pack(content), step=step) == (content, False)


@pytest.mark.parametrize("name", PACKERS)
def test_a_body_is_cut_at_its_limit_and_says_so(name: str) -> None:
    coding, pack = PACKERS[name]
    content = b"".join(b"<li>%d</li>" % (n * 7919) for n in range(20_000))

    assert unpacked(coding, pack(content), limit=1000) == (content[:1000], True)
    assert unpacked(coding, pack(content), limit=len(content)) == (content, False)
    assert unpacked(coding, pack(content), limit=len(content) - 1) == (content[:-1], True)


@pytest.mark.parametrize("name", ["gzip", "deflate", "bare deflate", "br", "zstd"])
def test_a_stream_that_stops_in_the_middle_is_an_error(name: str) -> None:
    coding, pack = PACKERS[name]
    with pytest.raises(BadEncoding):
        unpacked(coding, pack(bytes(range(256)) * 50)[:-9])


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_not_what_its_header_says_is_an_error(name: str) -> None:
    with pytest.raises(BadEncoding):
        unpacked(PACKERS[name][0], b"<!doctype html><p>plain</p>")


@pytest.mark.parametrize("name", ["gzip", "deflate", "zstd"])
def test_garbage_after_the_stream_is_skipped(name: str) -> None:
    coding, pack = PACKERS[name]
    assert unpacked(coding, pack(b"content") + b"\0\0garbage" * 1000) == (b"content", False)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_streams_in_a_row_are_one_body(name: str) -> None:
    coding, pack = PACKERS[name]
    assert unpacked(coding, pack(b"one") + pack(b"") + pack(b"two"), step=5) == (b"onetwo", False)


@pytest.mark.parametrize(
    "coding", ["gzip, gzip", "br,gzip", ", ".join(["gzip"] * 64), "lzma", "gzip;q=1", "\x00"]
)
def test_layers_and_unknown_codings_are_refused(coding: str) -> None:
    with pytest.raises(BadEncoding):
        BoundedBody(coding, MIB)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_too_large(name: str) -> None:
    with pytest.raises(TooLarge):
        unpacked(name, bombs(64)[name])


def test_countless_members_are_refused() -> None:
    with pytest.raises(BadEncoding):
        unpacked("gzip", bombs(64)["gzip-members"])


def test_a_stream_that_brings_nothing_is_refused_when_it_outgrows_the_limit() -> None:
    empty_blocks = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\x00\x00\x00\xff\xff" * 100_000
    with pytest.raises(TooLarge):
        unpacked("gzip", empty_blocks, limit=100_000)


CONTENT = b"<p>Telefon 030 1234567</p>" * 500
GOOD = gzip.compress(CONTENT, mtime=0)


@pytest.mark.parametrize("size", [1, 100, 1_000_000])
@pytest.mark.parametrize(
    ("raw", "damage"),
    [
        (GOOD, ""),
        (GOOD + b"\0" * 20, ""),
        (GOOD[:-8] + b"\0" * 4 + GOOD[-4:], "wrong checksum"),
        (GOOD[:-8] + b"\xff" * 8, "wrong checksum"),
        (GOOD[:-4] + b"\0" * 4, "wrong length"),
        (GOOD[:-3], "end of the compressed response is missing"),
        (GOOD[:-8], "end of the compressed response is missing"),
        (GOOD + b"<!-- served by a cache -->", "extra bytes"),
        (GOOD + gzip.compress(b"")[:-8] + b"\1" * 8, "wrong checksum"),
        (GOOD + gzip.compress(b"")[:-2], "end of the compressed response is missing"),
        (GOOD + b"\x1f\x8b\x08\x00 broken", "later part"),
    ],
)
def test_a_wrong_end_of_gzip_is_flagged_and_the_content_kept(raw: bytes, damage: str, size: int) -> None:
    body = BoundedBody("gzip", 10**6)
    out = b"".join(piece for at in range(0, len(raw), size) for piece in body.pieces(raw[at : at + size]))
    body.finish()
    assert out.startswith(CONTENT)
    assert damage in body.damage
    assert bool(damage) is bool(body.damage)
