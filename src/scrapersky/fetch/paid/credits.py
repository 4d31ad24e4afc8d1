"""Credits of the paid tier per request, domain and day, with hard caps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from scrapersky.fetch.errors import CreditsExhausted, PermanentFailure


class TooExpensive(PermanentFailure):
    """The request would cost too many credits."""

    failure_class = "request_too_expensive"


@dataclass(frozen=True, slots=True)
class CreditCaps:
    """Hard caps: beyond them no request is made."""

    request: int = 25
    domain_per_day: int = 50
    day: int = 1000


@dataclass(frozen=True, slots=True)
class CreditAlert:
    """Credit usage that a person should know about."""

    level: str  # "warning" or "alert"
    what: str
    credits: int

    @property
    def severity(self) -> str:
        """The severity in the alerts table."""
        return "warning" if self.level == "warning" else "error"


@dataclass(frozen=True, slots=True)
class CreditAlertLevels:
    """When an alert is raised."""

    request_warning: int = 5
    request_alert: int = 10
    total_alert: int = 1000

    def of_request(self, cost: int) -> CreditAlert | None:
        if cost >= self.request_alert:
            return CreditAlert("alert", "expensive request", cost)
        if cost >= self.request_warning:
            return CreditAlert("warning", "rather expensive request", cost)
        return None

    def of_total(self, before: int, after: int) -> CreditAlert | None:
        reached = before < self.total_alert <= after
        return CreditAlert("alert", "credits used today reached the alert level", after) if reached else None


@dataclass(frozen=True, slots=True)
class CreditUsage:
    """Credits used today, for one domain and in total."""

    domain: int
    day: int


class CreditLedger(Protocol):
    """Counts credits; `book` reserves them or raises, `correct` replaces an estimate."""

    async def book(self, domain: str, cost: int, *, caps: CreditCaps) -> CreditUsage: ...

    async def correct(self, domain: str, difference: int) -> None: ...


class MemoryCreditLedger:
    """The ledger of one process."""

    def __init__(self, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._day: date | None = None
        self._total = 0
        self._domains: defaultdict[str, int] = defaultdict(int)

    async def book(self, domain: str, cost: int, *, caps: CreditCaps) -> CreditUsage:
        self._start_day()
        check_caps(caps, cost, CreditUsage(self._domains[domain], self._total), now=self._clock())
        return self._add(domain, cost)

    async def correct(self, domain: str, difference: int) -> None:
        self._start_day()
        self._add(domain, difference)

    def _add(self, domain: str, cost: int) -> CreditUsage:
        self._total = max(0, self._total + cost)
        self._domains[domain] = max(0, self._domains[domain] + cost)
        return CreditUsage(self._domains[domain], self._total)

    def _start_day(self) -> None:
        today = self._clock().date()
        if today != self._day:
            self._day, self._total = today, 0
            self._domains.clear()


def check_caps(caps: CreditCaps, cost: int, spent: CreditUsage, *, now: datetime) -> None:
    """Raise if a request of this cost would exceed a cap."""
    if cost > caps.request:
        raise TooExpensive
    if spent.domain + cost > caps.domain_per_day or spent.day + cost > caps.day:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        raise CreditsExhausted(wait=midnight - now)
