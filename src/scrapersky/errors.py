"""Our errors.

ScraperSkyError
├── FetchError         why a request to somebody else's host brought no page (fetch/errors.py)
├── SourceError        why a source gave no places
├── DestinationError   why a destination took no contacts
├── ActionError        why what a person asked for was not done; carries its HTTP status
└── StartupError         why the program cannot start; one line for the person who started it
"""

from __future__ import annotations


class ScraperSkyError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class FetchError(ScraperSkyError):
    """The page could not be fetched."""


class SourceError(ScraperSkyError):
    """The source gave no places."""


class DestinationError(ScraperSkyError):
    """The destination took nothing."""


class ActionError(ScraperSkyError):
    """That could not be done."""

    status = 400


class NotFound(ActionError):
    """There is no such row."""

    status = 404


class Conflict(ActionError):
    """The row is not in a state that allows this."""

    status = 409


class InvalidInput(ActionError):
    """The input is not valid."""

    status = 422


class StartupError(ScraperSkyError):
    """The program cannot start."""

    exit_code = 1


class DiskFull(StartupError):
    """The disk is full."""
