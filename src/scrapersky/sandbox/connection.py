"""The connection to a reading process: a greeting first, then one answer to one question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from scrapersky.sandbox.codec import HEAD
from scrapersky.sandbox.failures import ReadingTooLarge


class Connection(asyncio.Protocol):
    """Ours to ask; what the process sends unasked or beyond its answer ends the connection."""

    def __init__(self, most: int) -> None:
        loop = asyncio.get_running_loop()
        self._most = most
        self._transport: asyncio.Transport | None = None
        # Whether the process said that its modules are loaded, so that no page pays for it.
        self.greeted: asyncio.Future[bool] = loop.create_future()
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._got = bytearray()

    @property
    def is_made(self) -> bool:
        return self._transport is not None

    async def ask(self, question: Sequence[bytes]) -> tuple[int, bytes]:
        """The kind and content of the answer; ConnectionResetError when the process is gone."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionResetError
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.writelines([HEAD.pack(0, sum(map(len, question))), *question])
        try:
            return await self._answer
        finally:
            self._answer = None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if not self.greeted.done():
            self.greeted.set_result(True)
            data = data[1:]
        self._got += data
        if len(self._got) < HEAD.size:
            return
        kind, size = HEAD.unpack_from(self._got)
        answer, end = self._answer, HEAD.size + size
        if answer is None or answer.done() or len(self._got) > end:
            self.close()
        elif size > self._most:
            answer.set_exception(ReadingTooLarge())
            self.close()
        elif len(self._got) == end:
            answer.set_result((kind, bytes(self._got[HEAD.size :])))
            self._got.clear()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.greeted.done():
            self.greeted.set_result(False)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionResetError())
