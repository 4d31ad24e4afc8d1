"""Reads hostile pages in processes that can be killed: one page a task, bounded time and memory."""

from scrapersky.reading.failures import (
    ParseCrashed,
    ParseFailed,
    ParseOutOfMemory,
    ParseTimeout,
    ParseTooSlow,
    ReadingError,
    ReadingTooLarge,
)
from scrapersky.reading.pool import Readers, ReadingLimits

__all__ = [
    "ParseCrashed",
    "ParseFailed",
    "ParseOutOfMemory",
    "ParseTimeout",
    "ParseTooSlow",
    "Readers",
    "ReadingError",
    "ReadingLimits",
    "ReadingTooLarge",
]
