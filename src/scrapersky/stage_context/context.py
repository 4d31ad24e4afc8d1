"""The tools themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from scrapersky.stage_context.country_lookup import CountryLookup
from scrapersky.stage_context.duplicate_bodies import DuplicateBodies
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.stage_context.jobs import Jobs
from scrapersky.stage_context.limits import StageLimits
from scrapersky.stage_context.memory_limit import MemoryLimit
from scrapersky.stage_context.page_fetcher import PageFetcher

if TYPE_CHECKING:
    from scrapersky.destinations import Destination
    from scrapersky.sources import Source
    from scrapersky.stage_context.delivery_payloads import DeliveryPayloads
    from scrapersky.stage_context.email_checker import EmailChecker
    from scrapersky.stage_context.page_body_store import PageBodyStore


class Budget(Protocol):
    async def reason_to_stop(self, domain_id: UUID) -> str | None: ...


@dataclass(slots=True)
class StageContext:
    """One field for each way to the world."""

    policy: StageLimits
    web: PageFetcher
    yields: Budget
    mail: EmailChecker
    parcels: DeliveryPayloads
    bodies: PageBodyStore
    sources: Mapping[str, Source] = field(default_factory=dict)
    destinations: Mapping[str, Destination] = field(default_factory=dict)
    jobs: Jobs = field(default_factory=Jobs)
    progress: JobProgress = field(default_factory=JobProgress)
    room: MemoryLimit = field(default_factory=MemoryLimit)
    countries: CountryLookup = field(default_factory=CountryLookup)
    repeats: DuplicateBodies = field(default_factory=DuplicateBodies)
