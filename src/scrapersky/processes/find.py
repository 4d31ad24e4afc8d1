"""From a list of domains, or the demo world, to contacts: runs the pipeline here and waits for it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.searches import submit_search
from scrapersky.database import data_folder, open_database
from scrapersky.destinations.contact_file import detect_format, open_contact_file
from scrapersky.destinations.contact_format import ExportOptions
from scrapersky.engine.database import Database
from scrapersky.engine.worker import Worker
from scrapersky.errors import StartupError
from scrapersky.processes.programs import run_worker
from scrapersky.queries import ProgressQuery, is_finished
from scrapersky.queries.contacts import ContactQuery, own_contacts
from scrapersky.settings import Settings
from scrapersky.wiring import build_context, build_log
from scrapersky_demo.scoring import score
from scrapersky_demo.source import DemoSource
from scrapersky_demo.world import World

Counts = dict[str, dict[str, int]]
Show = Callable[[Counts, float], None]
Say = Callable[[str], None]
LOOK_SECONDS = 0.5
# To count a million rows takes a while, and the work needs the database more than the display does.
LOOK_SHARE = 0.05
# A person waits for these runs: all retries happen within them, and nothing is waited for at the end.
RETRY_BASE_SECONDS, STOP_GRACE_SECONDS = 3, 3
LABORATORY = {
    "host_delay_milliseconds": 20,
    "retry_base_seconds": 1,
    "fetch_timeout_seconds": 5,
    "fetch_connect_timeout_seconds": 3,
    "fetch_first_byte_timeout_seconds": 4,
    "auto_deep_scan": True,
    "auto_domain_extraction": True,
    "host_errors_before_rest": 100,
    "stop_grace_seconds": STOP_GRACE_SECONDS,
    "reading_processes": 2,
    "page_curation_scheduler_at_once": 100,
    "log_level": "ERROR",
}


@dataclass(slots=True)
class Outcome:
    """What a run came to; `interrupted` runs are resumed by running again."""

    seconds: float = 0.0
    counts: Counts = field(default_factory=dict)
    interrupted: bool = False
    timed_out: bool = False


async def run_until(
    settings: Settings,
    engine: AsyncEngine,
    look: Callable[[], Awaitable[Counts]],
    stop: asyncio.Event,
    force: asyncio.Event,
    show: Show,
    *,
    most_seconds: float,
    workers: list[Worker] | None = None,
    **changes: Any,
) -> Outcome:
    """Work until nothing is open any more, or somebody says stop; everything open stays in the database."""
    began, outcome = monotonic(), Outcome()
    ended, workers = asyncio.Event(), [] if workers is None else workers
    # A database that restarts is waited for, unless somebody wants to stop.
    database = Database(engine)
    database.shutting_down = stop
    # What became of single rows is told at the end, to people; failures of the engine itself are logged.
    log = build_log(settings, without=("item_processed",))
    async with build_context(settings, engine, **changes) as tools:
        worker = asyncio.create_task(
            run_worker(settings, engine, tools, log, ended, force, started=workers.append)
        )
        try:
            while not worker.done():
                looked = monotonic()
                outcome.counts, outcome.seconds = await database.with_retry(look), monotonic() - began
                took = monotonic() - looked
                show(outcome.counts, outcome.seconds)
                outcome.interrupted = stop.is_set()
                outcome.timed_out = outcome.seconds > most_seconds
                if is_finished(outcome.counts) or outcome.interrupted or outcome.timed_out:
                    break
                pause = max(LOOK_SECONDS, took / LOOK_SHARE)
                await _wait(stop, min(pause, max(0.0, most_seconds - outcome.seconds) + 0.05))
        finally:
            # Also when the display fails: the worker needs its tools until it has given everything back.
            ended.set()
            await worker
    return outcome


@asynccontextmanager
async def announcing(stop: asyncio.Event, say: Say, seconds: float) -> AsyncIterator[list[Worker]]:
    """Answer at once when somebody says stop: what is waited for, of the workers in the list."""
    workers: list[Worker] = []

    async def announce() -> None:
        await stop.wait()
        say(waiting_for(workers, seconds))

    task = asyncio.create_task(announce())
    try:
        yield workers
    finally:
        task.cancel()


def waiting_for(workers: Sequence[Worker], seconds: float) -> str:
    """What an end waits for: the rows in work, by stage and host."""
    busy = [f"{stage} of {host}" if host else stage for one in workers for stage, host in one.in_flight()]
    shown = ", ".join(busy[:3]) + (f" and {len(busy) - 3} more" if len(busy) > 3 else "")
    what = f"waiting up to {seconds:g} s for {shown}" if busy else "nothing is in progress"
    return f"Stopping: {what}. Press Ctrl+C again to stop now."


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def find(
    settings: Settings,
    submit: Callable[[AsyncEngine], Awaitable[Sequence[UUID]]],
    stop: asyncio.Event,
    force: asyncio.Event,
    show: Show,
    report: Callable[[AsyncEngine, Sequence[UUID], Outcome], Awaitable[None]],
    *,
    most_seconds: float,
    say: Say = lambda line: None,
) -> Outcome:
    """Submit domains, run the pipeline for them, and hand the result to `report`."""
    patience = {
        "retry_base_seconds": min(settings.retry_base_seconds, RETRY_BASE_SECONDS),
        "stop_grace_seconds": min(settings.stop_grace_seconds, STOP_GRACE_SECONDS),
        "log_level": "ERROR",
    }
    patient = settings.model_copy(update=patience)
    announced = announcing(stop, say, patient.stop_grace_seconds)
    async with announced as workers, open_database(patient, migrated=True) as engine:
        ids = await submit(engine)
        progress = ProgressQuery(engine)

        async def look() -> Counts:
            return await progress.of_domains(ids)

        outcome = await run_until(
            patient, engine, look, stop, force, show, most_seconds=most_seconds, workers=workers
        )
        await report(engine, ids, outcome)
        return outcome


@asynccontextmanager
async def demo_world(seed: int, size: int) -> AsyncIterator[int]:
    """The invented internet in a process of its own; gives its port."""
    command = [
        sys.executable,
        "-m",
        "scrapersky_demo",
        "--seed",
        str(seed),
        "--size",
        str(size),
        "--port",
        "0",
    ]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        line = await process.stdout.readline() if process.stdout else b""
        if not line:
            raise StartupError("The demo world did not start")
        yield int(orjson.loads(line)["port"])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def demo_folder(settings: Settings) -> Path:
    """Where the demo keeps its data: apart, so that no real row meets the demo world, nor the reverse."""
    return data_folder(settings) / "demo"


def laboratory(settings: Settings, port: int) -> Settings:
    """The settings under which every name leads to the demo world and nothing leaves this machine."""
    leads = {"egress_allow": f"127.0.0.1:{port}", "connect_to": f"*:80:127.0.0.1:{port}"}
    apart = {"database_url": None, "data_folder": str(demo_folder(settings))}
    return settings.model_copy(update={**LABORATORY, **leads, **apart})


def system_of(settings: Settings) -> Actor:
    """What is asked for on the command line is asked for by the system's own user."""
    return Actor(settings.default_tenant_id, settings.scheduler_system_user_id)


@dataclass(slots=True)
class DemoResult:
    contacts: list[dict[str, Any]]
    summary: dict[str, Any]
    interrupted: bool
    timed_out: bool


async def run_demo(
    settings: Settings,
    seed: int,
    size: int,
    stop: asyncio.Event,
    force: asyncio.Event,
    show: Show,
    output: Path,
    *,
    most_seconds: float,
    say: Say = lambda line: None,
) -> DemoResult:
    """A place search in the invented world, followed to contacts, compared with what the world knows."""
    world = World(seed, size)
    async with demo_world(seed, size) as port:
        lab = laboratory(settings, port)
        announced = announcing(stop, say, lab.stop_grace_seconds)
        async with announced as workers, open_database(lab, migrated=True) as engine:
            await submit_search(engine, system_of(lab), "", "", "demo")
            progress = ProgressQuery(engine)
            outcome = await run_until(
                lab,
                engine,
                progress.of_everything,
                stop,
                force,
                show,
                most_seconds=most_seconds,
                workers=workers,
                sources={"demo": DemoSource(world)},
                schemes=("http",),
            )
            here = set(world.domains())
            everyone = ContactQuery(engine).stream(lab.default_tenant_id)
            contacts, left_out = own_contacts([one async for one in everyone if one["domain"] in here])
    await asyncio.to_thread(write_contacts, output, contacts)
    summary = {**_summary(world, contacts, outcome), "boilerplate": left_out}
    return DemoResult(contacts, summary, outcome.interrupted, outcome.timed_out)


def _summary(world: World, contacts: list[dict[str, Any]], outcome: Outcome) -> dict[str, Any]:
    fields = ("email", "phone_number")
    found = [(one["domain"], one[name]) for one in contacts for name in fields if one[name]]
    verdict = score(found, world.truth())
    return {
        "precision": round(verdict.precision, 4),
        "recall": round(verdict.recall, 4),
        "contacts": len(contacts),
        "pages": outcome.counts["read_page"]["done"],
        "domains": outcome.counts["read_metadata"]["done"],
        "later": sum(one["later"] for one in outcome.counts.values()),
        "seconds": round(outcome.seconds, 1),
    }


def write_contacts(
    path: Path, contacts: Sequence[dict[str, Any]], style: ExportOptions | None = None
) -> None:
    """Contacts as .csv, .jsonl or .xlsx, by the name of the file."""
    with open_contact_file(path, style or ExportOptions(detect_format(path))) as add:
        for contact in contacts:
            add(contact)
