"""The errors of the application.

ScraperSkyError
├── FetchError         why a page could not be fetched (fetch/errors.py)
├── SourceError        why a source returned no places
├── DestinationError   why a destination accepted no contacts
├── ActionError        why an action was refused, with its HTTP status: NotFound, Conflict, InvalidInput
└── StartupError       why the program cannot start, in one line
"""

from __future__ import annotations


class ScraperSkyError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class FetchError(ScraperSkyError):
    """The page could not be fetched."""


class SourceError(ScraperSkyError):
    """The source returned no places."""


class DestinationError(ScraperSkyError):
    """The destination accepted no contacts."""


class ActionError(ScraperSkyError):
    """The action failed."""

    status = 400


class NotFound(ActionError):
    """Not found."""

    status = 404


class Conflict(ActionError):
    """The row is in a state that does not allow this."""

    status = 409


class InvalidInput(ActionError):
    """Invalid input."""

    status = 422


class StartupError(ScraperSkyError):
    """The program cannot start."""

    exit_code = 1


class DiskFull(StartupError):
    """The disk is full."""
