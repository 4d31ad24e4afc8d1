"""Google Places: its ledger of calls, and what a search will cost or has cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_rows

if TYPE_CHECKING:
    from scrapersky import wiring
    from scrapersky.actions import search_request
    from scrapersky.cli.runtime import App
    from scrapersky.queries.installation import google_ledger
    from scrapersky.queries.rows import details, entities
    from scrapersky.sources import box as boxes
else:
    boxes = lazy_module("scrapersky.sources.box")
    search_request = lazy_module("scrapersky.actions.search_request")
    wiring = lazy_module("scrapersky.wiring")
    google_ledger = lazy_module("scrapersky.queries.installation.google_ledger")
    details = lazy_module("scrapersky.queries.rows.details")
    entities = lazy_module("scrapersky.queries.rows.entities")

google = click.Group("google", help=__doc__)


@database_command(google)
async def calls(app: App, as_json: bool) -> None:
    """List the calls by kind and month, with caps and costs."""
    prices = wiring.google_options(await wiring.current_settings(app.settings, app.engine)).prices
    rows = await google_ledger.GoogleLedgerQuery(app.engine).months(prices)
    echo_rows([asdict(row) for row in rows], as_json=as_json)


@database_command(google, "preview")
@click.argument("kind")
@click.option("--in", "location", default="", help='A city, such as "Portland, OR".')
@click.option("--box", default="", metavar="S,W,N,E", help="South, west, north and east in degrees.")
@click.option("--near", default="", metavar="LAT,LON", help="A point, with a radius around it.")
@click.option("--radius", "radius_km", type=float, help="Kilometres around the point or the city.")
async def preview_cost(
    app: App, kind: str, location: str, box: str, near: str, radius_km: float | None, as_json: bool
) -> None:
    """Estimate what a search for a KIND of business would cost, by free calls."""
    request = search_request.SearchRequest(
        kind=kind,
        location=location,
        source="google_places",
        box=boxes.parse_box(box) if box else None,
        near=boxes.parse_point(near) if near else None,
        radius_km=radius_km,
    )
    plan = search_request.plan_search(request, wiring.known_sources(app.settings))
    settings = await wiring.current_settings(app.settings, app.engine)
    async with wiring.open_google(settings, app.engine) as client:
        estimate = await google_ledger.preview_cost(client, plan.kind, plan.params["box"])
    if as_json:
        echo_json({**asdict(estimate), "fits": estimate.fits})
        return
    about = "" if estimate.is_exact else "about "
    echo(
        f"{about}{estimate.places:,} places, {about}{estimate.paid_calls:,} paid calls,"
        f" {about}{estimate.usd:,.2f} USD"
    )
    if not estimate.fits:
        echo(f"The cap leaves {estimate.calls_left:,} calls this month.", err=True)


@database_command(google)
@click.argument("search_id", metavar="ID", type=click.UUID)
async def cost(app: App, search_id: UUID, as_json: bool) -> None:
    """Show what a search has cost so far, and how complete it is."""
    await details.RowQuery(app.engine).show(entities.SEARCH, app.tenant_id, str(search_id))
    row = asdict(await google_ledger.GoogleLedgerQuery(app.engine).search_cost(app.tenant_id, search_id))
    if as_json:
        echo_json(row)
    else:
        echo_fields(row)
