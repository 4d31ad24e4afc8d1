"""The tools themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from scrapersky.tools.countries import Countries
from scrapersky.tools.jobs import Jobs
from scrapersky.tools.policy import Policy
from scrapersky.tools.progress import Progress
from scrapersky.tools.repeats import Repeats
from scrapersky.tools.room import Room
from scrapersky.tools.web import Web

if TYPE_CHECKING:
    from scrapersky.destinations import Destination
    from scrapersky.sources import Source
    from scrapersky.tools.bodies import Bodies
    from scrapersky.tools.mail import MailCheck
    from scrapersky.tools.parcels import DeliveryPayloads


class Budget(Protocol):
    async def reason_to_stop(self, domain_id: UUID) -> str | None: ...


@dataclass(slots=True)
class StageContext:
    """One field for each way to the world."""

    policy: Policy
    web: Web
    yields: Budget
    mail: MailCheck
    parcels: DeliveryPayloads
    bodies: Bodies
    sources: Mapping[str, Source] = field(default_factory=dict)
    destinations: Mapping[str, Destination] = field(default_factory=dict)
    jobs: Jobs = field(default_factory=Jobs)
    progress: Progress = field(default_factory=Progress)
    room: Room = field(default_factory=Room)
    countries: Countries = field(default_factory=Countries)
    repeats: Repeats = field(default_factory=Repeats)
