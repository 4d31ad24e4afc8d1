"""The commands that places, businesses, domains, sitemaps, pages and contacts share, declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.changing import change_rows, run_rows
from scrapersky.cli.program import tell
from scrapersky.cli.running import echo_fields, echo_json, echo_rows, json_option, run

if TYPE_CHECKING:
    from scrapersky.queries.entities import Filters
    from scrapersky.settings import Settings

# What -q looks into, in the words of people; the columns are those of the entity.
SEARCHED = {
    "place": "name, address or website",
    "business": "name, address or website",
    "domain": "domain name",
    "sitemap": "URL",
    "page": "URL",
    "contact": "e-mail address, name or phone number",
}
DECISIONS = ("new", "selected", "maybe", "rejected", "archived", "not-a-fit")


def filter_options(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The filters an entity has; the same words as in an address of the web pages."""
    options = [
        click.option("--status", help="Progress of its work, such as queued, complete, error, or none."),
        click.option("-q", "--contains", help=f"Text in its {SEARCHED[name]}, in any case."),
        click.option("--error", help="Text in its error."),
    ]
    if name not in ("place",):
        options.append(click.option("--domain", help="Of this website only."))
    if name == "page":
        options.append(click.option("--priority", type=click.IntRange(1, 3), help="1 is read first."))
        options.append(click.option("--page-type", help="Such as CONTACT_ROOT."))

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def read_filters(given: dict[str, Any], decision: str | None = None) -> Filters:
    from scrapersky.queries.entities import Filters

    return Filters(decision=decision, **given)


def entity_group(name: str, about: str) -> click.Group:
    """A group with list, show, set, reset and run for one kind of row."""
    group = click.Group(name, help=about)
    for command in (_list(name), _show(name), _set(name), _reset(name), _run(name)):
        group.add_command(command)
    return group


def _list(name: str) -> click.Command:
    @click.command("list")
    @click.option(
        "--decision", type=click.Choice(DECISIONS, case_sensitive=False), help="Filter by curation status."
    )
    @filter_options(name)
    @click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
    @click.option("--ids", is_flag=True, help="Print identifiers alone, for other commands.")
    @json_option
    def list_rows(decision: str | None, limit: int, ids: bool, as_json: bool, **given: Any) -> None:
        """The newest rows that match."""

        async def main(settings: Settings) -> None:
            from scrapersky.database import open_database
            from scrapersky.queries.entities import get_entity
            from scrapersky.queries.rows import RowQuery

            filters = read_filters(given, decision)
            async with open_database(settings) as engine:
                entity = get_entity(name)
                rows = await RowQuery(engine).listed(entity, settings.default_tenant_id, filters, limit=limit)
            if ids:
                for row in rows:
                    click.echo(row["id"])
            else:
                echo_rows(rows, as_json=as_json)

        run(main)

    return list_rows


def _show(name: str) -> click.Command:
    @click.command()
    @click.argument("which")
    @json_option
    def show(which: str, as_json: bool) -> None:
        """One row whole, by its identifier, host or URL."""

        async def main(settings: Settings) -> None:
            from scrapersky.database import open_database
            from scrapersky.queries.entities import get_entity
            from scrapersky.queries.rows import RowQuery

            async with open_database(settings) as engine:
                row = await RowQuery(engine).show(get_entity(name), settings.default_tenant_id, which)
            if as_json:
                echo_json(row)
                return
            echo_fields(row)
            if any(row[queue.error] for queue in get_entity(name).queues):
                tell(f"Retry now: scrapersky {name} run {which}")

        run(main)

    return show


def _set(name: str) -> click.Command:
    @click.command("set")
    @click.argument("which", nargs=-1)
    @click.option("--decision", type=click.Choice(DECISIONS, case_sensitive=False), required=True)
    @click.option(
        "--from", "decided", type=click.Choice(DECISIONS), help="Filter by current curation status."
    )
    @filter_options(name)
    @click.option("--all", "everything", is_flag=True, help="All rows.")
    @click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
    @click.option("--dry-run", is_flag=True, help="Say how many, change nothing.")
    @json_option
    def set_decision(which: tuple[str, ...], decision: str, decided: str | None, **given: Any) -> None:
        """Decide about rows: those named, or all that match. Selected also queues them."""
        change_rows(name, which, given, decision=decision, decided=decided)

    return set_decision


def _reset(name: str) -> click.Command:
    @click.command()
    @click.argument("which", nargs=-1)
    @click.option("--decision", "decided", type=click.Choice(DECISIONS), help="Filter by curation status.")
    @filter_options(name)
    @click.option("--all", "everything", is_flag=True, help="All rows.")
    @click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
    @click.option("--dry-run", is_flag=True, help="Say how many, change nothing.")
    @json_option
    def reset(which: tuple[str, ...], decided: str | None, **given: Any) -> None:
        """Back to new: decision, error and tries are cleared, and work begins as for a new row."""
        change_rows(name, which, given, decision=None, decided=decided)

    return reset


def _run(name: str) -> click.Command:
    @click.command("run")
    @click.argument("which", nargs=-1, required=True)
    @json_option
    def run_now(which: tuple[str, ...], as_json: bool) -> None:
        """Process rows now, in this process, and show what came out."""
        run_rows(name, which, as_json=as_json)

    return run_now
