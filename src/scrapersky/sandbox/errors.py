"""Why a page could not be parsed; what would only happen again is discarded."""

from __future__ import annotations

from scrapersky.engine.outcome import Discard
from scrapersky.errors import ScraperSkyError


class ParseError(ScraperSkyError):
    """The page could not be parsed."""

    failure_class = "parse_failed"


class ParseTimeout(ParseError):
    """Parsing the page took too long."""

    failure_class = "parse_timeout"


class ParseCPULimitExceeded(ParseTimeout, Discard):
    """Parsing the page took more CPU time than the limit."""


class ParseCrashed(ParseError):
    """The parser process crashed on the page."""

    failure_class = "parse_crashed"


class ParseOutOfMemory(ParseError, Discard):
    """Parsing the page took more memory than the limit."""

    failure_class = "parse_memory"


class ParseFailed(ParseError, Discard):
    """Parsing the page failed."""


class ParseResultTooLarge(ParseError, Discard):
    """Parsing the page gave a result that is larger than the limit."""

    failure_class = "parse_too_large"
