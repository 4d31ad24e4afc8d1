"""The overview in numbers: every list, the flow from places to contacts, and what was done over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Integer,
    Table,
    Uuid,
    case,
    cast,
    desc,
    func,
    literal,
    select,
    text,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.queries.read_model import TenantRowsQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.outcomes import OUTCOMES, best_contact, domain_outcome, outcome
from scrapersky.tables.constraints import LISTED_SINCE
from scrapersky.tables.counts import counted_rows
from scrapersky.tables.ids import first_id

PLACES, BUSINESSES, DOMAINS = tables.places_staging, tables.local_businesses, tables.domains
MAX_SEARCHES = 200
CONFIDENCE_STEPS = 10
THROUGHPUT = text("""
SELECT date_bin(CAST(:step AS interval), minute, CAST(:start AS timestamptz)) AS moment,
       sum(done)::bigint AS done, sum(failed)::bigint AS failed
FROM stage_stats WHERE minute >= :start GROUP BY 1 ORDER BY 1
""")
STAGE_THROUGHPUT = text("""
SELECT stage, date_bin(CAST(:step AS interval), minute, CAST(:start AS timestamptz)) AS moment,
       sum(done + failed)::bigint AS number
FROM stage_stats WHERE minute >= :start GROUP BY 1, 2
""")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch of time up to now, cut into equal steps; the first is a whole one."""

    start: datetime
    step: timedelta
    steps: int

    @classmethod
    def until_now(cls, step: timedelta, steps: int, now: datetime | None = None) -> TimeSpan:
        """The last step is the one that is not over yet."""
        now = now or datetime.now(UTC)
        since = now - datetime.min.replace(tzinfo=UTC)
        return cls(now - since % step - step * (steps - 1), step, steps)

    @property
    def moments(self) -> list[datetime]:
        return [self.start + self.step * place for place in range(self.steps)]

    def place(self, moment: datetime) -> int:
        return (moment - self.start) // self.step


@dataclass(slots=True)
class ListFigures:
    """One list: rows by curation status, and the rows that were added in each step of the period."""

    by_status: dict[str, int] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def to_review(self) -> int:
        return self.by_status.get(statuses.NEW, 0)


@dataclass(frozen=True, slots=True)
class FlowFigures:
    """Businesses by outcome for each table of the way, and how many began without a place or a business."""

    outcomes: dict[str, dict[str, int]]
    without_place: int
    without_business: int

    def number(self, table: Table, *names: str) -> int:
        counted = self.outcomes[table.name]
        return sum(counted.get(name, 0) for name in names)

    def total(self, table: Table) -> int:
        return sum(self.outcomes[table.name].values())

    def reached(self, table: Table, name: str) -> int:
        """Those with this outcome or a later one."""
        names = OUTCOMES[table.name]
        return self.number(table, *names[names.index(name) :])


class OverviewQuery(TenantRowsQuery):
    """The rows of one tenant, all of them or those that came from one search."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID, search_id: UUID | None = None) -> None:
        super().__init__(engine, tenant_id)
        self._search_id = search_id

    async def searches(self) -> list[dict[str, Any]]:
        """The newest searches, to choose from."""
        columns = tables.place_searches.c
        query = select(
            columns.id, columns.business_type, columns.location, columns.source, columns.created_at
        )
        mine = query.where(columns.tenant_id == self._tenant_id)
        return await self.dicts(mine.order_by(desc(columns.id)).limit(MAX_SEARCHES))

    async def is_empty(self) -> bool:
        """Whether there is nothing to show at all: no search and no row of any list."""
        any_rows = union_all(
            *(
                select(literal(1)).where(table.c.tenant_id == self._tenant_id).limit(1).subquery().select()
                for table in (tables.place_searches, *(entity.table for entity in ENTITIES.values()))
            )
        )
        return await self.first(any_rows.limit(1)) is None

    # ---- lists

    async def lists(self, span: TimeSpan) -> dict[str, ListFigures]:
        """Every curated list by the name of its entity."""
        figures = {name: ListFigures(added=[0] * span.steps) for name in ENTITIES}
        for row in await self.rows(union_all(*map(self._by_status, ENTITIES))):
            figures[row.entity].by_status[row.status] = row.number
        bounds = [first_id(moment) for moment in span.moments]
        for row in await self.rows(union_all(*(self._added(name, bounds) for name in ENTITIES))):
            figures[row.entity].added[row.place - 1] = row.number
        return figures

    def _by_status(self, name: str) -> Any:
        entity = ENTITIES[name]
        rows: Any = entity.table if self._search_id else counted_rows(entity.table.name)
        number = func.count() if self._search_id else func.sum(rows.c.number)
        status = rows.c[entity.curation_column].label("status")
        total = cast(number, Integer).label("number")
        query = select(literal(name).label("entity"), status, total)
        mine = query.where(rows.c.tenant_id == self._tenant_id, *self._in_search(entity.table))
        return mine.group_by(status).having(number != 0)

    def _added(self, name: str, bounds: Sequence[UUID]) -> Any:
        """Identifiers rise with time, so the key of the table finds and sorts the new rows."""
        table = ENTITIES[name].table
        if self._search_id is None:
            return self._added_by_range(name, bounds)
        place = func.width_bucket(table.c.id, literal(list(bounds), ARRAY(Uuid))).label("place")
        query = select(literal(name).label("entity"), place, func.count().label("number"))
        mine = table.c.tenant_id == self._tenant_id, table.c.id >= bounds[0], *self._in_search(table)
        return query.where(*mine).group_by(place)

    def _added_by_range(self, name: str, bounds: Sequence[UUID]) -> Any:
        """A count for each range of the index: with a million rows a third of the time of sorting them."""
        table = ENTITIES[name].table
        ends = [*bounds[1:], UUID(int=2**128 - 1)]
        ranges = func.unnest(literal(list(bounds), ARRAY(Uuid)), literal(ends, ARRAY(Uuid)))
        steps = ranges.table_valued("start", "end", with_ordinality="place", name=f"steps_{name}")
        steps = steps.render_derived()
        own = table.c.tenant_id == self._tenant_id, table.c.id >= steps.c.start, table.c.id < steps.c.end
        number = select(func.count()).select_from(table).where(*own).scalar_subquery().correlate(steps)
        return select(literal(name).label("entity"), steps.c.place, number.label("number"))

    def _in_search(self, table: Table) -> list[ColumnElement[bool]]:
        """The condition that the row descends from the search."""
        if self._search_id is None:
            return []
        if table is PLACES:
            return [table.c.search_id == self._search_id]
        parent, column = {
            BUSINESSES.name: (PLACES, "place_row_id"),
            DOMAINS.name: (BUSINESSES, "local_business_id"),
        }.get(table.name, (DOMAINS, "domain_id"))
        parents = select(parent.c.id).where(parent.c.tenant_id == self._tenant_id, *self._in_search(parent))
        return [table.c[column].in_(parents)]

    # ---- the flow

    async def flow(self) -> FlowFigures:
        """Businesses by how far they came. A domain that was added directly counts as one."""
        outcomes = {}
        for table, query in (
            (PLACES, self._places()),
            (BUSINESSES, self._businesses()),
            (DOMAINS, self._domains()),
        ):
            names = OUTCOMES[table.name]
            outcomes[table.name] = {names[row.rank]: row.number for row in await self.rows(query)}
        [begun] = await self.rows(self._begun_later())
        return FlowFigures(outcomes, begun.without_place, begun.without_business)

    def _places(self) -> Any:
        source: Any = PLACES if self._search_id else counted_rows(PLACES.name)
        number = func.count() if self._search_id else func.sum(source.c.number)
        rank = outcome(PLACES, source.c).label("rank")
        query = select(rank, cast(number, Integer).label("number"))
        mine = query.where(source.c.tenant_id == self._tenant_id, *self._in_search(PLACES))
        return mine.group_by(rank).having(number != 0)

    def _businesses(self) -> Any:
        rank = outcome(BUSINESSES, BUSINESSES.c).label("rank")
        query = select(rank, func.count().label("number"))
        mine = BUSINESSES.c.tenant_id == self._tenant_id, *self._in_search(BUSINESSES)
        return query.where(*mine).group_by(rank)

    def _domains(self) -> Any:
        """A business with several domains counts once, by the one that came furthest."""
        columns, contacts = DOMAINS.c, tables.contacts
        # All at once: domain by domain, the contacts of a large installation take seconds.
        best = select(contacts.c.domain_id, best_contact(contacts.c).label("rank"))
        mine = contacts.c.tenant_id == self._tenant_id, *self._in_search(contacts)
        reached = best.where(*mine).group_by(contacts.c.domain_id).subquery("reached")
        business = func.coalesce(columns.local_business_id, columns.id)
        furthest = select(func.max(domain_outcome(columns, reached.c.rank)).label("rank"))
        joined = furthest.outerjoin_from(DOMAINS, reached, reached.c.domain_id == columns.id)
        own = columns.tenant_id == self._tenant_id, *self._in_search(DOMAINS)
        ranks = joined.where(*own).group_by(business).subquery("ranks")
        return select(ranks.c.rank, func.count().label("number")).group_by(ranks.c.rank)

    def _begun_later(self) -> Any:
        if self._search_id:
            return select(literal(0).label("without_place"), literal(0).label("without_business"))
        columns = BUSINESSES.c
        businesses = select(func.count()).where(
            columns.tenant_id == self._tenant_id, columns.place_row_id.is_(None)
        )
        domains = select(func.count()).where(
            DOMAINS.c.tenant_id == self._tenant_id, DOMAINS.c.local_business_id.is_(None)
        )
        return select(
            businesses.scalar_subquery().label("without_place"),
            domains.scalar_subquery().label("without_business"),
        )

    # ---- over time

    async def throughput(self, span: TimeSpan) -> list[tuple[datetime, int, int]]:
        """Rows done and failed in each step, of the whole fleet."""
        params = {"step": span.step, "start": span.start}
        by_place = {span.place(row.moment): row for row in await self.rows(THROUGHPUT, params)}
        return [
            (moment, by_place[place].done, by_place[place].failed) if place in by_place else (moment, 0, 0)
            for place, moment in enumerate(span.moments)
        ]

    async def stage_throughput(self, span: TimeSpan) -> dict[str, list[int]]:
        """Rows that each stage ended in each step."""
        numbers: dict[str, list[int]] = defaultdict(lambda: [0] * span.steps)
        for row in await self.rows(STAGE_THROUGHPUT, {"step": span.step, "start": span.start}):
            place = span.place(row.moment)
            if place < span.steps:
                numbers[row.stage][place] = row.number
        return dict(numbers)

    # ---- what reading brings

    async def page_yield(self) -> list[dict[str, Any]]:
        """Pages read by type and how many of them showed a contact, from the row counts."""
        counts = counted_rows("pages")
        is_read = counts.c[READ_PAGE.status] == READ_PAGE.statuses.done
        has_contact = counts.c.contact_scrape_status == statuses.CONTACT_FOUND
        number = cast(func.sum(counts.c.number), Integer)
        with_contact = cast(func.coalesce(func.sum(counts.c.number).filter(has_contact), 0), Integer)
        query = select(counts.c.page_type, number.label("read"), with_contact.label("with_contact"))
        mine = query.where(counts.c.tenant_id == self._tenant_id, is_read).group_by(counts.c.page_type)
        return await self.dicts(mine.having(func.sum(counts.c.number) > 0).order_by(desc("read")))

    async def contacts_by_page_type(self) -> dict[str, int]:
        """Contacts by the type of the page that they were first read on."""
        contacts, pages = tables.contacts.c, tables.pages.c
        query = select(pages.page_type, func.count().label("number")).join_from(
            tables.contacts, tables.pages, pages.id == contacts.page_id
        )
        mine = query.where(contacts.tenant_id == self._tenant_id, *self._in_search(tables.contacts))
        return {row.page_type: row.number for row in await self.rows(mine.group_by(pages.page_type))}

    async def confidence(self) -> list[dict[str, Any]]:
        """Contacts by tenth of confidence and by what the check of the address said."""
        columns = tables.contacts.c
        step = func.least(
            cast(func.floor(func.coalesce(columns.confidence, 0) * CONFIDENCE_STEPS), Integer),
            CONFIDENCE_STEPS - 1,
        ).label("step")
        result = case(
            (columns.email.is_(None), "phone only"),
            else_=func.coalesce(columns.email_validation_result, "not checked"),
        ).label("result")
        query = select(step, result, func.count().label("number"))
        mine = columns.tenant_id == self._tenant_id, columns.created_at >= LISTED_SINCE
        matching = query.where(*mine, *self._in_search(tables.contacts)).group_by(step, result)
        return await self.dicts(matching.order_by(step))
