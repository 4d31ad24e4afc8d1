"""The connection to a reading process: one answer to one question, and nothing else is listened to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvloop

from scrapersky.sandbox import ReadingTooLarge
from scrapersky.sandbox.codec import DONE, HEAD
from scrapersky.sandbox.connection import Connection

MOST = 2**20


@asynccontextmanager
async def joined() -> AsyncIterator[tuple[Connection, socket.socket]]:
    """A connection that was greeted, and the other end of it."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    connection = Connection(MOST)
    await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=ours)
    try:
        await said(theirs, b"!")
        assert await connection.greeted
        yield connection, theirs
    finally:
        connection.close()
        theirs.close()


async def said(theirs: socket.socket, *pieces: bytes) -> None:
    for piece in pieces:
        await asyncio.get_running_loop().sock_sendall(theirs, piece)
        await asyncio.sleep(0.01)


def answer(content: bytes) -> bytes:
    return HEAD.pack(DONE, len(content)) + content


async def test_a_question_goes_out_whole_and_its_answer_comes_back_in_any_pieces() -> None:
    async with joined() as (connection, theirs):
        for content in (b"", b"short", b"x" * MOST):
            asked = asyncio.create_task(connection.ask([b"ab", b"cde"]))
            await asyncio.sleep(0.01)
            assert theirs.recv(100) == HEAD.pack(0, 5) + b"abcde"
            whole = answer(content)
            await said(theirs, whole[:1], whole[1:7], whole[7:11], whole[11:])

            assert await asyncio.wait_for(asked, 5) == (DONE, content)


async def test_an_answer_above_the_limit_is_refused_by_its_head() -> None:
    async with joined() as (connection, theirs):
        asked = asyncio.create_task(connection.ask([b"?"]))
        await asyncio.sleep(0.01)
        await said(theirs, HEAD.pack(DONE, MOST + 1))

        with pytest.raises(ReadingTooLarge):
            await asyncio.wait_for(asked, 5)
        await left(connection)


async def test_what_is_said_unasked_ends_the_connection() -> None:
    async with joined() as (connection, theirs):
        await said(theirs, answer(b"not asked"))

        await left(connection)


async def test_more_than_the_answer_ends_the_connection_and_is_no_answer() -> None:
    async with joined() as (connection, theirs):
        asked = asyncio.create_task(connection.ask([b"?"]))
        await asyncio.sleep(0.01)
        await said(theirs, answer(b"right") + b"and more")

        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(asked, 5)


async def test_a_process_that_goes_away_is_noticed_at_once() -> None:
    async with joined() as (connection, theirs):
        asked = asyncio.create_task(connection.ask([b"?"]))
        await asyncio.sleep(0.01)
        await said(theirs, answer(b"half")[:-2])
        theirs.close()

        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(asked, 5)


async def left(connection: Connection) -> None:
    """Whoever asks now learns that the other side is gone."""
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(connection.ask([b"?"]), 5)


@pytest.mark.parametrize(
    "test",
    [
        test_a_question_goes_out_whole_and_its_answer_comes_back_in_any_pieces,
        test_an_answer_above_the_limit_is_refused_by_its_head,
        test_what_is_said_unasked_ends_the_connection,
        test_more_than_the_answer_ends_the_connection_and_is_no_answer,
        test_a_process_that_goes_away_is_noticed_at_once,
    ],
)
def test_the_same_holds_on_uvloop(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    uvloop.run(test())
