"""Why a page could not be read; what would only happen again is given up."""

from __future__ import annotations

from scrapersky.engine.outcome import Discard
from scrapersky.errors import ScraperSkyError


class ReadingError(ScraperSkyError):
    """The page could not be read."""

    failure_class = "parse_failed"


class ParseTimeout(ReadingError):
    """Reading the page took too long."""

    failure_class = "parse_timeout"


class ParseTooSlow(ParseTimeout, Discard):
    """Reading the page takes more computing time than a page may have."""


class ParseCrashed(ReadingError):
    """Reading the page ended its process."""

    failure_class = "parse_crashed"


class ParseOutOfMemory(ReadingError, Discard):
    """Reading the page takes more memory than a page may have."""

    failure_class = "parse_memory"


class ParseFailed(ReadingError, Discard):
    """Reading the page failed."""


class ReadingTooLarge(ReadingError, Discard):
    """Reading the page brought more than can be kept."""

    failure_class = "parse_too_large"
