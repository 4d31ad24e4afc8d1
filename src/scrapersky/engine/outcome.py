"""What became of one item, decided from what its function returned or raised. Pure."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import datetime, timedelta

from scrapersky.engine.backoff import asked_wait, retry_wait
from scrapersky.engine.signals import Discard, RetryAfter, Snooze
from scrapersky.engine.stage import EngineOptions, Item, Result
from scrapersky.log import redacted

LONGEST_REASON = 1024
LONGEST_TRACEBACK = 16_000
NO_WAIT = timedelta(0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` is done, later, retried, failed or given_back; `done` holds the result of the first."""

    kind: str
    done: Result | None = None
    reason: str | None = None
    wait: timedelta = NO_WAIT
    until: datetime | None = None
    error_class: str | None = None
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class FailureNote:
    """What is kept beside a row that failed for good."""

    stage: str
    error_class: str
    reason: str
    traceback: str
    attempts: int


DONE = Outcome("done")
RELEASED = Outcome("given_back")


def reason_of(error: BaseException) -> str:
    """One line for the error column: what went wrong, never empty, without characters no column can hold."""
    text = str(error).strip() or type(error).__name__
    clean = "".join(c if c.isprintable() else " " for c in redacted(text))
    return clean.encode("utf-8", "replace").decode()[:LONGEST_REASON]


def traceback_of(error: BaseException) -> str:
    """The full traceback without secrets; of an endless one the beginning and the end."""
    text = redacted("".join(traceback.format_exception(error)))
    if len(text) > LONGEST_TRACEBACK:
        half = LONGEST_TRACEBACK // 2 - 10
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def outcome_of(error: Exception, item: Item, options: EngineOptions, *, chance: float) -> Outcome:
    """Later and GiveUp say it themselves; everything else is a retry, as long as there are any left."""
    name, reason = type(error).__name__, reason_of(error)
    if isinstance(error, Snooze):
        wait = asked_wait(error.wait or NO_WAIT)
        return Outcome("later", reason=reason, wait=wait, until=error.until, error_class=name)
    if isinstance(error, Discard) or item.retries >= item.max_retries:
        return Outcome("failed", reason=reason, error_class=name, traceback=traceback_of(error))
    if isinstance(error, RetryAfter):
        return Outcome("retried", reason=reason, wait=asked_wait(error.wait), error_class=name)
    wait = retry_wait(
        item.retries + 1,
        base=options.retry_base,
        cap=options.retry_cap,
        jitter=options.retry_jitter,
        chance=chance,
    )
    return Outcome("retried", reason=reason, wait=wait, error_class=name)
