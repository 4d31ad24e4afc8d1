"""What a stage may reach the world with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar
from uuid import UUID

from scrapersky.engine.outcome import Discard
from scrapersky.stage_context.auto_delivery import AutoDelivery
from scrapersky.stage_context.country_lookup import CountryLookup
from scrapersky.stage_context.duplicate_bodies import DuplicateBodies
from scrapersky.stage_context.handover import HandOver
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.stage_context.limits import StageLimits
from scrapersky.stage_context.memory_limit import MemoryLimit
from scrapersky.stage_context.page_cache import HomeLinks, HomePageReports
from scrapersky.stage_context.suppression_check import SuppressionCheck

if TYPE_CHECKING:
    from scrapersky.actions.schedules.exports import Exporter
    from scrapersky.fetch.paid.language_model import LanguageModel
    from scrapersky.sources import Source
    from scrapersky.stage_context.delivery_payloads import DeliveryPayloads
    from scrapersky.stage_context.delivery_sender import DeliverySender
    from scrapersky.stage_context.email_checker import EmailChecker
    from scrapersky.stage_context.eraser import Eraser
    from scrapersky.stage_context.jobs import JobType
    from scrapersky.stage_context.legacy import LegacyImport
    from scrapersky.stage_context.page_body_store import PageBodyStore
    from scrapersky.stage_context.page_fetcher import PageFetcher

P = ParamSpec("P")
R = TypeVar("R")


class Budget(Protocol):
    async def exhausted(self, domain_id: UUID, *, ignore_empty_pages: bool = False) -> str | None: ...

    def record(
        self, domain_id: UUID, page_id: UUID, contacts: Iterable[str | None], *, is_ordinary: bool
    ) -> None: ...


class Parser(Protocol):
    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...


@dataclass(slots=True)
class StageContext:
    """Built by the wiring; tests fill it with fakes.

    `fetch` brings pages, `parser` runs extraction in the sandbox, `budget` says when a domain has had enough
    requests, and `handover` whether what a stage writes is queued for the next one.
    """

    system_user_id: UUID
    fetch: PageFetcher
    parser: Parser
    budget: Budget
    mail: EmailChecker
    payloads: DeliveryPayloads
    sender: DeliverySender
    page_bodies: PageBodyStore
    limits: StageLimits = field(default_factory=StageLimits)
    handover: HandOver = field(default_factory=HandOver)
    auto_delivery: AutoDelivery = field(default_factory=AutoDelivery)
    sources: Mapping[str, Source] = field(default_factory=dict)
    job_types: Mapping[str, JobType] = field(default_factory=dict)
    progress: JobProgress = field(default_factory=JobProgress)
    memory_limit: MemoryLimit = field(default_factory=MemoryLimit)
    countries: CountryLookup = field(default_factory=CountryLookup)
    suppressions: SuppressionCheck = field(default_factory=SuppressionCheck)
    eraser: Eraser | None = None
    exporter: Exporter | None = None
    language_model: LanguageModel | None = None
    duplicates: DuplicateBodies = field(default_factory=DuplicateBodies)
    home_links: HomeLinks = field(default_factory=HomeLinks)
    home_page_reports: HomePageReports = field(default_factory=HomePageReports)
    legacy: LegacyImport | None = None
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    async def read(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a pure function on untrusted bytes in the sandbox."""
        return await self.parser.run(function, *args, **kwargs)

    def source(self, name: str) -> Source:
        if name not in self.sources:
            raise Discard(f"Invalid source {name!r}; expected one of {', '.join(self.sources) or 'none'}")
        return self.sources[name]

    def now(self) -> datetime:
        return self.clock()
