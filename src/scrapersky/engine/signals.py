"""What a stage's function may raise to say that its row is not done: later, or never."""

from __future__ import annotations

from datetime import datetime, timedelta


class Snooze(Exception):
    """Not now: the row goes back to the queue and the try is not counted.

    `wait` is from the moment the row is written back; `until` is an instant. At most one is given.
    """

    def __init__(
        self, reason: str = "not now", *, wait: timedelta | None = None, until: datetime | None = None
    ) -> None:
        super().__init__(reason)
        self.wait = wait
        self.until = until


class Discard(Exception):
    """Never: the row fails at once with this reason and becomes a dead letter."""


class RetryAfter(Exception):
    """A failure that counts as a try, whose next try is at the time the other side asked for.

    Where the wait is our own choice (`is_asked` is false) a person may end it.
    """

    is_asked = True

    def __init__(self, reason: str, *, wait: timedelta) -> None:
        super().__init__(reason)
        self.wait = wait
