"""The lead score: show and change its parts, or explain the score of a contact."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky.actions import lead_score as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries import lead_score as queries
    from scrapersky.queries.rows import details, entities
else:
    actions = lazy_module("scrapersky.actions.lead_score")
    details = lazy_module("scrapersky.queries.rows.details")
    entities = lazy_module("scrapersky.queries.rows.entities")
    queries = lazy_module("scrapersky.queries.lead_score")

score = click.Group("score", help=__doc__)
part_argument = click.argument("part", metavar="PART")
COLUMNS = ("part", "weight", "default_weight", "words", "about")


@database_command(score, "list")
async def list_parts(app: App, as_json: bool) -> None:
    """List the parts of the score with their weights."""
    parts = await queries.LeadScoreQuery(app.engine, app.tenant_id).parts()
    echo_rows([asdict(part) for part in parts], as_json=as_json, columns=COLUMNS)


@database_command(score, "set", json=False)
@part_argument
@click.option("--weight", type=click.IntRange(0, 100), help="How much the part counts beside the others.")
@click.option("--word", "words", multiple=True, help="What it looks for, such as dentist; may be repeated.")
@click.option("--no-words", is_flag=True, help="Look for nothing; the part is left out.")
async def set_part(app: App, part: str, weight: int | None, words: tuple[str, ...], no_words: bool) -> None:
    """Change a part; all contacts are scored again."""
    if no_words and words:
        raise click.UsageError("Pass --word or --no-words; not both.")
    if weight is None and not words and not no_words:
        raise click.UsageError("Pass --weight, --word or --no-words.")
    chosen = list(words) if words or no_words else None
    await actions.set_score_part(app.engine, app.actor, part, weight=weight, words=chosen)
    echo_message(f"{part} is changed; contacts are scored again while a worker runs")


@database_command(score, "unset", json=False)
@part_argument
async def unset_part(app: App, part: str) -> None:
    """Return a part to its default."""
    await actions.reset_score_part(app.engine, app.actor, part)
    echo_message(f"{part} has its default")


@database_command(score)
@click.argument("contact", metavar="CONTACT")
async def why(app: App, contact: str, as_json: bool) -> None:
    """Explain the score of a contact, by its id or e-mail address."""
    row = await details.RowQuery(app.engine).show(entities.get_entity("contact"), app.tenant_id, contact)
    if as_json:
        echo_json({name: row[name] for name in ("id", "lead_score", "lead_score_parts", "is_score_due")})
        return
    if not row["lead_score_parts"]:
        echo_message("The contact has no score yet; a running worker computes it within seconds.")
        return
    echo(f"{row['lead_score']} of 100")
    listed = sorted(row["lead_score_parts"].items(), key=lambda entry: -entry[1]["points"])
    echo_rows([{"part": name, **part} for name, part in listed], as_json=False)
