"""Watches an answer before the HTTP parser, which forgives folded lines, lone line feeds and padding."""

from __future__ import annotations

import functools
import re
from typing import Any, cast

from aiohttp import ClientPayloadError, TCPConnector
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

# A status line, then complete lines that neither lack their carriage return nor continue the one before.
_LONE_LINE_FEED = re.compile(rb"(?<!\r)\n")
_FOLDED = re.compile(rb"\n[ \t]")
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
_BODILESS = frozenset({b"204", b"304"})
# Heads of interim answers (103 and the like) count together with the last one.
MAX_HEADS = 256 * 1024
# Chunk sizes, extensions and trailers may be this long, and beyond it no longer than what they frame.
FRAMING_ALLOWANCE = 512 * 1024


class StrictResponseProtocol(ResponseHandler):
    """aiohttp's protocol for one connection, with a stricter eye on the head and the framing."""

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self._in_head = False
        self._bodiless = False
        self._spoke_first = False
        self._refused = False
        self._head = bytearray()
        self._heads = 0
        self._wire = 0

    def set_response_params(self, **params: Any) -> None:
        self._in_head, self._bodiless = True, False
        self._head.clear()
        self._heads = self._wire = 0
        if self._spoke_first:
            self._tail = b""
        super().set_response_params(**params)
        if self._spoke_first:
            self._refuse("answered before it was asked")

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._parser is None:
            self._spoke_first = self._spoke_first or bool(data)
        elif data:
            data = self._screened(data)
            if not data:
                return
        super().data_received(data)
        self._refuse_padding()

    def _screened(self, data: bytes) -> bytes:
        if self._bodiless:
            self.force_close()
            return b""
        if not self._in_head:
            self._wire += len(data)
            return data
        return self._head_screened(data)

    def _head_screened(self, data: bytes) -> bytes:
        seen = max(0, len(self._head) - 3)
        self._head += data
        self._heads += len(data)
        while self._in_head:
            end = self._head.find(b"\r\n\r\n", seen)
            block = bytes(self._head[max(0, seen - 1) : end + 2 if end >= 0 else len(self._head)])
            if self._heads > MAX_HEADS:
                self._refuse("the headers are too large")
                return b""
            if _LONE_LINE_FEED.search(block, 1) or _FOLDED.search(block):
                self._refuse("the head of the answer is malformed")
                return b""
            if end < 0:
                return data
            self._head_ended(bytes(self._head[:16]))
            del self._head[: end + 4]
            seen = 0
        rest = len(self._head)
        self._wire = rest
        if self._bodiless and rest:
            self.force_close()
            return data[:-rest]
        return data

    def _head_ended(self, first: bytes) -> None:
        status = _STATUS.match(first)
        code = status[1] if status else b""
        self._in_head = code.startswith(b"1") and code != b"101"
        self._bodiless = code in _BODILESS

    def _refuse_padding(self) -> None:
        payload = self._payload
        if self._wire <= FRAMING_ALLOWANCE or payload is None:
            return
        framing = self._wire - payload.total_bytes
        if framing > FRAMING_ALLOWANCE + payload.total_bytes:
            payload.set_exception(ClientPayloadError("more framing than content"))
            self._refuse("more framing than content")

    def _refuse(self, why: str) -> None:
        self._refused = True
        if self.transport is not None:
            self.transport.close()
        self.set_exception(HttpProcessingError(code=400, message=why))


def screen(connector: TCPConnector) -> TCPConnector:
    """Make a connector's connections screened ones."""
    connector._factory = cast("Any", functools.partial(StrictResponseProtocol, loop=connector._loop))
    return connector
