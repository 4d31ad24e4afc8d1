"""Fetchers for tests: every name leads to one loopback port, with hardly any rate limit."""

from __future__ import annotations

import os
from typing import Any

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.egress.test_overrides import parse_connect_to, parse_egress_allow
from scrapersky.fetch.limits import FetchOptions, Limits, user_agent_for
from scrapersky.fetch.politeness.robots_cache import RobotsStore
from scrapersky.fetch.politeness.slots import LocalHostSlots, RateLimit

AGENT = user_agent_for("ops@example.com")
QUICK = Limits(deadline=2.0, first_byte=1.0, connect=1.0)
NO_WAIT = RateLimit(delay=0.0, errors_before_pause=10**9)


def open_fetcher(
    port: int,
    *,
    rate_limit: RateLimit = NO_WAIT,
    robots_store: RobotsStore | None = None,
    allow: str | None = None,
    connect_to: str | None = None,
    **options: Any,
) -> Fetcher:
    settings = FetchOptions(
        AGENT,
        egress_allow=parse_egress_allow(f"127.0.0.1:{port}" if allow is None else allow),
        connect_to=parse_connect_to(f"::127.0.0.1:{port}" if connect_to is None else connect_to),
        **options,
    )
    return Fetcher(settings, slots=LocalHostSlots(rate_limit), robots_store=robots_store)


def resident_kib() -> int:
    """The peak memory of this process, which never falls."""
    with open(f"/proc/{os.getpid()}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
