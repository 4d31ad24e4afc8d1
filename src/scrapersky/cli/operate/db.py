"""The database: migrate, status, inspect, recount, backup, restore, import-legacy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import command, database_command
from scrapersky.cli.exit_codes import FAILED
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import limit_option, yes_option
from scrapersky.cli.output import echo, echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky import database, queries, wiring
    from scrapersky.cli.runtime import App
    from scrapersky.processes import backups, legacy_import
    from scrapersky.settings import Settings
else:
    backups = lazy_module("scrapersky.processes.backups")
    database = lazy_module("scrapersky.database")
    legacy_import = lazy_module("scrapersky.processes.legacy_import")
    queries = lazy_module("scrapersky.queries")
    wiring = lazy_module("scrapersky.wiring")

db = click.Group("db", help=__doc__)


@command(db)
async def migrate(settings: Settings, as_json: bool) -> None:
    """Migrate the database to the newest schema."""
    _print_state(await database.database_state(settings, migrated=True), as_json=as_json)


@command(db)
async def status(settings: Settings, as_json: bool) -> int:
    """Show the schema version of the database and the one that this program needs."""
    state = await database.database_state(settings)
    _print_state(state, as_json=as_json)
    return 0 if state["up_to_date"] else FAILED


def _print_state(state: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        echo_json(state)
    else:
        click.echo("  ".join(f"{name}: {value}" for name, value in state.items()))


def check_columns(*, table: str | None, columns: bool, **_: Any) -> None:
    if columns and table is None:
        raise click.UsageError("--columns needs a TABLE")


@database_command(db, check=check_columns)
@click.argument("table", required=False)
@limit_option(default=20)
@click.option("--columns", is_flag=True, help="The columns of TABLE instead of its rows.")
async def inspect(app: App, table: str | None, limit: int, columns: bool, as_json: bool) -> None:
    """Show the tables with their sizes, or the newest rows or the columns of TABLE."""
    query = queries.TableQuery(app.engine)
    if table is None:
        rows = await query.tables()
    else:
        rows = await (query.columns_of(table) if columns else query.rows_of(table, limit))
    echo_rows(rows, as_json=as_json)


@database_command(db)
async def recount(app: App, as_json: bool) -> None:
    """Compare the stored row counts with the rows and correct them."""

    maintenance = wiring.build_maintenance(app.settings, app.engine, wiring.build_log(app.settings))
    wrong = await maintenance.repair_counts()
    if as_json:
        echo_json(wrong)
    else:
        corrected = ", ".join(f"{table}: {number} corrected" for table, number in wrong.items())
        click.echo(corrected or "All counts are correct.")


@command(db, json=False)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
async def backup(settings: Settings, file: Path, force: bool) -> None:
    """Back up the whole database to FILE (pg_dump's custom format, readable by its owner only)."""
    size = await backups.back_up(settings, file, force=force)
    echo(f"{file}: {size} bytes", err=True)


@command(db, json=False)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@yes_option
async def restore(settings: Settings, file: Path, yes: bool) -> None:
    """Replace the database by the backup in FILE, which is checked before anything changes."""
    if not yes:
        click.confirm("Replace everything in the database by this backup?", abort=True, err=True)
    await backups.restore(settings, file)
    echo("restored", err=True)


@database_command(db, "import-legacy")
@click.argument("url")
async def import_legacy(app: App, url: str, as_json: bool) -> int:
    """Bring over an original ScraperSky database.

    URL is postgresql://USER:PASSWORD@HOST/DATABASE, or - to read it from standard input, where other users of
    this machine do not see it. The source is only read. What is here already stays as it is, so the command
    can be repeated; one that was interrupted is continued by the workers.
    """
    address = sys.stdin.readline().strip() if url == "-" else url
    job = await legacy_import.import_legacy(app.settings, app.engine, app.actor, address, echo_message)
    if not legacy_import.is_complete(job):
        reason = job["error"] or "it is not finished"
        echo_message(f"job {job['id']} is {job['status']}: {reason}; scrapersky job show {job['id']}")
        return FAILED
    report = legacy_import.report_lines(job["result_data"])
    echo_rows(report, as_json=as_json)
    echo_message(f"Every changed, merged and refused row: scrapersky db import-notes {job['id']}")
    return 0


@database_command(db, "import-notes")
@click.argument("job")
async def import_notes(app: App, job: str, as_json: bool) -> None:
    """List the rows that the import JOB changed, merged or refused, with the reason."""
    echo_rows(await queries.JobQuery(app.engine, app.tenant_id).import_notes(job), as_json=as_json)
