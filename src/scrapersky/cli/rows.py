"""The verbs that work the same on places, businesses, domains, sitemaps, pages and contacts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.exit_codes import FAILED, INVALID_USAGE, PART_FAILED
from scrapersky.cli.filter_options import filter_options
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import (
    CURATION_STATUSES,
    Decorator,
    all_options,
    curation_option,
    dry_run_option,
    limit_option,
    yes_option,
)
from scrapersky.cli.output import echo_fields, echo_json, echo_message, echo_rows, fail, local_time
from scrapersky.cli.program import with_program_name
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky.actions import curation
    from scrapersky.cli.runtime import App
    from scrapersky.processes import drain
    from scrapersky.queries import Remaining
    from scrapersky.queries.rows import details as queries
    from scrapersky.queries.rows import entities, lists, sorts
    from scrapersky.queries.rows import filters as row_filters
    from scrapersky.queries.rows.entities import Entity
else:
    curation = lazy_module("scrapersky.actions.curation")
    drain = lazy_module("scrapersky.processes.drain")
    entities = lazy_module("scrapersky.queries.rows.entities")
    lists = lazy_module("scrapersky.queries.rows.lists")
    sorts = lazy_module("scrapersky.queries.rows.sorts")
    queries = lazy_module("scrapersky.queries.rows.details")
    row_filters = lazy_module("scrapersky.queries.rows.filters")

PLURALS = {
    "place": "places",
    "business": "businesses",
    "domain": "domains",
    "sitemap": "sitemaps",
    "page": "pages",
    "contact": "contacts",
}


def row_group(name: str, about: str | None) -> click.Group:
    """The group of one kind of row, with the verbs list, show, curate, reset and run."""
    group = click.Group(name, help=about)
    for add_verb in (_add_list, _add_show, _add_curate, _add_reset, _add_run):
        add_verb(group, name)
    for verb in group.commands.values():
        verb.help = (verb.help or "").replace("rows", PLURALS[name])
    return group


def change_options(name: str) -> Decorator:
    """How rows to change are chosen, and whether to ask first."""
    every = click.option("--all", "everything", is_flag=True, help="All rows.")
    return all_options(filter_options(name), every, yes_option, dry_run_option)


def check_choice(*, ids: tuple[str, ...], everything: bool, **options: Any) -> None:
    flags = {"curation_status", "yes", "dry_run", "as_json"}
    has_filter = any(value not in (None, ()) for name, value in options.items() if name not in flags)
    if not (ids or has_filter or everything):
        raise click.UsageError("Pass ids, filters or --all.")
    if ids and (has_filter or everything):
        raise click.UsageError("Pass ids, or filters or --all; not both.")


ids_argument = click.argument("ids", nargs=-1, metavar="[ID]...")


def _add_list(group: click.Group, name: str) -> None:
    @database_command(group, "list")
    @curation_option
    @filter_options(name)
    @click.option("--sort", help="Such as -created_at (the newest first), updated_at or priority_level.")
    @limit_option(100_000)
    @click.option("--ids", "ids_only", is_flag=True, help="Print only the ids, for other commands.")
    async def list_rows(
        app: App,
        curation: str | None,
        sort: str | None,
        limit: int,
        ids_only: bool,
        as_json: bool,
        **filters: Any,
    ) -> None:
        """List the rows that match, the newest first unless --sort says otherwise."""
        chosen = row_filters.Filters(curation_status=curation, **filters)
        entity = entities.get_entity(name)
        order = sorts.parse_sort(entity, sort)
        query = lists.ListQuery(app.engine, app.tenant_id)
        rows = await query.list_rows(entity, chosen, sort=order, limit=limit)
        if ids_only:
            for row in rows:
                click.echo(row["id"])
        else:
            echo_rows(rows, as_json=as_json)


def _add_show(group: click.Group, name: str) -> None:
    @database_command(group)
    @click.argument("row_id", metavar="ID")
    async def show(app: App, row_id: str, as_json: bool) -> None:
        """Show one of the rows in full, by its id, host or URL."""
        entity = entities.get_entity(name)
        row = await queries.RowQuery(app.engine).show(entity, app.tenant_id, row_id)
        if as_json:
            echo_json(row)
            return
        echo_fields(row)
        if any(row[queue.error] for queue in entity.stages):
            echo_message(f"Retry now: scrapersky {name} run {row_id}")


def _add_curate(group: click.Group, name: str) -> None:
    @database_command(group, check=check_choice)
    @click.argument("curation_status", metavar="STATUS", type=CURATION_STATUSES)
    @ids_argument
    @click.option("--current", type=CURATION_STATUSES, help="Filter by current curation status.")
    @change_options(name)
    async def curate(
        app: App, curation_status: str, ids: tuple[str, ...], current: str | None, **options: Any
    ) -> None:
        """Set the curation status of rows.

        Changes the rows that are named, or all that match. STATUS is new, selected, maybe, rejected,
        archived or not-a-fit. Selected rows are also queued.
        """
        await _change(app, name, ids, options, status=curation_status, current=current)


def _add_reset(group: click.Group, name: str) -> None:
    @database_command(group, check=check_choice)
    @ids_argument
    @click.option("--curation", "current", type=CURATION_STATUSES, help="Filter by curation status.")
    @change_options(name)
    async def reset(app: App, ids: tuple[str, ...], current: str | None, **options: Any) -> None:
        """Reset rows to new and process them again.

        Clears the curation status, the error and the attempts of rows: those named, or all that match.
        """
        await _change(app, name, ids, options, status=None, current=current)


def _add_run(group: click.Group, name: str) -> None:
    @database_command(group)
    @click.argument("ids", nargs=-1, required=True, metavar="ID...")
    async def run(app: App, ids: tuple[str, ...], as_json: bool) -> int:
        """Process rows now, in this process, and show the result."""
        entity, rows = entities.get_entity(name), queries.RowQuery(app.engine)
        queue = entity.first_stage
        row_ids = await rows.ids(entity, app.tenant_id, ids)
        await curation.run_now(app.engine, app.actor, entity, ids=row_ids)
        drained = await drain.drain_stage(app.settings, queue.name, ids=row_ids)
        if drained.remaining.waiting:
            echo_message(remaining_message(queue.name, drained.remaining))
        results = [await rows.show(entity, app.tenant_id, str(row_id)) for row_id in row_ids]
        return _print_results(entity, results, as_json=as_json)


async def _change(
    app: App,
    name: str,
    arguments: tuple[str, ...],
    options: dict[str, Any],
    *,
    status: str | None,
    current: str | None,
) -> None:
    """Curate rows, or reset them when there is no status: those named, or all that match."""
    dry_run, as_json = options.pop("dry_run"), options.pop("as_json")
    yes, _ = options.pop("yes"), options.pop("everything")
    filters = row_filters.Filters(curation_status=current, **options)
    entity, rows = entities.get_entity(name), queries.RowQuery(app.engine)
    ids = await rows.ids(entity, app.tenant_id, arguments)
    listed = lists.ListQuery(app.engine, app.tenant_id)
    number = len(ids) if arguments else await listed.count(entity, filters)
    if dry_run:
        _print_change({"would_update": number}, as_json=as_json)
        return
    if number != 1 and not yes:
        confirm(number, name, hint=" or --dry-run to preview")
    chosen: dict[str, Any] = {"ids": ids, "filters": None if arguments else filters}
    if status is None:
        changed = await curation.reset(app.engine, app.actor, entity, **chosen)
    else:
        changed = await curation.curate(app.engine, app.actor, entity, status, **chosen)
    if as_json:
        echo_json({**changed.as_dict(), "operation_id": changed.operation_id})
        return
    _print_change(changed.as_dict(), as_json=False)
    if changed.operation_id is not None:
        echo_message(with_program_name(f"Undo with: scrapersky operation undo {changed.operation_id}"))


def _print_change(result: dict[str, int], *, as_json: bool) -> None:
    if as_json:
        echo_json(result)
    else:
        click.echo(", ".join(f"{number} {word.replace('_', ' ')}" for word, number in result.items()))


def confirm(number: int, what: str, *, hint: str = "") -> None:
    """Ask before many rows are changed; refuse where nobody can answer."""
    if not number:
        return
    rows = pluralize(number, "row")
    if not sys.stdin.isatty():
        fail(f"This would change {rows} ({what}). Use --yes to confirm{hint}.", INVALID_USAGE)
    if not click.confirm(f"Change {rows} ({what})?", err=True):
        raise SystemExit(FAILED)


def remaining_message(stage: str, remaining: Remaining, *, limited: bool = False) -> str:
    """How many rows are left in a stage's queue, and what they wait for."""
    rows = "1 row is" if remaining.waiting == 1 else f"{remaining.waiting:,} rows are"
    if remaining.paused:
        reason = f" ({remaining.reason})" if remaining.reason else ""
        resume = with_program_name(f"scrapersky stage resume {stage}")
        return f"{rows} left: the stage is paused{reason}. Resume it with: {resume}"
    if limited:
        return f"{rows} left: the limit is reached."
    if remaining.wait_seconds > 0 and remaining.next_at:
        due = local_time(remaining.next_at)
        return f"{rows} left: waiting for a retry, a snooze or the host; the next is due at {due}."
    return f"{rows} left: held by another worker or session, or held back by the next stage's queue."


def _print_results(entity: Entity, rows: list[dict[str, Any]], *, as_json: bool) -> int:
    """The state of rows after a run; the exit code tells whether some or all of them failed."""
    queue = entity.first_stage
    results = [
        {
            "id": row["id"],
            entity.name_column: row[entity.name_column],
            "status": row[queue.status],
            "error": row[queue.error],
            "next_try": row[queue.column("due_at")] if row[queue.status] == queue.statuses.queued else None,
        }
        for row in rows
    ]
    echo_rows(results, as_json=as_json)
    for row in rows:
        if (
            row[entity.curation_column] in queue.excluded_statuses
            and row[queue.status] == queue.statuses.queued
        ):
            echo_message(f"{row[entity.name_column]} is {row[entity.curation_column]} and was not processed.")
    failed = sum(result["status"] == queue.statuses.failed for result in results)
    return 0 if not failed else FAILED if failed == len(results) else PART_FAILED
