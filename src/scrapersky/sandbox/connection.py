"""The connection to a parser process: it reports ready first, then sends one response per request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from scrapersky.sandbox.codec import HEADER
from scrapersky.sandbox.errors import ParseResultTooLarge


class Connection(asyncio.Protocol):
    """The parent's end; anything the process sends beyond its response closes the connection."""

    def __init__(self, max_result_bytes: int) -> None:
        loop = asyncio.get_running_loop()
        self._max_result_bytes = max_result_bytes
        self._transport: asyncio.Transport | None = None
        # Whether the process has loaded its modules, so that no page pays for it.
        self.ready: asyncio.Future[bool] = loop.create_future()
        self._response: asyncio.Future[tuple[int, bytes]] | None = None
        self._buffer = bytearray()

    @property
    def is_made(self) -> bool:
        return self._transport is not None

    async def request(self, call: Sequence[bytes]) -> tuple[int, bytes]:
        """The status and content of the response; ConnectionResetError when the process is gone."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionResetError
        self._response = asyncio.get_running_loop().create_future()
        self._transport.writelines([HEADER.pack(0, sum(map(len, call))), *call])
        try:
            return await self._response
        finally:
            self._response = None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if not self.ready.done():
            self.ready.set_result(True)
            data = data[1:]
        self._buffer += data
        if len(self._buffer) < HEADER.size:
            return
        status, size = HEADER.unpack_from(self._buffer)
        response, end = self._response, HEADER.size + size
        if response is None or response.done() or len(self._buffer) > end:
            self.close()
        elif size > self._max_result_bytes:
            response.set_exception(ParseResultTooLarge())
            self.close()
        elif len(self._buffer) == end:
            response.set_result((status, bytes(self._buffer[HEADER.size :])))
            self._buffer.clear()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ready.done():
            self.ready.set_result(False)
        if self._response is not None and not self._response.done():
            self._response.set_exception(ConnectionResetError())
