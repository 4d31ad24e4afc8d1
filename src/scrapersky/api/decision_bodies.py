"""The curated resources with their bodies for decisions; the names of fields are the original product's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from scrapersky.api.models import Body
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.queries.rows.filters import Filters, parameters, parse_exact_filters

Ids = Annotated[list[UUID], Field(min_length=1)]
Text = Annotated[str, Field(max_length=200)]
FilterValue = Text | int | Annotated[list[Text | int], Field(min_length=1, max_length=100)]
STATUSES = (*statuses.CURATION, *statuses.CURATION_SYNONYMS)


def _known_status(status: str) -> str:
    if status not in STATUSES:
        raise ValueError(f"expected one of {', '.join(STATUSES)}")
    return status


Status = Annotated[
    str,
    AfterValidator(_known_status),
    Field(
        description="`Not a Fit` is a synonym of Rejected.",
        json_schema_extra={"enum": list(STATUSES)},
        examples=[statuses.SELECTED],
    ),
]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
EXPECTED = (
    "The number of rows that you were shown; 409 if the rows that match now differ by more than 1 percent."
)


class RowChoice(Body):
    """The rows: by `ids`, or all that match the `filter` of the list; `{}` matches every row."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"filter": {"curation_status": statuses.NEW}, "dry_run": True}]}
    )

    ids: Ids | None = None
    filter: dict[Annotated[str, Field(max_length=100)], FilterValue] | None = None
    expected: Count | None = Field(None, description=EXPECTED)
    dry_run: bool = Field(False, description="Answer only how many rows match.")

    def filters(self, entity: Entity) -> Filters | None:
        if (self.ids is None) == (self.filter is None):
            raise InvalidInput("Pass either ids or a filter")
        return None if self.filter is None else as_filters(entity, self.filter)


class DecisionBody(RowChoice):
    """A decision about rows."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"filter": {"curation_status": statuses.NEW}, "decision": statuses.SELECTED}]
        }
    )

    decision: Status


class CountedBody(Body):
    expected: Count | None = Field(None, description=EXPECTED)
    dry_run: bool = Field(False, description="Answer only how many rows match.")


class DecisionResult(BaseModel):
    """What was decided. With more than 5,000 matches the answer is 202 and the operation continues."""

    message: str
    matched_count: int
    updated_count: int
    queued_count: int
    skipped: dict[str, int]
    operation_id: UUID | None


def as_filters(entity: Entity, params: Mapping[str, Any]) -> Filters:
    return parse_exact_filters(entity, as_values(params))


def as_values(params: Mapping[str, Any]) -> dict[str, list[str]]:
    """Parameters as lists of texts, as a list request has them."""
    listed = {name: value if isinstance(value, list) else [value] for name, value in params.items()}
    return {name: [str(item) for item in values] for name, values in listed.items()}


@dataclass(frozen=True, slots=True)
class Resource:
    """A curated table in the API.

    `status_path` is a second path of the batch update with `status_fields` as names of the new status;
    `old_status_filters` are further names of the filter by the present one.
    """

    path: str
    entity: Entity
    ids_field: str
    status_path: str | None = None
    status_fields: tuple[str, ...] = ("status",)
    old_status_filters: tuple[str, ...] = ()

    @property
    def noun(self) -> str:
        """The resource in the names of models, such as SitemapFile."""
        words = self.ids_field.removesuffix("_ids").split("_")
        return "".join(word.capitalize() for word in words)

    def filter_names(self, status_fields: tuple[str, ...]) -> dict[str, str]:
        """The filters of the body by their names in it, without the new status."""
        names = dict.fromkeys(("status_filter", *self.old_status_filters), self.entity.curation_column)
        names |= {**self.entity.filter_aliases, **{name: name for name in parameters(self.entity)}}
        return {name: own for name, own in names.items() if name not in status_fields}


RESOURCES = (
    Resource("/places/staging", ENTITIES["place"], "place_ids"),
    Resource("/local-businesses", ENTITIES["business"], "local_business_ids"),
    Resource(
        "/domains",
        ENTITIES["domain"],
        "domain_ids",
        status_path="/domains/sitemap-curation",
        status_fields=("sitemap_curation_status",),
        old_status_filters=("sitemap_curation_status_filter",),
    ),
    Resource(
        "/sitemap-files",
        ENTITIES["sitemap"],
        "sitemap_file_ids",
        status_path="/sitemap-files/sitemap_import_curation",
        status_fields=("deep_scrape_curation_status", "sitemap_curation_status", "status"),
    ),
    Resource("/pages", ENTITIES["page"], "page_ids"),
    Resource("/contacts", ENTITIES["contact"], "contact_ids"),
)


def batch_body(resource: Resource, status_fields: tuple[str, ...], name: str) -> type[Body]:
    """A status for the rows with these ids."""
    fields: dict[str, Any] = {resource.ids_field: (Ids, ...), **_new_status(status_fields)}
    example = {resource.ids_field: [str(UUID(int=1))], **dict.fromkeys(status_fields[:1], statuses.SELECTED)}
    return _body(Body, name, "A status for these rows.", fields, example)


def filtered_body(resource: Resource, status_fields: tuple[str, ...], name: str) -> type[Body]:
    """A status for all rows that match the filters of the list."""
    names = resource.filter_names(status_fields)
    filters: dict[str, Any] = dict.fromkeys(names, (FilterValue | None, None))
    doc = "A status for all rows that match; without a filter, for every row."
    example = {status_fields[0]: statuses.SELECTED, "status_filter": statuses.NEW}
    return _body(CountedBody, name, doc, {**filters, **_new_status(status_fields)}, example)


def _body(
    base: type[Body], name: str, doc: str, fields: dict[str, Any], example: dict[str, Any]
) -> type[Body]:
    model = create_model(name, __base__=base, __doc__=doc, **fields)
    model.model_config["json_schema_extra"] = {"examples": [example]}
    return model


def _new_status(status_fields: tuple[str, ...]) -> dict[str, Any]:
    if len(status_fields) == 1:
        return {status_fields[0]: (Status, ...)}
    return dict.fromkeys(status_fields, (Status | None, None))


def read_status(body: Body, status_fields: tuple[str, ...]) -> str:
    values = [value for name in status_fields if (value := getattr(body, name)) is not None]
    if len(values) != 1:
        raise InvalidInput(f"Pass one of {', '.join(status_fields)}")
    return str(values[0])


def read_filters(body: Body, resource: Resource, status_fields: tuple[str, ...]) -> Filters:
    params: dict[str, Any] = {}
    for alias, own in resource.filter_names(status_fields).items():
        if (value := getattr(body, alias)) is None:
            continue
        if own in params:
            raise InvalidInput(f"The filters {alias!r} and {own!r} are the same; use one of them")
        params[own] = value
    return as_filters(resource.entity, params)
