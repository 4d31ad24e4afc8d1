"""The errors of the application.

ScraperSkyError
├── FetchError         why a page could not be fetched (fetch/errors.py)
├── SourceError        why a source returned no places
├── DestinationError   why a destination accepted no contacts
├── ActionError        why an action was refused, with its HTTP status: NotFound, Conflict, Stale, …
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
    """The action failed.

    `details` are more facts for programs, such as the expected and the actual number of rows.
    """

    status = 400
    title = "Malformed request"

    def __init__(self, message: str = "", **details: object) -> None:
        super().__init__(message)
        self.details = details


class Unauthorized(ActionError):
    """Nobody is known by this password, key or link."""

    status = 401
    title = "Unauthorized"


class NotFound(ActionError):
    """Not found."""

    status = 404
    title = "Not found"


class Forbidden(ActionError):
    """This is not allowed."""

    status = 403
    title = "Forbidden"


class Conflict(ActionError):
    """The row is in a state that does not allow this."""

    status = 409
    title = "Conflict"


class Stale(ActionError):
    """The row has changed since it was read."""

    status = 412
    title = "Precondition failed"


class InvalidInput(ActionError):
    """Invalid input."""

    status = 422
    title = "Invalid input"


class TooManyRequests(ActionError):
    """Too many requests; `retry_after` is a number of seconds."""

    status = 429
    title = "Too many requests"

    def __init__(self, message: str = "", *, retry_after: int = 1, **details: object) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class StartupError(ScraperSkyError):
    """The program cannot start."""

    exit_code = 1


class DiskFull(StartupError):
    """The disk is full."""
