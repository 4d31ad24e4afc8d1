"""What becomes of one item: decided from what its function returned or raised. No I/O, no clock."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from scrapersky.log import redact

if TYPE_CHECKING:
    from scrapersky.engine.stage import EngineOptions, Item, Result

MAX_REASON_LENGTH = 1024
MAX_TRACEBACK_LENGTH = 16_000
NO_WAIT = timedelta(0)
MAX_WAIT = timedelta(hours=24)


class Snooze(Exception):
    """Not now: the row returns to the queue and the attempt is not counted.

    `wait` counts from the moment the row is written back; `until` is an instant. Pass at most one.
    """

    def __init__(
        self, reason: str = "not now", *, wait: timedelta | None = None, until: datetime | None = None
    ) -> None:
        super().__init__(reason)
        self.wait = wait
        self.until = until


class Discard(Exception):
    """Permanent: the row fails at once with this reason and becomes a dead letter."""


class RetryAfter(Exception):
    """A failure that counts as an attempt; the next one starts when the other side asked for it.

    Where the wait is our own choice (`is_asked` is false) a person may end it.
    """

    is_asked = True

    def __init__(self, reason: str, *, wait: timedelta) -> None:
        super().__init__(reason)
        self.wait = wait


class OutcomeKind(StrEnum):
    """The values are also the names of the statistics' columns and of the item states in the log."""

    DONE = "done"
    SNOOZED = "snoozed"
    RETRIED = "retried"
    FAILED = "failed"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`result` is what the function returned, if the item is done."""

    kind: OutcomeKind
    result: Result | None = None
    reason: str | None = None
    wait: timedelta = NO_WAIT
    until: datetime | None = None
    error_class: str | None = None
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class FailureNote:
    """What is stored about a row that failed permanently."""

    stage: str
    error_class: str
    reason: str
    traceback: str
    attempts: int


DONE = Outcome(OutcomeKind.DONE)
RELEASED = Outcome(OutcomeKind.RELEASED)


def reason_of(error: BaseException) -> str:
    """One line for the error column: never empty, no secrets, only characters that the column can hold."""
    text = str(error).strip() or type(error).__name__
    clean = "".join(c if c.isprintable() else " " for c in redact(text))
    return clean.encode("utf-8", "replace").decode()[:MAX_REASON_LENGTH]


def traceback_of(error: BaseException) -> str:
    """The traceback without secrets; the middle of a very long one is left out."""
    text = redact("".join(traceback.format_exception(error)))
    if len(text) > MAX_TRACEBACK_LENGTH:
        half = MAX_TRACEBACK_LENGTH // 2 - 10
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def backoff(
    retry: int,
    *,
    base: timedelta = timedelta(minutes=1),
    cap: timedelta = timedelta(hours=1),
    jitter: float = 0.2,
    chance: float = 0.0,
) -> timedelta:
    """The wait before retry number `retry` (from 1): doubling, capped, plus at most `jitter` of it."""
    factor = 1 << min(max(retry, 1) - 1, 32)
    wait = cap if base > cap / factor else base * factor
    return wait * (1 + jitter * min(max(chance, 0.0), 1.0))


def bounded_wait(wait: timedelta) -> timedelta:
    """A wait that the other side asked for, limited to a day."""
    return min(max(wait, NO_WAIT), MAX_WAIT)


def outcome_of(error: Exception, item: Item, options: EngineOptions, *, chance: float) -> Outcome:
    """Snooze and Discard decide for themselves; anything else is a retry while there are retries left."""
    name, reason = type(error).__name__, reason_of(error)
    if isinstance(error, Snooze):
        wait = bounded_wait(error.wait or NO_WAIT)
        return Outcome(OutcomeKind.SNOOZED, reason=reason, wait=wait, until=error.until, error_class=name)
    if isinstance(error, Discard) or item.retries >= item.max_retries:
        trace = traceback_of(error)
        return Outcome(OutcomeKind.FAILED, reason=reason, error_class=name, traceback=trace)
    if isinstance(error, RetryAfter):
        wait = bounded_wait(error.wait)
    else:
        wait = backoff(
            item.retries + 1,
            base=options.retry_base,
            cap=options.retry_cap,
            jitter=options.retry_jitter,
            chance=chance,
        )
    return Outcome(OutcomeKind.RETRIED, reason=reason, wait=wait, error_class=name)
