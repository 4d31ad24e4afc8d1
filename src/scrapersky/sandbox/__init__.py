"""Reads hostile pages in processes that can be killed: one page a task, bounded time and memory."""

from scrapersky.sandbox.failures import (
    ParseCrashed,
    ParseFailed,
    ParseOutOfMemory,
    ParseTimeout,
    ParseTooSlow,
    ReadingError,
    ReadingTooLarge,
)
from scrapersky.sandbox.pool import ParserPool, ReadingLimits

__all__ = [
    "ParseCrashed",
    "ParseFailed",
    "ParseOutOfMemory",
    "ParseTimeout",
    "ParseTooSlow",
    "ParserPool",
    "ReadingError",
    "ReadingLimits",
    "ReadingTooLarge",
]
