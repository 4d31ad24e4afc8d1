"""How the rows of each original table become rows here: mapped, completed, and merged with what is there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import md5
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import BaseModel

from scrapersky import tables
from scrapersky.extract.contacts import EXTRACTOR_VERSION
from scrapersky.extract.urls import read_host, read_url
from scrapersky.stage_context.jobs import JobRun
from scrapersky.stage_context.legacy.target import LegacyTarget
from scrapersky.stages.run_job.import_legacy import columns
from scrapersky.stages.run_job.import_legacy.legacy_row import LegacyRow
from scrapersky.storage import ContactUpsert, Update, Upsert

# The columns by which a row is the same as another, by table.
KEYS = {
    tables.place_searches: ("id",),
    tables.places_staging: ("place_id", "source"),
    tables.local_businesses: ("place_id", "source"),
    tables.domains: ("domain",),
    tables.jobs: ("job_id",),
    tables.sitemap_files: ("domain_id", "url_hash"),
    tables.pages: ("domain_id", "url_hash"),
    tables.contacts: ("domain_id", "email"),
}
# What a duplicate adds where the kept row has nothing.
FILLED = {
    tables.domains: ("title", "description", "local_business_id", "notes"),
    tables.local_businesses: ("phone", "website_url"),
    tables.contacts: ("phone_number", "name"),
}
# Ids of rows that had a number, or an id that another tenant has.
NAMESPACE = uuid5(NAMESPACE_URL, "scrapersky:import_legacy")
NO_ID = UUID(int=0)


class TableCounts(BaseModel):
    """What became of the rows of record table; `changed` ones are among the imported."""

    source: int
    imported: int = 0
    existing: int = 0
    merged: int = 0
    refused: int = 0
    changed: int = 0

    @property
    def seen(self) -> int:
        return self.imported + self.existing + self.merged + self.refused


@dataclass(slots=True)
class Draft:
    """A row that should be here. `key` are the values of KEYS; `known_id` is the id that it had."""

    record: LegacyRow
    key: tuple[Any, ...]
    known_id: UUID | None
    values: dict[str, Any]
    row_id: UUID = NO_ID


@dataclass(slots=True)
class LegacySlice:
    """The rows that record run writes, and its figures."""

    job: JobRun
    target: LegacyTarget
    counts: TableCounts
    name: str
    rows: list[Any] = field(default_factory=list)

    @property
    def tenant_id(self) -> UUID:
        return UUID(str(self.job.item.tenant_id))

    @property
    def now(self) -> datetime:
        return self.job.context.now()

    def records(self, rows: Sequence[dict[str, Any]]) -> list[LegacyRow]:
        return [LegacyRow(row, self.now) for row in rows]

    def refuse(self, record: LegacyRow, reason: str) -> None:
        self.counts.refused += 1
        self._note(record, "refused", reason)

    def _note(self, record: LegacyRow, outcome: str, reason: str) -> None:
        values = {"job_id": self.job.item.row.job_id, "table_name": self.name, "legacy_id": record.legacy_id}
        note = {**values, "outcome": outcome, "reason": reason[:1_000]}
        self.rows.append(Upsert(tables.import_notes, note))

    async def store(self, table: Any, drafts: Sequence[Draft]) -> None:
        """Add what is not here yet; each row gets the id that it has here in the end."""
        await self._choose_ids(table, drafts)
        known = await self.target.ids(table, self.tenant_id, KEYS[table], [draft.key for draft in drafts])
        for draft in drafts:
            if (here := known.get(draft.key)) is None:
                known[draft.key] = draft.row_id
                self._add(table, draft)
            elif here == draft.row_id:
                self.counts.existing += 1
            else:
                draft.row_id = here
                self._merge(table, draft, here)

    async def _choose_ids(self, table: Any, drafts: Sequence[Draft]) -> None:
        known_id = [draft.known_id for draft in drafts if draft.known_id]
        taken = await self.target.taken(table, self.tenant_id, known_id)
        for draft in drafts:
            name = f"{self.tenant_id} {self.name} {draft.record.legacy_id}"
            is_kept = draft.known_id is not None and draft.known_id not in taken
            draft.row_id = draft.known_id if draft.known_id and is_kept else uuid5(NAMESPACE, name)
            if KEYS[table] in (("id",), ("job_id",)):
                draft.key = (draft.row_id,)

    def _add(self, table: Any, draft: Draft) -> None:
        self.counts.imported += 1
        if draft.record.changes:
            self.counts.changed += 1
            self._note(draft.record, "changed", "; ".join(draft.record.changes))
        created_by = {"created_by": self.job.item.row.created_by} if "created_by" in table.c else {}
        id_name = "job_id" if table is tables.jobs else "id"
        values = {id_name: draft.row_id, **created_by, **draft.values}
        self.rows.append(_contact(values) if table is tables.contacts else Upsert(table, values))

    def _merge(self, table: Any, draft: Draft, here: UUID) -> None:
        self.counts.merged += 1
        self._note(draft.record, "merged", f"the same as {here}")
        for name in FILLED.get(table, ()):
            if (value := draft.values.get(name)) is not None:
                self.rows.append(Update(table, here, {name: value}, {name: None}))

    async def domain_ids(self, records: Sequence[LegacyRow]) -> dict[str, UUID]:
        """Our ids of the domains that the rows belong to, by the name that the original has for each."""
        names = {
            str(name): read_host(str(name)).host for record in records if (name := record.value("_domain"))
        }
        keys = [(host,) for host in set(names.values()) if host]
        known = await self.target.ids(tables.domains, self.tenant_id, ("domain",), keys)
        return {name: known[(host,)] for name, host in names.items() if (host,) in known}


def _contact(values: dict[str, Any]) -> ContactUpsert:
    """Stored as those of a page are, so that what was deleted or suppressed stays away."""
    rest = dict(values)
    keys = {name: rest.pop(name) for name in ("domain_id", "page_id", "email")}
    return ContactUpsert(
        keys["domain_id"],
        keys["page_id"],
        keys["email"],
        rest.pop("phone_number"),
        rest,
        (),
        EXTRACTOR_VERSION,
    )


def url_key(url: str) -> UUID:
    """The column `url_hash`, as the database computes it."""
    return UUID(md5(url.encode(), usedforsecurity=False).hexdigest())


async def import_searches(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    drafts = [Draft(record, (), record.uuid("id"), columns.search(record)) for record in records]
    await part.store(tables.place_searches, drafts)


async def import_places(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    search_ids = [(search_id,) for record in records if (search_id := record.uuid("search_job_id"))]
    known = await part.target.ids(tables.place_searches, part.tenant_id, ("id",), search_ids)
    drafts = []
    for record in records:
        values = columns.place(record)
        if not values["place_id"]:
            part.refuse(record, "it has no place id")
            continue
        search_id = known.get((record.uuid("search_job_id"),))
        key = (values["place_id"], values["source"])
        drafts.append(Draft(record, key, None, {**values, "search_id": search_id}))
    await part.store(tables.places_staging, drafts)


async def import_businesses(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    mapped = [(record, columns.business(record)) for record in records]
    keys = [(values["place_id"], values["source"]) for _, values in mapped]
    places = await part.target.ids(tables.places_staging, part.tenant_id, ("place_id", "source"), keys)
    drafts = [
        Draft(record, key, record.uuid("id"), {**values, "place_row_id": places.get(key)})
        for (record, values), key in zip(mapped, keys, strict=True)
    ]
    await part.store(tables.local_businesses, drafts)


async def import_domains(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    keys = {record.legacy_id: columns.business_key(record) for record in records}
    known_id = [key for key in keys.values() if key]
    known = await part.target.ids(tables.local_businesses, part.tenant_id, ("place_id", "source"), known_id)
    drafts = []
    for record in records:
        name = record.string("domain", limit=2_048) or ""
        host = read_host(name)
        if not host.ok:
            part.refuse(record, f"{name[:200]!r} is not a domain: {host.platform or host.reason}")
            continue
        business = known.get(keys[record.legacy_id] or ("", ""))
        values = {"domain": host.host, "host": host.registrable, "local_business_id": business}
        drafts.append(Draft(record, (host.host,), record.uuid("id"), {**values, **columns.domain(record)}))
    await part.store(tables.domains, drafts)


async def import_jobs(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    ids = await part.domain_ids(records)
    drafts = []
    for record in records:
        name = str(record.value("_domain") or "")
        values = columns.job(record, host=read_host(name).registrable if name in ids else "")
        drafts.append(Draft(record, (), record.uuid("job_id"), {**values, "domain_id": ids.get(name)}))
    await part.store(tables.jobs, drafts)


async def import_batches(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    drafts = [Draft(record, (), record.uuid("batch_id"), columns.batch(record)) for record in records]
    await part.store(tables.jobs, drafts)


async def _below_domains(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> list[Draft]:
    """The drafts of rows that are a URL of a domain, with what all of them have in common."""
    records = part.records(rows)
    ids = await part.domain_ids(records)
    drafts = []
    for record in records:
        name, url = str(record.value("_domain") or ""), read_url(record.string("url", limit=10_000) or "")
        if name not in ids:
            part.refuse(
                record, f"its domain {name[:200]!r} was refused" if name else "its domain does not exist"
            )
        elif not url.url or len(url.url) > columns.MAX_URL:
            part.refuse(record, f"its address is not the URL of a page: {url.reason or 'too long'}")
        else:
            values = {"domain_id": ids[name], "host": read_host(name).registrable, "url": url.url}
            drafts.append(Draft(record, (ids[name], url_key(url.url)), record.uuid("id"), values))
    return drafts


async def import_sitemaps(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    drafts = await _below_domains(part, rows)
    for draft in drafts:
        draft.values |= columns.sitemap(draft.record)
    await part.store(tables.sitemap_files, drafts)


async def import_pages(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    drafts = await _below_domains(part, rows)
    for draft in drafts:
        draft.values |= columns.page(draft.record, draft.values["url"])
    await part.store(tables.pages, drafts)
    await _link(part, drafts)


async def import_listed_urls(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    drafts = await _below_domains(part, rows)
    for draft in drafts:
        draft.values |= columns.listed_page(draft.record, draft.values["url"])
    await part.store(tables.pages, drafts)
    await _link(part, drafts)


async def _link(part: LegacySlice, drafts: Sequence[Draft]) -> None:
    """Say in which sitemap files the pages are listed."""
    keys: dict[Any, set[Any]] = {}
    for draft in drafts:
        if url := read_url(str(draft.record.value("_sitemap") or "")).url:
            keys.setdefault((draft.values["domain_id"], url_key(url)), set()).add(draft.row_id)
    known = await part.target.ids(
        tables.sitemap_files, part.tenant_id, KEYS[tables.sitemap_files], list(keys)
    )
    pairs = {(page, sitemap) for key, sitemap in known.items() for page in keys[key]}
    for page, sitemap in sorted(pairs - await part.target.linked(part.tenant_id, pairs)):
        part.rows.append(Upsert(tables.page_sitemaps, {"page_id": page, "sitemap_file_id": sitemap}))


async def import_contacts(part: LegacySlice, rows: Sequence[dict[str, Any]]) -> None:
    records = part.records(rows)
    ids = await part.domain_ids(records)
    drafts, urls = [], {}
    for record in records:
        name = str(record.value("_domain") or "")
        email, reason = columns.email(record, read_host(name).host)
        if name not in ids:
            reason = f"its domain {name[:200]!r} was refused" if name else "its domain does not exist"
        if reason:
            part.refuse(record, reason)
            continue
        url = read_url(str(record.value("_page") or "")).url
        urls[record.legacy_id] = (ids[name], url_key(url))
        values = {"domain_id": ids[name], "email": email}
        values |= columns.contact(record, email, name, url)
        drafts.append(Draft(record, (ids[name], email), record.uuid("id"), values))
    pages = await part.target.ids(tables.pages, part.tenant_id, KEYS[tables.pages], list(urls.values()))
    for draft in drafts:
        draft.values["page_id"] = pages.get(urls[draft.record.legacy_id])
    await part.store(tables.contacts, drafts)


# In the order in which rows refer to each other.
STEPS: dict[str, Callable[[LegacySlice, Sequence[dict[str, Any]]], Awaitable[None]]] = {
    "place_searches": import_searches,
    "places_staging": import_places,
    "local_businesses": import_businesses,
    "domains": import_domains,
    "jobs": import_jobs,
    "batch_jobs": import_batches,
    "sitemap_files": import_sitemaps,
    "pages": import_pages,
    "sitemap_urls": import_listed_urls,
    "contacts": import_contacts,
}
