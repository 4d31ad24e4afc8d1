"""`scrapersky db`: migrate, status, inspect, backup and restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.running import echo_json, echo_rows, json_option, run

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.group()
def db() -> None:
    """Migrate, inspect, back up and restore the database."""


@db.command()
@json_option
def migrate(as_json: bool) -> None:
    """Bring the database to the newest schema."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import database_state

        state = await database_state(settings, migrated=True)
        _tell(state, as_json)

    run(main)


@db.command()
@json_option
def status(as_json: bool) -> None:
    """The schema that the database has, beside the one this program needs."""

    async def main(settings: Settings) -> int:
        from scrapersky.database import database_state

        state = await database_state(settings)
        _tell(state, as_json)
        return 0 if state["up_to_date"] else 1

    raise SystemExit(run(main))


def _tell(state: dict[str, object], as_json: bool) -> None:
    if as_json:
        echo_json(state)
    else:
        click.echo("  ".join(f"{name}: {value}" for name, value in state.items()))


@db.command()
@click.argument("table", required=False)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--columns", is_flag=True, help="The columns of TABLE instead of its rows.")
@json_option
def inspect(table: str | None, limit: int, columns: bool, as_json: bool) -> None:
    """The tables with their sizes, or the newest rows or the columns of one."""
    if columns and table is None:
        raise click.UsageError("--columns needs a TABLE")

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.queries import TableQuery

        async with open_database(settings) as engine:
            look = TableQuery(engine)
            if table is None:
                rows = await look.tables()
            else:
                rows = await (look.columns_of(table) if columns else look.rows_of(table, limit))
            echo_rows(rows, as_json=as_json)

    run(main)


@db.command()
@json_option
def recount(as_json: bool) -> None:
    """Compare the row counts with the rows and correct them."""

    async def main(settings: Settings) -> dict[str, int]:
        from scrapersky.database import open_database
        from scrapersky.wiring import build_log, build_maintenance

        async with open_database(settings) as engine:
            return await build_maintenance(settings, engine, build_log(settings)).repair_counts()

    wrong = run(main)
    if as_json:
        echo_json(wrong)
    else:
        click.echo(
            ", ".join(f"{table}: {number} corrected" for table, number in wrong.items())
            or "All counts are correct."
        )


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def backup(file: Path, force: bool) -> None:
    """Write everything to FILE (pg_dump's custom format, readable by its owner alone)."""

    async def main(settings: Settings) -> int:
        from scrapersky.processes.backups import back_up

        return await back_up(settings, file, force=force)

    size = run(main)
    click.echo(f"{file}: {size} bytes", err=True)


@db.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Replace what is there without asking.")
def restore(file: Path, yes: bool) -> None:
    """Replace the database by FILE; the file is checked before anything is touched."""
    if not yes:
        click.confirm("Replace everything in the database by this backup?", abort=True, err=True)

    async def main(settings: Settings) -> None:
        from scrapersky.processes.backups import restore as restore_from

        await restore_from(settings, file)

    run(main)
    click.echo("restored", err=True)
