"""How long a row waits before its next try: pure functions; chance is given from outside."""

from __future__ import annotations

from datetime import timedelta

LONGEST_WAIT = timedelta(hours=24)


def retry_wait(
    retry: int,
    *,
    base: timedelta = timedelta(minutes=1),
    cap: timedelta = timedelta(hours=1),
    jitter: float = 0.2,
    chance: float = 0.0,
) -> timedelta:
    """The wait before retry number `retry` (from 1): doubling, capped, longer by at most `jitter`."""
    times = 1 << min(max(retry, 1) - 1, 32)
    wait = cap if base > cap / times else base * times
    return wait * (1 + jitter * min(max(chance, 0.0), 1.0))


def asked_wait(wait: timedelta) -> timedelta:
    """What the other side asked for, between nothing and a day."""
    return min(max(wait, timedelta(0)), LONGEST_WAIT)
