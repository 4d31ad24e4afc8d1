"""What people curate: six kinds of rows under the same few rules, and the filters that pick some of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import FromClause, Table, Text, bindparam, func, or_, select

from scrapersky import tables
from scrapersky.declarations import (
    DEEP_SCAN,
    EXTRACT_DOMAIN,
    IMPORT_SITEMAP,
    READ_METADATA,
    READ_PAGE,
    SUBMIT_DOMAIN,
    VALIDATE_EMAIL,
    statuses,
)
from scrapersky.declarations.queue import Queue
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.extract.urls import read_host

_WORD = re.compile(r"[a-z0-9_]{1,50}")


@dataclass(frozen=True, slots=True)
class Entity:
    """One kind of row. Selecting a row queues `work`; `first` is the work that a new row begins with."""

    name: str
    table: Table
    queue: Queue
    decision: str
    named_by: str
    columns: tuple[str, ...]
    searched: tuple[str, ...]
    begins_with: Queue | None = None

    @property
    def queues(self) -> tuple[Queue, ...]:
        return (self.begins_with, self.queue) if self.begins_with else (self.queue,)

    @property
    def error(self) -> Any:
        """What went wrong last, in whichever of its works."""
        columns = self.table.c
        if not self.begins_with:
            return columns[self.queue.error]
        return func.coalesce(columns[self.queue.error], columns[self.begins_with.error])


_PLACE = ("name", "status", "deep_scan_status", "business_type", "formatted_address", "website_url", "source")
_BUSINESS = (
    "business_name", "status", "domain_extraction_status", "full_address", "phone", "website_url", "source",
)  # fmt: skip
_DOMAIN = (
    "domain",
    "sitemap_curation_status",
    "status",
    "sitemap_analysis_status",
    "title",
    "total_sitemaps",
)
_SITEMAP = (
    "url", "sitemap_type", "discovery_method", "sitemap_import_status", "sitemap_curation_status",
    "url_count", "page_count", "job_id", "created_by", "domain_id",
)  # fmt: skip
_PAGE = (
    "url", "page_type", "priority_level", "page_processing_status", "page_curation_status",
    "contact_scrape_status", "title", "domain_id",
)  # fmt: skip
_CONTACT = (
    "email", "phone_number", "name", "job_title", "contact_curation_status", "email_validation_status",
    "email_validation_result", "source_url", "domain_id",
)  # fmt: skip

ENTITIES: dict[str, Entity] = {
    entity.name: entity
    for entity in (
        Entity("place", tables.places_staging, DEEP_SCAN, "status", "name", _PLACE,
               ("name", "formatted_address", "website_url")),
        Entity("business", tables.local_businesses, EXTRACT_DOMAIN, "status", "business_name", _BUSINESS,
               ("business_name", "full_address", "website_url")),
        Entity(
            "domain", tables.domains, SUBMIT_DOMAIN, "sitemap_curation_status", "domain", _DOMAIN,
            ("domain",), begins_with=READ_METADATA,
        ),
        Entity("sitemap", tables.sitemap_files, IMPORT_SITEMAP, "sitemap_curation_status", "url", _SITEMAP,
               ("url",)),
        Entity("page", tables.pages, READ_PAGE, "page_curation_status", "url", _PAGE, ("url",)),
        Entity("contact", tables.contacts, VALIDATE_EMAIL, "contact_curation_status", "email", _CONTACT,
               ("email", "name", "phone_number")),
    )
}  # fmt: skip


def get_entity(name: str) -> Entity:
    if name not in ENTITIES:
        raise NotFound(f"There is no {name!r}; there are {', '.join(ENTITIES)}")
    return ENTITIES[name]


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rows; everything that is given must hold."""

    decision: str | None = None
    status: str | None = None
    domain: str | None = None
    contains: str | None = None
    priority: int | None = None
    page_type: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, name) is not None for name in self.__dataclass_fields__)


def parse_curation_status(text: str) -> str:
    """A curation word in any case; "Not a Fit" is another word for Rejected (D3)."""
    known = {word.casefold(): word for word in statuses.CURATION}
    known |= {other.casefold(): word for other, word in statuses.CURATION_SYNONYMS.items()}
    word = known.get(" ".join(text.replace("_", " ").replace("-", " ").split()).casefold())
    if word is None:
        raise InvalidInput(f"{text[:50]!r} is no decision; the decisions are {', '.join(statuses.CURATION)}")
    return word


def parse_status(entity: Entity, text: str) -> str | None:
    """A word of the entity's work in any case; `none` are rows that were never queued."""
    if text.casefold() == "none":
        return None
    known = {word.casefold(): word for queue in entity.queues for word in queue.statuses.all}
    if text.casefold() not in known:
        all_words = ", ".join([*known.values(), "none"])
        raise InvalidInput(f"{text[:50]!r} is no status of a {entity.name}; there are {all_words}")
    return known[text.casefold()]


def conditions(
    entity: Entity, tenant_id: UUID, filters: Filters, source: FromClause | None = None
) -> list[Any]:
    """The filters as conditions on the entity's own table, or on a source that has the same columns."""
    columns = entity.table.c if source is None else source.c
    found: list[Any] = [columns.tenant_id == tenant_id]
    if filters.decision is not None:
        found.append(columns[entity.decision] == parse_curation_status(filters.decision))
    if filters.status is not None:
        found.append(_has_status(entity, columns, filters.status))
    if filters.domain is not None:
        found.append(_of_domain(entity, tenant_id, filters.domain))
    if filters.contains is not None:
        found.append(_contains(entity, filters.contains))
    if filters.error is not None:
        found.append(entity.error.icontains(filters.error, autoescape=True))
    if filters.priority is not None:
        found.append(columns[_column(entity, "priority_level").name] == filters.priority)
    if filters.page_type is not None:
        found.append(columns[_column(entity, "page_type").name] == _inline(filters.page_type.lower()))
    return found


def _contains(entity: Entity, sought: str) -> Any:
    """The text occurs in one of the searched columns; ILIKE, because the trigram indexes serve it."""
    for special in ("\\", "%", "_"):
        sought = sought.replace(special, f"\\{special}")
    return or_(*(entity.table.c[name].ilike(f"%{sought}%") for name in entity.searched))


def _inline(value: str) -> Any:
    """A plain word written into the statement, because a partial index needs to see it; else a parameter."""
    return bindparam("value", value, type_=Text, literal_execute=bool(_WORD.fullmatch(value)), unique=True)


def _has_status(entity: Entity, columns: Any, text: str) -> Any:
    word = parse_status(entity, text)
    if word is None:
        return columns[entity.queues[0].status].is_(None)
    # Two works on one table have different words for most states, and one word may be either's.
    having = [columns[queue.status] == word for queue in entity.queues if word in queue.statuses.all]
    return having[0] if len(having) == 1 else having[0] | having[1]


def _of_domain(entity: Entity, tenant_id: UUID, text: str) -> Any:
    name = read_host(text).host or text.strip().lower()
    domains = tables.domains.c
    if entity.table is tables.domains:
        return domains.domain == name
    owner = _column(entity, "domain_id") if entity.table is not tables.local_businesses else entity.table.c.id
    key = domains.local_business_id if entity.table is tables.local_businesses else domains.id
    return owner.in_(select(key).where(domains.tenant_id == tenant_id, domains.domain == name))


def _column(entity: Entity, name: str) -> Any:
    if name not in entity.table.c:
        raise InvalidInput(f"A {entity.name} has no {name.replace('_', ' ').removesuffix(' id')}")
    return entity.table.c[name]
