"""Google Places: the ledger of calls, what a search would cost, and what one has cost."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.api.caller import Context, Operator, Viewer
from scrapersky.api.installation import InstallationViewer, OwnerEngine
from scrapersky.api.models import Body, WholeList
from scrapersky.queries.installation.google_ledger import GoogleLedgerQuery, preview_cost
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import SEARCH
from scrapersky.wiring import current_settings, google_options, open_google

router = APIRouter(tags=["google places"])


class CallUsageModel(BaseModel):
    """Calls of one kind in a month (Pacific time). Booked ones without an answer may have been billed."""

    month: date
    sku: str
    title: str
    booked: int
    answered: int
    cap: int | None
    usd: float


class CallUsageList(WholeList[CallUsageModel]):
    """The newest month first, on one page."""


class BoxModel(Body):
    """Degrees; `west` is greater than `east` across the 180th meridian."""

    south: Annotated[float, Field(ge=-90, le=90)]
    west: Annotated[float, Field(ge=-180, le=180)]
    north: Annotated[float, Field(ge=-90, le=90)]
    east: Annotated[float, Field(ge=-180, le=180)]


class PreviewRequest(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "business_type": "bakery",
                    "box": {"south": 52.35, "west": 13.1, "north": 52.67, "east": 13.75},
                }
            ]
        }
    )

    business_type: Annotated[str, Field(min_length=1, max_length=100)]
    box: BoxModel


class SearchPreviewModel(BaseModel):
    """An estimate unless `is_exact`; `fits` says whether the cap of this month allows it."""

    places: int
    is_exact: bool
    paid_calls: int
    usd: float
    calls_left: int | None
    fits: bool


class SearchCostModel(BaseModel):
    """`full_cells` could not be cut further and may miss places."""

    cells: int
    places: int
    paid_calls: int
    full_cells: int


@router.get("/google-places/calls")
async def list_google_calls(
    caller: InstallationViewer, context: Context, engine: OwnerEngine
) -> CallUsageList:
    """The calls to Google by kind and month, with caps and costs."""
    prices = google_options(await current_settings(context.settings, engine, context.secret_key)).prices
    usage = await GoogleLedgerQuery(caller.engine).months(prices)
    return CallUsageList.of([CallUsageModel.model_validate(row, from_attributes=True) for row in usage])


@router.post("/google-places/preview")
async def preview_google_search(
    body: PreviewRequest, caller: Operator, context: Context, engine: OwnerEngine
) -> SearchPreviewModel:
    """What a search would cost. It makes up to a few hundred calls that are free of charge."""
    settings = await current_settings(context.settings, engine, context.secret_key)
    async with open_google(settings, engine) as client:
        preview = await preview_cost(client, body.business_type, body.box.model_dump())
    return SearchPreviewModel.model_validate(preview, from_attributes=True)


@router.get("/searches/{row_id}/cost")
async def get_search_cost(row_id: UUID, caller: Viewer) -> SearchCostModel:
    """The paid calls of a search of Google so far, and how complete it is."""
    tenant_id = caller.actor.tenant_id
    await RowQuery(caller.engine).show(SEARCH, tenant_id, str(row_id))
    cost = await GoogleLedgerQuery(caller.engine).search_cost(tenant_id, row_id)
    return SearchCostModel.model_validate(cost, from_attributes=True)
