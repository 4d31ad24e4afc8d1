"""Changes to many rows from the command line: how many, a question, the change, and what it came to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from scrapersky.cli.program import named, tell
from scrapersky.cli.running import echo_json, echo_rows, fail, printable, run
from scrapersky.wording import counted, local_time

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from scrapersky.actions.actor import Actor
    from scrapersky.queries import Remaining
    from scrapersky.queries.entities import Entity, Filters
    from scrapersky.settings import Settings

FAILED, WRONG_USE = 1, 2


def who_of(settings: Settings) -> Actor:
    """Whoever uses the command line acts as the system, in the default tenant."""
    from scrapersky.actions.actor import Actor

    return Actor(settings.default_tenant_id, settings.scheduler_system_user_id)


def change_rows(
    name: str, which: tuple[str, ...], given: dict[str, Any], *, decision: str | None, decided: str | None
) -> None:
    """Set a decision, or reset when there is none, on named rows or on all that match."""
    everything, yes = given.pop("everything"), given.pop("yes")
    dry_run, as_json = given.pop("dry_run"), given.pop("as_json")
    has_filter = decided is not None or any(value is not None for value in given.values())
    if bool(which) == (has_filter or everything):
        raise click.UsageError("Name rows, or give filters or --all; not both.")

    async def main(settings: Settings) -> dict[str, int] | None:
        from scrapersky.database import open_database
        from scrapersky.queries.entities import Filters, get_entity
        from scrapersky.queries.rows import RowQuery

        entity = get_entity(name)
        filters = None if which else Filters(decision=decided, **given)
        async with open_database(settings) as engine:
            rows, tenant_id = RowQuery(engine), settings.default_tenant_id
            ids = await rows.ids(entity, tenant_id, which)
            number = len(ids) if filters is None else await rows.count(entity, tenant_id, filters)
            if dry_run:
                return {"would_update": number}
            if number != 1 and not yes:
                confirm_change(number, name, hint=" or --dry-run to preview")
            return await _changed(engine, who_of(settings), entity, decision, ids, filters)

    result = run(main) or {}
    if as_json:
        echo_json(result)
    else:
        click.echo(", ".join(f"{number} {word.replace('_', ' ')}" for word, number in result.items()))


async def _changed(
    engine: AsyncEngine,
    who: Actor,
    entity: Entity,
    decision: str | None,
    ids: list[UUID],
    filters: Filters | None,
) -> dict[str, int]:
    from scrapersky.actions import curation

    if decision is None:
        return (await curation.reset(engine, who, entity, ids=ids, filters=filters)).as_dict()
    return (await curation.curate(engine, who, entity, decision, ids=ids, filters=filters)).as_dict()


def confirm_change(number: int, name: str, *, hint: str = "") -> None:
    """Ask before many rows are changed; refuse where nobody can answer."""
    if not number:
        return
    rows = counted(number, "row")
    if not sys.stdin.isatty():
        fail(f"This would change {rows} ({name}). Use --yes to confirm{hint}.", WRONG_USE)
    if not click.confirm(f"Change {rows} ({name})?", err=True):
        raise SystemExit(FAILED)


def run_rows(name: str, which: tuple[str, ...], *, as_json: bool) -> None:
    """Queue rows at the head of their queue and work on exactly these, here, until they are through."""

    async def main(settings: Settings) -> list[dict[str, Any]]:
        from scrapersky.actions import curation
        from scrapersky.database import open_database
        from scrapersky.processes.programs import run_stage_once
        from scrapersky.queries.entities import get_entity
        from scrapersky.queries.rows import RowQuery

        entity = get_entity(name)
        async with open_database(settings) as engine:
            ids = await RowQuery(engine).ids(entity, settings.default_tenant_id, which)
            await curation.run_now(engine, who_of(settings), entity, ids=ids)
            drained = await run_stage_once(settings, entity.queues[0].name, ids=ids)
            if drained.remaining.waiting:
                tell(printable(why_left(entity.queues[0].name, drained.remaining)))
            rows = RowQuery(engine)
            return [await rows.show(entity, settings.default_tenant_id, str(one)) for one in ids]

    _tell_states(name, run(main), as_json=as_json)


def why_left(stage: str, left: Remaining, *, limited: bool = False) -> str:
    """How many rows are left in a stage's queue, and what they wait for."""
    rows = "1 row is" if left.waiting == 1 else f"{left.waiting:,} rows are"
    if left.paused:
        reason = f" ({left.reason})" if left.reason else ""
        resume = named(f"scrapersky stage resume {stage}")
        return f"{rows} left: the stage is paused{reason}. Resume it with: {resume}"
    if limited:
        return f"{rows} left: the limit is reached."
    if left.wait_seconds > 0 and left.next_at:
        when = local_time(left.next_at)
        return f"{rows} left: they wait for a retry, a snooze or their host; the next is due at {when}."
    return f"{rows} left: held by another worker or session, or held back by the next stage's queue."


def _tell_states(name: str, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    from scrapersky.queries.entities import get_entity

    entity = get_entity(name)
    queue = entity.queues[0]
    shown = [
        {
            "id": row["id"],
            entity.named_by: row[entity.named_by],
            "status": row[queue.status],
            "error": row[queue.error],
            "next_try": row[queue.column("due_at")] if row[queue.status] == queue.statuses.queued else None,
        }
        for row in rows
    ]
    echo_rows(shown, as_json=as_json)
    for row in rows:
        if row[entity.decision] in queue.excluded_statuses and row[queue.status] == queue.statuses.queued:
            tell(printable(f"{row[entity.named_by]} is {row[entity.decision]} and was not processed."))
    failed = sum(row["status"] == queue.statuses.failed for row in shown)
    if failed:
        raise SystemExit(FAILED if failed == len(shown) else 5)
