"""The connection to a parser process: one response per request, and nothing else is accepted."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvloop

from scrapersky.sandbox import ParseResultTooLarge
from scrapersky.sandbox.codec import HEADER, OK
from scrapersky.sandbox.connection import Connection

MAX_RESULT_BYTES = 2**20


@asynccontextmanager
async def joined() -> AsyncIterator[tuple[Connection, socket.socket]]:
    """A connection that is ready, and the other end of it."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    connection = Connection(MAX_RESULT_BYTES)
    await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=ours)
    try:
        await send(theirs, b"!")
        assert await connection.ready
        yield connection, theirs
    finally:
        connection.close()
        theirs.close()


async def send(theirs: socket.socket, *pieces: bytes) -> None:
    for piece in pieces:
        await asyncio.get_running_loop().sock_sendall(theirs, piece)
        await asyncio.sleep(0.01)


def response(content: bytes) -> bytes:
    return HEADER.pack(OK, len(content)) + content


async def test_a_request_is_sent_whole_and_its_response_arrives_in_any_pieces() -> None:
    async with joined() as (connection, theirs):
        for content in (b"", b"short", b"x" * MAX_RESULT_BYTES):
            request = asyncio.create_task(connection.request([b"ab", b"cde"]))
            await asyncio.sleep(0.01)
            assert theirs.recv(100) == HEADER.pack(0, 5) + b"abcde"
            whole = response(content)
            await send(theirs, whole[:1], whole[1:7], whole[7:11], whole[11:])

            assert await asyncio.wait_for(request, 5) == (OK, content)


async def test_a_response_above_the_limit_is_refused_by_its_header() -> None:
    async with joined() as (connection, theirs):
        request = asyncio.create_task(connection.request([b"?"]))
        await asyncio.sleep(0.01)
        await send(theirs, HEADER.pack(OK, MAX_RESULT_BYTES + 1))

        with pytest.raises(ParseResultTooLarge):
            await asyncio.wait_for(request, 5)
        await assert_closed(connection)


async def test_an_unsolicited_response_closes_the_connection() -> None:
    async with joined() as (connection, theirs):
        await send(theirs, response(b"not asked"))

        await assert_closed(connection)


async def test_bytes_beyond_the_response_close_the_connection() -> None:
    async with joined() as (connection, theirs):
        request = asyncio.create_task(connection.request([b"?"]))
        await asyncio.sleep(0.01)
        await send(theirs, response(b"right") + b"and more")

        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(request, 5)


async def test_a_process_that_exits_is_noticed_at_once() -> None:
    async with joined() as (connection, theirs):
        request = asyncio.create_task(connection.request([b"?"]))
        await asyncio.sleep(0.01)
        await send(theirs, response(b"half")[:-2])
        theirs.close()

        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(request, 5)


async def assert_closed(connection: Connection) -> None:
    """A further request fails because the other side is gone."""
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(connection.request([b"?"]), 5)


@pytest.mark.parametrize(
    "test",
    [
        test_a_request_is_sent_whole_and_its_response_arrives_in_any_pieces,
        test_a_response_above_the_limit_is_refused_by_its_header,
        test_an_unsolicited_response_closes_the_connection,
        test_bytes_beyond_the_response_close_the_connection,
        test_a_process_that_exits_is_noticed_at_once,
    ],
)
def test_the_same_holds_on_uvloop(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    uvloop.run(test())
