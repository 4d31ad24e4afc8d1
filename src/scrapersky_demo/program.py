"""A place search in the invented world, followed to contacts, compared with what the world knows."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.cli.exit_codes import FAILED, INTERRUPTED, PART_FAILED
from scrapersky.cli.output import echo, echo_json, echo_message, echo_rows
from scrapersky.cli.progress import ProgressDisplay, result_line
from scrapersky.cli.runtime import current_actor
from scrapersky.database import open_database
from scrapersky.destinations.contact_file import write_contacts
from scrapersky.log import pluralize
from scrapersky.processes.pipeline_run import RunProgress, follow, running_pipeline
from scrapersky.processes.shutdown import announced_shutdown
from scrapersky.queries import ProgressQuery
from scrapersky.queries.contacts import ContactQuery, own_contacts
from scrapersky.settings import Settings
from scrapersky.wiring import build_log
from scrapersky_demo.environment import demo_folder, demo_settings, running_world
from scrapersky_demo.evaluation import score
from scrapersky_demo.source import DEMO_SOURCES, DemoSource
from scrapersky_demo.world import World

CONTACTS_SHOWN = 20
COLUMNS = ("domain", "email", "phone_number", "name", "job_title", "source_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    size: int
    seed: int
    output: Path
    timeout_seconds: float
    as_json: bool
    quiet: bool


async def run_demo(
    settings: Settings, options: DemoOptions, stop: asyncio.Event, force: asyncio.Event
) -> int:
    """Run the demo; gives the exit code."""
    folder = demo_folder(settings)
    display = ProgressDisplay(quiet=options.quiet)
    world = World(options.seed, options.size)
    async with running_world(options.seed, options.size) as port:
        settings = demo_settings(settings, port)
        shutdown = announced_shutdown(stop, display.interrupt, settings.shutdown_grace_seconds)
        async with shutdown as workers, open_database(settings, migrated=True) as engine:
            actor = await current_actor(settings, engine)
            await submit_search(engine, actor, SearchRequest(source="demo"), DEMO_SOURCES)

            progress, queries = RunProgress(), ProgressQuery(engine)
            # What became of single rows is counted at the end; errors of the engine itself are logged.
            log = build_log(settings, exclude=("item_processed",))
            sources = {"demo": DemoSource(world)}
            async with running_pipeline(
                settings, engine, log, force=force, sources=sources, schemes=("http",)
            ) as pipeline:
                workers.append(pipeline.worker)
                async for progress in follow(
                    pipeline, queries.of_everything, stop, timeout_seconds=options.timeout_seconds
                ):
                    display.show(progress.counts, progress.seconds)

            domains = set(world.domains())
            stream = ContactQuery(engine).stream(settings.default_tenant_id)
            contacts, boilerplate = own_contacts(
                [contact async for contact in stream if contact["domain"] in domains]
            )
    await asyncio.to_thread(write_contacts, options.output, contacts)
    display.end()
    summary = _summary(world, contacts, boilerplate, progress)
    if options.as_json:
        echo_json(summary)
    else:
        _print_table(contacts, summary, progress, options.output)
        echo_message(f"To look at it: DATA_FOLDER={shlex.quote(str(folder))} scrapersky contact list")
    return _exit_code(contacts, progress)


def _summary(
    world: World, contacts: list[dict[str, Any]], boilerplate: int, progress: RunProgress
) -> dict[str, Any]:
    fields = ("email", "phone_number")
    extracted = [
        (contact["domain"], contact[name]) for contact in contacts for name in fields if contact[name]
    ]
    verdict = score(extracted, world.truth())
    return {
        "precision": round(verdict.precision, 4),
        "recall": round(verdict.recall, 4),
        "contacts": len(contacts),
        "pages": progress.done("read_page"),
        "domains": progress.done("read_metadata"),
        "later": progress.later,
        "seconds": round(progress.seconds, 1),
        "boilerplate": boilerplate,
    }


def _print_table(
    contacts: list[dict[str, Any]], summary: dict[str, Any], progress: RunProgress, output: Path
) -> None:
    echo_rows(contacts[:CONTACTS_SHOWN], as_json=False, columns=COLUMNS)
    if len(contacts) > CONTACTS_SHOWN:
        echo(f"... and {len(contacts) - CONTACTS_SHOWN} more in {output}", err=True)
    measured = f"precision {summary['precision']:.2%}, recall {summary['recall']:.2%}"
    echo(f"{measured}; {pluralize(summary['domains'], 'domain')}, {result_line(summary, output)}", err=True)
    if progress.timed_out:
        echo("The time limit was reached. Run the same command to resume.", err=True)


def _exit_code(contacts: list[dict[str, Any]], progress: RunProgress) -> int:
    if progress.interrupted:
        return INTERRUPTED
    if progress.timed_out:
        return PART_FAILED
    return 0 if contacts else FAILED
