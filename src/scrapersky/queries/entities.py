"""The rows that people curate: six entities with the same rules, and the filters that select rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Table, Text, bindparam, func, or_, select

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration, statuses
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.extract.urls import read_host

_WORD = re.compile(r"[a-z0-9_]{1,50}")


@dataclass(frozen=True, slots=True)
class Entity:
    """One kind of row. `name_column` identifies a row to people; `columns` are those of a list."""

    name: str
    table: Table
    name_column: str
    columns: tuple[str, ...]
    search_columns: tuple[str, ...]

    @property
    def stages(self) -> tuple[StageDeclaration, ...]:
        """The stages that process these rows, in the order of the pipeline."""
        return tuple(stage for stage in DECLARATIONS if stage.table == self.table.name)

    @property
    def first_stage(self) -> StageDeclaration:
        """The stage that a new row starts with."""
        return self.stages[0]

    @property
    def selected_stage(self) -> StageDeclaration:
        """The stage that a selected row is queued for."""
        return self.stages[-1]

    @property
    def curation_column(self) -> str:
        return str(self.first_stage.excluded_by)

    @property
    def error(self) -> ColumnElement[str | None]:
        """The error of the last stage that has one."""
        errors = [self.table.c[stage.error] for stage in reversed(self.stages)]
        return errors[0] if len(errors) == 1 else func.coalesce(*errors)


ENTITIES: dict[str, Entity] = {
    entity.name: entity
    for entity in (
        Entity(
            "place",
            tables.places_staging,
            name_column="name",
            columns=(
                "name", "status", "deep_scan_status", "business_type", "formatted_address", "website_url",
                "source",
            ),
            search_columns=("name", "formatted_address", "website_url"),
        ),
        Entity(
            "business",
            tables.local_businesses,
            name_column="business_name",
            columns=(
                "business_name", "status", "domain_extraction_status", "full_address", "phone",
                "website_url", "source",
            ),
            search_columns=("business_name", "full_address", "website_url"),
        ),
        Entity(
            "domain",
            tables.domains,
            name_column="domain",
            columns=(
                "domain", "sitemap_curation_status", "status", "sitemap_analysis_status", "title",
                "total_sitemaps",
            ),
            search_columns=("domain",),
        ),
        Entity(
            "sitemap",
            tables.sitemap_files,
            name_column="url",
            columns=(
                "url", "sitemap_type", "discovery_method", "sitemap_import_status",
                "sitemap_curation_status", "url_count", "page_count", "job_id", "created_by", "domain_id",
            ),
            search_columns=("url",),
        ),
        Entity(
            "page",
            tables.pages,
            name_column="url",
            columns=(
                "url", "page_type", "priority_level", "page_processing_status", "page_curation_status",
                "contact_scrape_status", "title", "domain_id",
            ),
            search_columns=("url",),
        ),
        Entity(
            "contact",
            tables.contacts,
            name_column="email",
            columns=(
                "email", "phone_number", "name", "job_title", "contact_curation_status",
                "email_validation_status", "email_validation_result", "source_url", "domain_id",
            ),
            search_columns=("email", "name", "phone_number"),
        ),
    )
}  # fmt: skip


def get_entity(name: str) -> Entity:
    if name not in ENTITIES:
        raise NotFound(f"Invalid entity {name!r}; expected one of {', '.join(ENTITIES)}")
    return ENTITIES[name]


@dataclass(frozen=True, slots=True)
class Filters:
    """Selects the rows that match all filters that are set."""

    curation_status: str | None = None
    status: str | None = None
    domain: str | None = None
    contains: str | None = None
    priority: int | None = None
    page_type: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))


def parse_curation_status(text: str) -> str:
    """A curation status in any case; "Not a Fit" is a synonym of Rejected (D3)."""
    known = {status.casefold(): status for status in statuses.CURATION}
    known |= {synonym.casefold(): status for synonym, status in statuses.CURATION_SYNONYMS.items()}
    status = known.get(" ".join(text.replace("_", " ").replace("-", " ").split()).casefold())
    if status is None:
        expected = ", ".join(statuses.CURATION)
        raise InvalidInput(f"Invalid curation status {text[:50]!r}; expected one of {expected}")
    return status


def parse_status(entity: Entity, text: str) -> str | None:
    """A status of one of the entity's stages in any case; `none` means rows that were never queued."""
    if text.casefold() == "none":
        return None
    known = {status.casefold(): status for stage in entity.stages for status in stage.statuses.all}
    if text.casefold() not in known:
        expected = ", ".join([*known.values(), "none"])
        raise InvalidInput(f"Invalid status {text[:50]!r} of a {entity.name}; expected one of {expected}")
    return known[text.casefold()]


def conditions(
    entity: Entity, tenant_id: UUID, filters: Filters, source: FromClause | None = None
) -> list[ColumnElement[bool]]:
    """The filters as conditions on the entity's table, or on a source with the same columns."""
    columns = entity.table.c if source is None else source.c
    matching: list[ColumnElement[bool]] = [columns.tenant_id == tenant_id]
    if filters.curation_status is not None:
        matching.append(columns[entity.curation_column] == parse_curation_status(filters.curation_status))
    if filters.status is not None:
        matching.append(_has_status(entity, columns, filters.status))
    if filters.domain is not None:
        matching.append(_belongs_to_domain(entity, tenant_id, filters.domain))
    if filters.contains is not None:
        matching.append(_contains(entity, filters.contains))
    if filters.error is not None:
        matching.append(entity.error.icontains(filters.error, autoescape=True))
    if filters.priority is not None:
        matching.append(columns[_column(entity, "priority_level").name] == filters.priority)
    if filters.page_type is not None:
        page_type = _inline(filters.page_type.lower())
        matching.append(columns[_column(entity, "page_type").name] == page_type)
    return matching


def _contains(entity: Entity, text: str) -> ColumnElement[bool]:
    """The text occurs in one of the searched columns; ILIKE, because the trigram indexes support it."""
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return or_(*(entity.table.c[name].ilike(f"%{text}%") for name in entity.search_columns))


def _inline(value: str) -> Any:
    """A plain word as part of the statement, because a partial index needs it; otherwise a parameter."""
    return bindparam("value", value, type_=Text, literal_execute=bool(_WORD.fullmatch(value)), unique=True)


def _has_status(entity: Entity, columns: Any, text: str) -> ColumnElement[bool]:
    status = parse_status(entity, text)
    if status is None:
        never_queued: ColumnElement[bool] = columns[entity.first_stage.status].is_(None)
        return never_queued
    # Two stages on one table have different words for most states, and share some.
    having: list[ColumnElement[bool]] = [
        columns[stage.status] == status for stage in entity.stages if status in stage.statuses.all
    ]
    return having[0] if len(having) == 1 else or_(*having)


def _belongs_to_domain(entity: Entity, tenant_id: UUID, text: str) -> ColumnElement[bool]:
    name = read_host(text).host or text.strip().lower()
    domains = tables.domains.c
    if entity.table is tables.domains:
        return domains.domain == name
    is_business = entity.table is tables.local_businesses
    owner = entity.table.c.id if is_business else _column(entity, "domain_id")
    key = domains.local_business_id if is_business else domains.id
    return owner.in_(select(key).where(domains.tenant_id == tenant_id, domains.domain == name))


def _column(entity: Entity, name: str) -> ColumnElement[Any]:
    if name not in entity.table.c:
        raise InvalidInput(f"A {entity.name} has no {name.replace('_', ' ').removesuffix(' id')}")
    return entity.table.c[name]
