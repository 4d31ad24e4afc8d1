"""Searches: lists, single searches, and new ones."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.search_request import MAX_KIND, MAX_LOCATION, MAX_SOURCE, SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.api.caller import Context, Operator
from scrapersky.api.context import PREFIX
from scrapersky.api.lists import list_router
from scrapersky.api.models import Body
from scrapersky.declarations import SEARCH_PLACES
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.extract.geography import country_code
from scrapersky.queries.rows.entities import SEARCH
from scrapersky.sources.box import MAX_RADIUS_KM, MIN_RADIUS_KM, Box
from scrapersky.sources.source import MAX_PLACES
from scrapersky.wiring import known_sources

router = list_router(SEARCH, "/searches")

Degrees = Annotated[float, Field(ge=-180, le=180)]


class BoxBody(Body):
    south: Degrees
    west: Degrees
    north: Degrees
    east: Degrees


class PointBody(Body):
    latitude: Degrees
    longitude: Degrees


class SearchBody(Body):
    """A kind of business and one place: a location, a box or a point."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"business_type": "bakery", "location": "Berlin"}]}
    )

    business_type: Annotated[str, Field(min_length=1, max_length=MAX_KIND)]
    location: Annotated[
        str,
        Field(
            max_length=MAX_LOCATION, description='A city, such as "Portland, OR", or a candidate\'s place.'
        ),
    ] = ""
    box: BoxBody | None = None
    near: PointBody | None = None
    radius_km: Annotated[float | None, Field(ge=MIN_RADIUS_KM, le=MAX_RADIUS_KM)] = None
    country: Annotated[str, Field(max_length=60, description="Country of the city: a code or a name.")] = ""
    source: Annotated[
        str,
        Field(max_length=MAX_SOURCE, description="Name of a source; without it, the first with data."),
    ] = ""
    limit: Annotated[int | None, Field(ge=1, le=MAX_PLACES, description="Maximum places.")] = None
    tenant_id: Annotated[UUID | None, Field(description="Only one's own tenant is accepted.")] = None


class AcceptedSearch(BaseModel):
    """`place` is the place as it was understood, `box` what is searched."""

    id: UUID
    status: str
    source: str
    place: str
    box: dict[str, float] | None
    status_url: str


@router.post("", status_code=202)
async def add_search(
    body: SearchBody, caller: Operator, context: Context, response: Response
) -> AcceptedSearch:
    """Queue a search. An ambiguous location is refused with `candidates`; send the `place` of one instead."""
    if body.tenant_id not in (None, caller.actor.tenant_id):
        raise NotFound(f"There is no tenant {body.tenant_id}")
    sources = known_sources(context.settings)
    if body.source in sources and not sources[body.source].needs_area:
        raise InvalidInput(f"The source {body.source} reads a file; send it to {PREFIX}/searches/import-csv")
    submitted = await submit_search(caller.engine, caller.actor, _request(body), sources)
    status_url = f"{PREFIX}/searches/{submitted.id}"
    response.headers["Location"] = status_url
    return AcceptedSearch(
        id=submitted.id,
        status=SEARCH_PLACES.statuses.queued,
        source=submitted.source,
        place=submitted.place,
        box=submitted.params.get("box"),
        status_url=status_url,
    )


def _request(body: SearchBody) -> SearchRequest:
    country = country_code(body.country) if body.country else ""
    if country is None:
        raise InvalidInput(f"Invalid country {body.country!r}; expected a code such as DE")
    return SearchRequest(
        kind=body.business_type,
        location=body.location,
        source=body.source,
        country=country,
        box=Box(**body.box.model_dump()) if body.box else None,
        near=(body.near.latitude, body.near.longitude) if body.near else None,
        radius_km=body.radius_km,
        params={"limit": body.limit} if body.limit else {},
    )
