"""What people list: each kind of row with its columns and what it is filtered by. Six are curated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Table, func

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.declarations.facets import FACETS
from scrapersky.errors import NotFound


@dataclass(frozen=True, slots=True, eq=False)
class Entity:
    """One kind of row. `name_column` identifies a row to people; `columns` are those of a list.

    `text_filters` are further filters by text, each with the column in which the text is sought;
    `original_filters` are filters by their names in the original product, each with ours.
    """

    name: str
    table: Table
    plural: str
    name_column: str
    columns: tuple[str, ...]
    search_columns: tuple[str, ...]
    text_filters: Mapping[str, str] = field(default_factory=dict)
    id_filters: tuple[str, ...] = ()
    original_filters: Mapping[str, str] = field(default_factory=dict)

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
    def is_curated(self) -> bool:
        return self.first_stage.excluded_by is not None

    @property
    def filter_aliases(self) -> Mapping[str, str]:
        """Other names of filters: the one that all curated rows share, and those of the original product."""
        shared = {"curation_status": self.curation_column} if self.is_curated else {}
        return {**shared, **self.original_filters}

    @property
    def facets(self) -> tuple[str, ...]:
        """The columns with few values, whose rows are counted by value."""
        return FACETS[self.table.name]

    @property
    def error(self) -> ColumnElement[str | None]:
        """The error of the last stage that has one."""
        return self.error_in(self.table.c)

    def error_in(self, columns: Any) -> ColumnElement[str | None]:
        """The same in a source with the columns of the table."""
        errors = [columns[stage.error] for stage in reversed(self.stages)]
        return errors[0] if len(errors) == 1 else func.coalesce(*errors)


ENTITIES: dict[str, Entity] = {
    entity.name: entity
    for entity in (
        Entity(
            "place",
            tables.places_staging,
            "places",
            name_column="name",
            columns=(
                "name", "status", "deep_scan_status", "business_type", "formatted_address", "website_url",
                "source",
            ),
            search_columns=("name", "formatted_address", "website_url"),
            text_filters={"name_contains": "name"},
            id_filters=("search_id",),
            original_filters={"discovery_job_id": "search_id"},
        ),
        Entity(
            "business",
            tables.local_businesses,
            "businesses",
            name_column="business_name",
            columns=(
                "business_name", "status", "domain_extraction_status", "full_address", "phone",
                "website_url", "source",
            ),
            search_columns=("business_name", "full_address", "website_url"),
            text_filters={"name_contains": "business_name"},
            id_filters=("place_row_id",),
            original_filters={"business_name": "name_contains"},
        ),
        Entity(
            "domain",
            tables.domains,
            "domains",
            name_column="domain",
            columns=(
                "domain", "sitemap_curation_status", "status", "sitemap_analysis_status", "title",
                "total_sitemaps",
            ),
            search_columns=("domain",),
            id_filters=("local_business_id",),
            original_filters={"domain_filter": "domain"},
        ),
        Entity(
            "sitemap",
            tables.sitemap_files,
            "sitemap files",
            name_column="url",
            columns=(
                "url", "sitemap_type", "discovery_method", "sitemap_import_status",
                "sitemap_curation_status", "url_count", "page_count", "job_id", "created_by", "domain_id",
            ),
            search_columns=("url",),
            text_filters={"url_contains": "url"},
            id_filters=("domain_id", "job_id"),
            original_filters={"deep_scrape_curation_status": "sitemap_curation_status"},
        ),
        Entity(
            "page",
            tables.pages,
            "pages",
            name_column="url",
            columns=(
                "url", "page_type", "priority_level", "page_processing_status", "page_curation_status",
                "contact_scrape_status", "title", "domain_id",
            ),
            search_columns=("url",),
            text_filters={"url_contains": "url"},
            id_filters=("domain_id",),
        ),
        Entity(
            "contact",
            tables.contacts,
            "contacts",
            name_column="email",
            columns=(
                "email", "phone_number", "name", "job_title", "contact_curation_status",
                "email_validation_status", "email_validation_result", "confidence", "lead_score",
                "is_score_due", "source_url", "domain_id",
            ),
            search_columns=("email", "name", "phone_number"),
            text_filters={"email_contains": "email", "name_contains": "name"},
            id_filters=("domain_id", "page_id"),
        ),
    )
}  # fmt: skip
SEARCH = Entity(
    "search",
    tables.place_searches,
    "searches",
    name_column="business_type",
    columns=(
        "business_type", "location", "source", "params", "status", "places_found", "created_by", "updated_at",
    ),
    search_columns=("business_type", "location"),
)  # fmt: skip
JOB = Entity(
    "job",
    tables.jobs,
    "jobs",
    name_column="job_type",
    columns=(
        "job_id", "job_type", "status", "progress", "progress_percent", "progress_message", "retry_count",
        "max_retries", "next_retry_at", "result_data", "created_by", "domain_id",
    ),
    search_columns=("job_type", "progress_message"),
    id_filters=("domain_id",),
)  # fmt: skip
DELIVERY = Entity(
    "delivery",
    tables.deliveries,
    "deliveries",
    name_column="external_id",
    columns=("contact_id", "destination_id", "status", "external_id", "delivered_at", "created_by"),
    search_columns=("external_id",),
    id_filters=("contact_id", "destination_id"),
)
LISTS: dict[str, Entity] = {
    **ENTITIES,
    **{entity.name: entity for entity in (SEARCH, JOB, DELIVERY)},
}


def get_entity(name: str) -> Entity:
    """One of the curated kinds of row."""
    if name not in ENTITIES:
        raise NotFound(f"Invalid entity {name!r}; expected one of {', '.join(ENTITIES)}")
    return ENTITIES[name]
