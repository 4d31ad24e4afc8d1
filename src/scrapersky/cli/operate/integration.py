"""Outside services: list them, and test whether they accept us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.exit_codes import FAILED, UNAVAILABLE
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_json, echo_rows

if TYPE_CHECKING:
    from scrapersky import wiring
    from scrapersky.queries.installation import integrations
    from scrapersky.settings import Settings
else:
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
    """Call the service NAME once and print whether it accepts us."""
    chosen = integrations.find_integration(wiring.integrations(settings), name)
    result = await integrations.check_integration(chosen)
    if as_json:
        echo_json({"name": name, "status": result.status, "message": result.message})
    else:
        echo(f"{name}: {result.status}" + (f" ({result.message})" if result.message else ""))
    if result.status == integrations.OK:
        return None
    return FAILED if result.status == integrations.NOT_CONFIGURED else UNAVAILABLE
