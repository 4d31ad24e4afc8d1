"""Reads a long JSON document value by value: memory grows with the longest value, not with the file."""

from __future__ import annotations

import json
from typing import Any, TextIO

from scrapersky.errors import SourceError

CHUNK = 2**18
# No element of OpenStreetMap is nearly as long; a broken document would otherwise be read as a whole.
MAX_VALUE = 2**25
NUMBER_LENGTH = 32
_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"


class JSONCursor:
    """A position in a JSON document; errors name the file and the character."""

    def __init__(self, file: TextIO, name: str) -> None:
        self._file, self._name = file, name
        self._buffer, self._at, self._passed = "", 0, 0

    def peek(self) -> str:
        """The next character that is not blank; empty at the end of the file."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _BLANK:
                    return self._buffer[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def expect(self, character: str) -> None:
        if (following := self.peek()) != character:
            raise self.error(
                f"expected {character!r}, found {following!r}" if following else "the file ends too early"
            )
        self._at += 1

    def value(self) -> Any:
        while True:
            if not self.peek():
                raise self.error("the file ends too early")
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                is_long = len(self._buffer) - self._at > MAX_VALUE
                if is_long or not self._fill():
                    self._at = error.pos
                    raise self.error(f"{error.msg}; is the file truncated?") from None
                continue
            except RecursionError:
                raise self.error("nested too deeply") from None
            # A number near the end of the buffer may continue.
            if len(self._buffer) - end < NUMBER_LENGTH and self._fill():
                continue
            self._at = end
            return value

    def error(self, reason: str) -> SourceError:
        return SourceError(
            f"{self._name}: invalid JSON at character {self._passed + self._at + 1:,}: {reason}"
        )

    def _fill(self) -> bool:
        """Read on; twice as much while a value does not end, so that it is not parsed too often."""
        rest = self._buffer[self._at :]
        try:
            chunk = self._file.read(max(CHUNK, len(rest)))
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{self._name} is not UTF-8: {error.reason} after character {self._passed:,}"
            ) from None
        if chunk:
            self._passed += self._at
            self._buffer, self._at = rest + chunk, 0
        return bool(chunk)
