"""What became of one item, decided from what its function returned or raised. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from scrapersky.engine.backoff import asked_wait, retry_wait
from scrapersky.engine.signals import GiveUp, Later, RetryAfter
from scrapersky.engine.stage import Done, Item, Options

LONGEST_REASON = 1024
NO_WAIT = timedelta(0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` is done, later, retried, failed or given_back; `done` holds the result of the first."""

    kind: str
    done: Done | None = None
    reason: str | None = None
    wait: timedelta = NO_WAIT
    until: datetime | None = None
    error_class: str | None = None


DONE = Outcome("done")
GIVEN_BACK = Outcome("given_back")


def reason_of(error: BaseException) -> str:
    """One line for the error column: what went wrong, never empty, without characters no column can hold."""
    text = str(error).strip() or type(error).__name__
    clean = "".join(c if c.isprintable() else " " for c in text)
    return clean.encode("utf-8", "replace").decode()[:LONGEST_REASON]


def outcome_of(error: Exception, item: Item, options: Options, *, chance: float) -> Outcome:
    """Later and GiveUp say it themselves; everything else is a retry, as long as there are any left."""
    name, reason = type(error).__name__, reason_of(error)
    if isinstance(error, Later):
        wait = asked_wait(error.wait or NO_WAIT)
        return Outcome("later", reason=reason, wait=wait, until=error.until, error_class=name)
    if isinstance(error, GiveUp) or item.retries >= item.max_retries:
        return Outcome("failed", reason=reason, error_class=name)
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
