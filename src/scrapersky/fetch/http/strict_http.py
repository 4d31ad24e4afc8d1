"""Strict checks before the HTTP parser, which tolerates folded lines, bare line feeds and padding."""

from __future__ import annotations

import functools
import re
from typing import Any, cast

from aiohttp import ClientPayloadError, TCPConnector
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

# Lines must end with CRLF and must not continue the line before.
_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")
_FOLDED = re.compile(rb"\n[ \t]")
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
_NO_BODY_STATUSES = frozenset({b"204", b"304"})
# The header blocks of interim responses (such as 103) count too.
MAX_HEADERS_BYTES = 256 * 1024
# Chunk sizes, extensions and trailers may take this much, and beyond it no more than the content.
FRAMING_ALLOWANCE = 512 * 1024


class StrictResponseProtocol(ResponseHandler):
    """aiohttp's protocol for one connection, with strict checks of header block and framing."""

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self._in_head = False
        self._has_no_body = False
        self._sent_early = False
        self._refused = False
        self._head = bytearray()
        self._heads = 0
        self._wire = 0

    def set_response_params(self, **params: Any) -> None:
        self._in_head, self._has_no_body = True, False
        self._head.clear()
        self._heads = self._wire = 0
        if self._sent_early:
            self._tail = b""
        super().set_response_params(**params)
        if self._sent_early:
            self._refuse("sent before the request")

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._parser is None:
            self._sent_early = self._sent_early or bool(data)
        elif data:
            data = self._check(data)
            if not data:
                return
        super().data_received(data)
        self._refuse_padding()

    def _check(self, data: bytes) -> bytes:
        if self._has_no_body:
            self.force_close()
            return b""
        if not self._in_head:
            self._wire += len(data)
            return data
        return self._check_head(data)

    def _check_head(self, data: bytes) -> bytes:
        seen = max(0, len(self._head) - 3)
        self._head += data
        self._heads += len(data)
        while self._in_head:
            end = self._head.find(b"\r\n\r\n", seen)
            block = bytes(self._head[max(0, seen - 1) : end + 2 if end >= 0 else len(self._head)])
            if self._heads > MAX_HEADERS_BYTES:
                self._refuse("the headers are too large")
                return b""
            if _BARE_LINE_FEED.search(block, 1) or _FOLDED.search(block):
                self._refuse("malformed header block")
                return b""
            if end < 0:
                return data
            self._head_ended(bytes(self._head[:16]))
            del self._head[: end + 4]
            seen = 0
        rest = len(self._head)
        self._wire = rest
        if self._has_no_body and rest:
            self.force_close()
            return data[:-rest]
        return data

    def _head_ended(self, first: bytes) -> None:
        status = _STATUS.match(first)
        code = status[1] if status else b""
        self._in_head = code.startswith(b"1") and code != b"101"
        self._has_no_body = code in _NO_BODY_STATUSES

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


def make_strict(connector: TCPConnector) -> TCPConnector:
    """Use the strict protocol for all connections of a connector."""
    connector._factory = cast("Any", functools.partial(StrictResponseProtocol, loop=connector._loop))
    return connector
