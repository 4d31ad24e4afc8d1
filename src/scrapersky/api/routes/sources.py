"""Sources: where searches find places, and whether each is ready."""

from __future__ import annotations

import asyncio
from datetime import date

from fastapi import APIRouter
from pydantic import BaseModel

from scrapersky.api.caller import Context, Viewer
from scrapersky.api.models import WholeList
from scrapersky.sources.catalog import SourceEntry
from scrapersky.wiring import known_sources

router = APIRouter(prefix="/sources", tags=["sources"])


class SourceItem(BaseModel):
    """`needs_area` says that a search in it needs a place; one that does not reads an uploaded file."""

    name: str
    title: str
    is_ready: bool
    problem: str
    data_date: date | None
    licence: str
    attribution: str
    needs_area: bool


@router.get("")
async def list_place_sources(caller: Viewer, context: Context) -> WholeList[SourceItem]:
    """Every source, in the order in which a search without a source tries them."""
    entries = known_sources(context.settings).values()
    return WholeList.of([await asyncio.to_thread(_item, entry) for entry in entries])


def _item(entry: SourceEntry) -> SourceItem:
    state = entry.state()
    return SourceItem(
        name=entry.name,
        title=entry.title,
        is_ready=state.is_ready,
        problem=state.problem,
        data_date=state.data_date,
        licence=entry.licence,
        attribution=entry.attribution,
        needs_area=entry.needs_area,
    )
