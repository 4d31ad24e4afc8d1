"""The watch over raw answers: it sees the same wherever the network cuts them (B21, HTTP-16)."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp.http_exceptions import HttpProcessingError

from scrapersky.fetch.http.strict_http import StrictResponseProtocol

GOOD = (
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nX-A: one\r\nContent-Length: 7\r\n\r\n\nbody\n "
)
BAD = {
    "lone line feed": b"HTTP/1.1 200 OK\r\nX-A: one\nContent-Length: 2\r\n\r\nok",
    "folded": b"HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\nok",
    "folded by tab": b"HTTP/1.1 200 OK\r\nX-A: one\r\n\ttwo\r\nContent-Length: 2\r\n\r\nok",
    "second head": b"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: a\n b\r\n\r\n",
}


async def answered(*pieces: bytes, before: bytes = b"") -> tuple[int, bytes]:
    handler = StrictResponseProtocol(asyncio.get_running_loop())
    if before:
        handler.data_received(before)
    handler.set_response_params(auto_decompress=False)
    for piece in pieces:
        handler.data_received(piece)
    while True:
        message, payload = await handler.read()
        if message.code >= 200:
            return message.code, await payload.read()


async def test_a_good_answer_passes_wherever_it_is_cut() -> None:
    for at in range(len(GOOD) + 1):
        assert await answered(GOOD[:at], GOOD[at:]) == (200, b"\nbody\n "), at
    assert await answered(*(GOOD[n : n + 1] for n in range(len(GOOD)))) == (200, b"\nbody\n ")


@pytest.mark.parametrize("name", BAD)
async def test_a_malformed_head_is_refused_wherever_it_is_cut(name: str) -> None:
    wire = BAD[name]
    for at in range(len(wire)):
        with pytest.raises(HttpProcessingError):
            await answered(wire[:at], wire[at:])
    with pytest.raises(HttpProcessingError):
        await answered(*(wire[n : n + 1] for n in range(len(wire))))


async def test_an_answer_before_the_question_is_refused() -> None:
    with pytest.raises(HttpProcessingError):
        await answered(before=GOOD)


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
async def test_what_follows_an_answer_without_a_body_is_dropped(status: bytes) -> None:
    wire = (
        b"HTTP/1.1 " + status + b"\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    )
    for at in range(20, len(wire)):
        assert await answered(wire[:at], wire[at:]) == (int(status[:3]), b"")
