"""The routes that every listed resource has: the list, its facet counts, and one row."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field, create_model

from scrapersky.api.caller import Context, Viewer
from scrapersky.api.cursors import Cursors
from scrapersky.api.etags import ETag
from scrapersky.api.models import Moment
from scrapersky.api.row_models import item_model, row_model
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import (
    MAX_TEXT,
    MAX_VALUES,
    Filters,
    Parameter,
    parameters,
    parse_exact_filters,
)
from scrapersky.queries.rows.lists import MAX_COUNTED, ListQuery, RowPage
from scrapersky.queries.rows.sorts import default_sort, parse_sort, sorts

DEFAULT_ROWS, MAX_ROWS = 50, 200


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is wanted: after a cursor, or a numbered page."""

    after: str | None
    limit: int | None
    page: int | None
    size: int | None

    @property
    def is_numbered(self) -> bool:
        return self.page is not None or self.size is not None

    @property
    def rows(self) -> int:
        return (self.size if self.is_numbered else self.limit) or DEFAULT_ROWS

    @property
    def offset(self) -> int:
        return ((self.page or 1) - 1) * self.rows

    def check(self) -> None:
        if not self.is_numbered:
            return
        if self.after is not None or self.limit is not None:
            raise InvalidInput("Pass after and limit, or page and size, not both")
        if self.offset + self.rows > MAX_COUNTED:
            raise InvalidInput(
                f"Numbered pages end after {MAX_COUNTED:,} rows. To read on, leave page out and pass the"
                " next of each answer as after"
            )


class FacetValue(BaseModel):
    value: Annotated[str | None, Field(description="null for rows without a value; filter by `none`.")]
    count: int


class Facets(BaseModel):
    """The number of rows by value of each facet, as if the facet's own filter were not set."""

    facets: dict[str, list[FacetValue]]
    total: Annotated[int, Field(description="Rows that match all filters.")]
    total_exact: Annotated[
        bool, Field(description="False if more rows match than are counted; the numbers are then too low.")
    ]


def list_router(entity: Entity, path: str, **more: tuple[Any, str]) -> APIRouter:
    """The three routes of a resource; `more` describes what a single row has beside its columns."""
    router = APIRouter(prefix=path, tags=[path.strip("/")])
    add_list_routes(router, entity)
    router.add_api_route(
        "/{row_id:uuid}",
        _row_route(entity),
        name=f"get_{entity.name}",
        response_model=row_model(entity, **more),
        description=f"One {entity.name}.",
    )
    return router


def add_list_routes(router: APIRouter, entity: Entity) -> None:
    """The list and its facet counts."""
    plural = entity.plural.replace(" ", "_")
    router.add_api_route(
        "",
        _list_route(entity),
        name=f"list_{plural}",
        response_model=_list_model(entity),
        description=f"The {entity.plural} that match; `none` finds rows without a value.",
    )
    router.add_api_route(
        "/facets",
        _facets_route(entity),
        name=f"count_{plural}",
        response_model=Facets,
        description=f"How many {entity.plural} have each value of each facet.",
    )


def _list_model(entity: Entity) -> type[BaseModel]:
    fields: dict[str, Any] = {
        "items": list[item_model(entity)],  # type: ignore[misc]
        "next": Annotated[str | None, Field(description="Pass it as `after`; null on the last page.")],
        "total": Annotated[int, Field(description="How many rows match.")],
        "total_exact": Annotated[
            bool, Field(description=f"False if a search matches more than {MAX_COUNTED:,} rows.")
        ],
    }
    name = "".join(word.capitalize() for word in entity.plural.split())
    return create_model(f"{name}List", __doc__=f"A page of {entity.plural}.", **fields)


def _list_route(entity: Entity) -> Callable[..., Any]:
    filter_params, sort_param = Depends(filters_of(entity)), _sort_param(entity)

    async def list_rows(
        request: Request,
        response: Response,
        caller: Viewer,
        context: Context,
        window: Annotated[Window, Depends(_window)],
        filters: Filters = filter_params,
        sort: str | None = sort_param,
    ) -> dict[str, Any]:
        order = parse_sort(entity, sort)
        cursors = Cursors(context.secret_key, caller.actor.tenant_id, entity, filters, order)
        after = None if window.after is None else cursors.decode(window.after)
        page = await ListQuery(caller.engine, caller.actor.tenant_id).page(
            entity, filters, sort=order, after=after, offset=window.offset, limit=window.rows
        )
        following = None if page.next_keys is None else cursors.encode(page.next_keys)
        if following:
            response.headers["Link"] = _next_link(request, window, following)
        return _answer(page, following)

    return list_rows


def _answer(page: RowPage, following: str | None) -> dict[str, Any]:
    return {
        "items": page.rows,
        "next": following,
        "total": page.total.number,
        "total_exact": page.total.is_exact,
    }


def _facets_route(entity: Entity) -> Callable[..., Any]:
    filter_params = Depends(filters_of(entity))

    async def count_facets(caller: Viewer, filters: Filters = filter_params) -> dict[str, Any]:
        counts = await ListQuery(caller.engine, caller.actor.tenant_id).facets(entity, filters)
        facets = {
            name: [
                {"value": None if value is None else str(value), "count": number}
                for value, number in sorted(values.items(), key=lambda entry: (-entry[1], str(entry[0])))
            ]
            for name, values in counts.facets.items()
        }
        return {"facets": facets, "total": counts.total.number, "total_exact": counts.total.is_exact}

    return count_facets


def _row_route(entity: Entity) -> Callable[..., Any]:
    async def get_row(row_id: UUID, caller: Viewer, etag: ETag) -> dict[str, Any]:
        row = await RowQuery(caller.engine).details(entity, caller.actor.tenant_id, row_id)
        # The contacts of a page, or the number of pages of a domain, change without the row.
        beside = [(name, value) for name, value in row.items() if name not in entity.table.c]
        etag(row["updated_at"], *beside)
        return row

    return get_row


def filters_of(entity: Entity) -> Callable[..., Filters]:
    """A dependency that reads the filters of a list from the query, each a parameter of its own."""

    def parse(**params: Any) -> Filters:
        return parse_exact_filters(
            entity, {name: _texts(value) for name, value in params.items() if value is not None}
        )

    query = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(parameter)
        )
        for name, parameter in _known_filters(entity).items()
    ]
    parse.__signature__ = inspect.Signature(query)  # type: ignore[attr-defined]
    return parse


def _known_filters(entity: Entity) -> dict[str, Parameter]:
    """Every filter of a list, also by its other names."""
    known = parameters(entity)
    aliases = {
        alias: replace(known[own], about=f"The same as `{own}`.")
        for alias, own in entity.filter_aliases.items()
    }
    return {**known, **aliases}


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [value.isoformat()]


def _annotation(parameter: Parameter) -> Any:
    if parameter.name.endswith(("_after", "_before")):
        return Annotated[Moment | None, Query(description=parameter.about)]
    values: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
    if parameter.choices:
        values = {"type": "string", "enum": list(parameter.choices)}
    elif parameter.name.endswith("_id"):
        values = {"type": "string", "format": "uuid"}
    about = f"{parameter.about} Repeat it to allow several values."
    schema = {"items": values}
    return Annotated[
        list[str] | None,
        Query(description=about, max_length=MAX_VALUES, json_schema_extra={"type": "array", **schema}),
    ]


def _sort_param(entity: Entity) -> Any:
    choices = ", ".join(f"`{name}` ({sort.about})" for name, sort in sorts(entity).items())
    default = default_sort(entity).text
    return Query(
        None,
        max_length=50,
        description=f"One of {choices}; with `-` before it descending. Default: `{default}`.",
    )


def _window(
    after: Annotated[str | None, Query(max_length=4_000, description="`next` of the page before.")] = None,
    limit: Annotated[
        int | None, Query(ge=1, le=MAX_ROWS, description=f"Rows of a page. Default: {DEFAULT_ROWS}.")
    ] = None,
    page: Annotated[
        int | None,
        Query(
            ge=1,
            le=MAX_COUNTED,
            description=f"A page by number, from 1, in the first {MAX_COUNTED:,} rows; instead of `after`.",
        ),
    ] = None,
    size: Annotated[
        int | None,
        Query(ge=1, le=MAX_ROWS, description=f"Rows of a numbered page. Default: {DEFAULT_ROWS}."),
    ] = None,
) -> Window:
    window = Window(after, limit, page, size)
    window.check()
    return window


def _next_link(request: Request, window: Window, following: str) -> str:
    """The address of the next page, for the Link header."""
    kept = [pair for pair in request.query_params.multi_items() if pair[0] not in ("after", "page", "size")]
    limit = [("limit", str(window.rows))] if window.is_numbered else []
    return f'<{request.url.path}?{urlencode([*kept, *limit, ("after", following)])}>; rel="next"'
