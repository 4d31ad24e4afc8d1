"""Decide which places are the same business: list, show, same, different, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import limit_option
from scrapersky.cli.output import echo_fields, echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky.actions import place_matches as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.places import matches as queries
else:
    actions = lazy_module("scrapersky.actions.place_matches")
    queries = lazy_module("scrapersky.queries.places.matches")

match = click.Group("match", help=__doc__)
id_argument = click.argument("match_id", metavar="ID", type=click.UUID)


@database_command(match, "list")
@click.option(
    "--verdict", type=click.Choice(["same", "different", "unsure"]), help="unsure waits for a person."
)
@limit_option(10_000)
async def list_matches(app: App, verdict: str | None, limit: int, as_json: bool) -> None:
    """List the pairs in the order in which they were found."""
    rows = await _query(app).page(verdict=verdict, limit=limit)
    if as_json:
        echo_rows(rows, as_json=True)
        return
    lines = [
        {
            "id": row["id"],
            "verdict": row["verdict"],
            "log_odds": row["log_odds"],
            "one": f"{row['place_a']['name']} ({row['place_a']['source']})",
            "other": f"{row['place_b']['name']} ({row['place_b']['source']})",
        }
        for row in rows
    ]
    echo_rows(lines, as_json=False)


@database_command(match)
@id_argument
async def show(app: App, match_id: UUID, as_json: bool) -> None:
    """Show both places and the evidence."""
    row = await _query(app).show(match_id)
    if as_json:
        echo_json(row)
        return
    pair = [row.pop("place_a"), row.pop("place_b")]
    evidence = row.pop("evidence")
    echo_fields(row)
    echo_rows(pair, as_json=False)
    echo_rows([{"evidence": name, **piece} for name, piece in evidence.items()], as_json=False)


@database_command(match, json=False)
@id_argument
async def same(app: App, match_id: UUID) -> None:
    """Say that both places are the same business."""
    await actions.decide_match(app.engine, app.actor, match_id, "same")
    echo_message("The places are linked")


@database_command(match, json=False)
@id_argument
async def different(app: App, match_id: UUID) -> None:
    """Say that the places are different businesses."""
    await actions.decide_match(app.engine, app.actor, match_id, "different")
    echo_message("The places are kept apart")


@database_command(match, json=False)
@id_argument
async def reset(app: App, match_id: UUID) -> None:
    """Take a decision back; the evidence decides again."""
    await actions.reset_match(app.engine, app.actor, match_id)
    echo_message("The evidence decides again")


def _query(app: App) -> queries.PlaceMatchQuery:
    return queries.PlaceMatchQuery(app.engine, app.tenant_id)
