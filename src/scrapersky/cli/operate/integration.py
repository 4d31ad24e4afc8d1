"""Outside services: list them, and test whether they accept us."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.exit_codes import FAILED, UNAVAILABLE
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_json, echo_rows
from scrapersky.cli.program import with_program_name
from scrapersky.declarations.statuses import DESTINATION_KIND
from scrapersky.errors import NotFound

if TYPE_CHECKING:
    from scrapersky import database, secret_key, wiring
    from scrapersky.actions.delivery import checks
    from scrapersky.cli import runtime
    from scrapersky.queries.delivery import destinations as destination_queries
    from scrapersky.queries.installation import integrations
    from scrapersky.settings import Settings
else:
    database = lazy_module("scrapersky.database")
    secret_key = lazy_module("scrapersky.secret_key")
    checks = lazy_module("scrapersky.actions.delivery.checks")
    runtime = lazy_module("scrapersky.cli.runtime")
    destination_queries = lazy_module("scrapersky.queries.delivery.destinations")
    integrations = lazy_module("scrapersky.queries.installation.integrations")
    wiring = lazy_module("scrapersky.wiring")

integration = click.Group("integration", help=__doc__)


@command(integration, "list")
async def list_integrations(settings: Settings, as_json: bool) -> None:
    """List the services, and whether the settings switch them on."""
    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "is_configured": entry.is_configured,
            "needs": ", ".join(entry.needs),
            "purpose": entry.purpose,
        }
        for entry in wiring.integrations(settings).values()
    ]
    echo_rows(rows, as_json=as_json)


@command(integration, "test")
@click.argument("name")
async def test_integration(settings: Settings, name: str, as_json: bool) -> int | None:
    """Call the service NAME once, or the destinations of that name or kind; print whether it accepts us."""
    known = wiring.integrations(settings)
    if name in known:
        results = [await integrations.check_integration(known[name])]
    else:
        results = await _test_destinations(settings, name, known)
    for result in results:
        if as_json:
            echo_json({"name": result.name, "status": result.status, "message": result.message})
        else:
            echo(f"{result.name}: {result.status}" + (f" ({result.message})" if result.message else ""))
    statuses = {result.status for result in results}
    if statuses == {integrations.OK}:
        return None
    return UNAVAILABLE if integrations.FAILED in statuses else FAILED


async def _test_destinations(
    settings: Settings, name: str, services: Collection[str]
) -> list[integrations.IntegrationResult]:
    """Call each destination with this name, kind or id with an invented contact."""
    async with database.open_database(settings) as engine:
        actor = await runtime.current_actor(settings, engine)
        rows = await destination_queries.DestinationQuery(engine, actor.tenant_id).list_destinations()
        named = [row for row in rows if name in (row["name"], row["kind"], str(row["id"]))]
        if not named and name in DESTINATION_KIND:
            hint = f"add one: {with_program_name('scrapersky destination add')} NAME {name}"
            return [integrations.IntegrationResult(name, integrations.NOT_CONFIGURED, hint)]
        if not named:
            expected = ", ".join([*services, *DESTINATION_KIND, *(row["name"] for row in rows)])
            raise NotFound(f"Invalid integration {name!r}; expected one of {expected}")
        key = secret_key.load_secret_key(settings)
        async with wiring.open_destinations(settings) as kinds:
            return [await checks.check_destination(engine, actor, key, kinds, row["id"]) for row in named]
