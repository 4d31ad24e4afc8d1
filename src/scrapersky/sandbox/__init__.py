"""Parses hostile pages in processes that can be killed: one page per task, bounded time and memory."""

from scrapersky.sandbox.errors import (
    ParseCPULimitExceeded,
    ParseCrashed,
    ParseError,
    ParseFailed,
    ParseOutOfMemory,
    ParseResultTooLarge,
    ParseTimeout,
)
from scrapersky.sandbox.in_process import InProcessParser
from scrapersky.sandbox.pool import ParserLimits, ParserPool

__all__ = [
    "InProcessParser",
    "ParseCPULimitExceeded",
    "ParseCrashed",
    "ParseError",
    "ParseFailed",
    "ParseOutOfMemory",
    "ParseResultTooLarge",
    "ParseTimeout",
    "ParserLimits",
    "ParserPool",
]
