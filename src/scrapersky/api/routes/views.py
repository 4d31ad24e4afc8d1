"""Saved views: the parameters of a list under a name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from scrapersky.actions.presets.saved_views import SORT, create_view, delete_view, update_view
from scrapersky.api.caller import Caller, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.decision_bodies import FilterValue, as_values
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.queries.decisions.presets import ViewQuery
from scrapersky.queries.rows.entities import LISTS
from scrapersky.queries.rows.filters import parse_exact_filters

router = APIRouter(prefix="/views", tags=["views"])
ListName = Literal["place", "business", "domain", "sitemap", "page", "contact", "search"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Params = Annotated[
    dict[Annotated[str, Field(max_length=100)], FilterValue],
    Field(max_length=50, description="The parameters of the list: filters and `sort`."),
]


class ViewBody(Body):
    name: Name
    entity: ListName
    query: Params = Field(default_factory=dict, examples=[{"page_type": ["login"], "sort": "-created_at"}])
    is_shared: bool = False


class ViewChanges(Body):
    """What is left out stays as it is."""

    name: Name = left_out()
    query: Params = left_out()
    is_shared: bool = left_out()


class ViewModel(BaseModel):
    """`is_own` views can be changed by you."""

    id: UUID
    name: str
    entity: ListName
    query: dict[str, list[str]]
    is_shared: bool
    is_own: bool
    user_id: UUID
    created_at: datetime
    updated_at: datetime


class ViewList(WholeList[ViewModel]):
    """All views, on one page."""


@router.get("")
async def list_views(caller: Viewer, entity: ListName | None = None) -> ViewList:
    """List your views and those that others share."""
    rows = await _query(caller).list_views(entity)
    return ViewList.of([_model(caller, row) for row in rows])


@router.post("", status_code=201)
async def add_view(body: ViewBody, caller: Viewer, response: Response) -> ViewModel:
    """Save the parameters of a list under a name."""
    view_id = await create_view(
        caller.engine,
        caller.actor,
        name=body.name,
        entity=body.entity,
        params=_params(body.entity, body.query),
        is_shared=body.is_shared,
    )
    response.headers["Location"] = f"{PREFIX}/views/{view_id}"
    return await get_view(view_id, caller)


@router.get("/{view_id:uuid}")
async def get_view(view_id: UUID, caller: Viewer) -> ViewModel:
    """One view."""
    return _model(caller, await _query(caller).show(view_id))


@router.patch("/{view_id:uuid}")
async def change_view(view_id: UUID, body: ViewChanges, caller: Viewer) -> ViewModel:
    """Change one of your views."""
    changes = body.model_dump(exclude_unset=True)
    if "query" in changes:
        view = await get_view(view_id, caller)
        changes["query"] = _params(view.entity, changes["query"])
    await update_view(caller.engine, caller.actor, view_id, changes)
    return await get_view(view_id, caller)


@router.delete("/{view_id:uuid}", status_code=204, name="delete_view")
async def remove_view(view_id: UUID, caller: Viewer) -> None:
    """Delete one of your views."""
    await delete_view(caller.engine, caller.actor, view_id)


def _params(entity: str, query: Mapping[str, Any]) -> dict[str, list[str]]:
    """The parameters as texts; statuses must be spelled as they are stored."""
    params = as_values(query)
    sort = {SORT: params.pop(SORT)} if SORT in params else {}
    return parse_exact_filters(LISTS[entity], params).to_json() | sort


def _query(caller: Caller) -> ViewQuery:
    return ViewQuery(caller.engine, caller.actor.tenant_id, caller.actor.user_id)


def _model(caller: Caller, row: dict[str, object]) -> ViewModel:
    return ViewModel.model_validate({**row, "is_own": row["user_id"] == caller.actor.user_id})
