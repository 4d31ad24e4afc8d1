"""Servers on loopback that take alerts: one that speaks HTTP, one that speaks SMTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import Message
from typing import Any


class Hook:
    """What a webhook was sent, and how it answers; without an answer it only listens."""

    def __init__(self, answer: bytes | None = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") -> None:
        self.answer, self.port = answer, 0
        self.got: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/services/T0/hush-hush"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        self.got.append(json.loads(await reader.readexactly(length)))
        if self.answer is None:
            await reader.read()
        else:
            writer.write(self.answer)
            await writer.drain()
        writer.close()


class Post:
    """A mail server that takes everything, or hangs after its greeting."""

    def __init__(self, *, hangs: bool = False) -> None:
        self.port, self.hangs = 0, hangs
        self.mails: list[Message] = []
        self.said: list[str] = []
        self.left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip():
            self.said.append(line)
            word = line.split(":")[0].split()[0].upper()
            if self.hangs:
                await reader.read()
                break
            if word == "DATA":
                writer.write(b"354 go on\r\n")
                data = await reader.readuntil(b"\r\n.\r\n")
                self.mails.append(message_from_bytes(data[:-3], policy=policy.default))
            answers = {
                "EHLO": b"250-here\r\n250 AUTH PLAIN\r\n",
                "AUTH": b"235 in\r\n",
                "QUIT": b"221 bye\r\n",
            }
            writer.write(answers.get(word, b"250 fine\r\n"))
            if word == "QUIT":
                break
        writer.close()
        self.left.set()


@asynccontextmanager
async def listening(*servers: Hook | Post) -> AsyncIterator[None]:
    started = [await asyncio.start_server(one.serve, "127.0.0.1", 0) for one in servers]
    for one, server in zip(servers, started, strict=True):
        one.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        for server in started:
            server.close()
