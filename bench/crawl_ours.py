"""Our side of the crawl: worker processes on a private PostgreSQL, from domains to contacts.

`python -m bench.crawl_ours` is one worker process, as `scrapersky worker` runs it, but asking by http alone.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bench.crawl_stand import Watch, ended_cpu, parent_of, running_cpu
from bench.results import ROOT
from scrapersky.cli.runtime import fastest_loop
from scrapersky.database import open_database
from scrapersky.declarations.flow import PIPELINE_STAGES
from scrapersky.embedded import PrivateServer
from scrapersky.processes.shutdown import run_until_stopped
from scrapersky.processes.worker import run_worker
from scrapersky.queries import ProgressQuery, is_finished
from scrapersky.settings import load_settings
from scrapersky.tables.migrate import migrate
from scrapersky.wiring import build_context, build_log

NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
# The reader of this figure and the look at the progress are counted too; they are few.
TRANSACTIONS = """SELECT xact_commit + xact_rollback FROM pg_stat_database
WHERE datname = current_database()"""
# The manners all crawlers have; addresses are not validated, because the peers do not either.
LABORATORY = {
    "host_delay_milliseconds": 20,
    "retry_base_seconds": 1,
    "fetch_timeout_seconds": 5,
    "fetch_connect_timeout_seconds": 3,
    "fetch_first_byte_timeout_seconds": 4,
    "host_errors_before_backoff": 100,
    "auto_email_validation": False,
    "log_level": "ERROR",
}
SUBMIT = """INSERT INTO domains (tenant_id, domain, host)
SELECT (SELECT id FROM tenants LIMIT 1), name, name FROM unnest(CAST(:names AS text[])) AS name"""
FOUND = """SELECT d.domain, c.email, c.phone_number,
  extract(epoch FROM c.created_at)::float8 AS stored_at
FROM contacts c JOIN domains d ON d.id = c.domain_id
WHERE NOT 'boilerplate' = ANY (c.tags)"""
POLITE = [stage for stage in PIPELINE_STAGES if stage.host]


@dataclass(frozen=True, slots=True)
class Setup:
    """How one crawl of ours is run: worker processes, parser processes of each, and sites at once."""

    processes: int
    reading: int
    at_once: int
    visits: bool
    stored: int
    most_seconds: float

    def environment(self, url: str, port: int) -> dict[str, str]:
        """The settings of one worker process."""
        given: dict[str, Any] = {**LABORATORY, "parser_processes": self.reading, "visits": self.visits}
        given |= {"database_url": url.replace("+asyncpg", ""), "egress_allow": f"127.0.0.1:{port}"}
        given |= {"connect_to": f"*:80:127.0.0.1:{port}"}
        given |= {f"{stage.compat.settings_prefix}_concurrency": self.at_once for stage in POLITE}
        return {name.upper(): str(value) for name, value in given.items()}


async def work(stop: asyncio.Event, force: asyncio.Event) -> None:
    settings = load_settings(env_file=None)
    async with (
        open_database(settings) as engine,
        build_context(settings, engine, schemes=("http",)) as context,
    ):
        await run_worker(settings, engine, context, build_log(settings), stop, force)


def crawl(domains: Sequence[str], port: int, folder: Path, setup: Setup) -> dict[str, Any]:
    """Crawl the domains; what was found and when, when it began and ended, CPU seconds and memory."""
    server = PrivateServer(folder / "data")
    server.start()
    try:
        return asyncio.run(_crawl(server, domains, port, setup))
    finally:
        server.stop()


async def _crawl(server: PrivateServer, domains: Sequence[str], port: int, setup: Setup) -> dict[str, Any]:
    """As with the peers, the domains are there before the processes start, and all that they use counts."""
    url = server.url()
    await migrate(url)
    engine = create_async_engine(url)
    if setup.stored:
        # A worker, which is this module too, needs nothing of it.
        from bench.lists import fill

        await fill(engine, setup.stored, open_pages=False)
    async with engine.begin() as connection:
        await connection.execute(text(SUBMIT), {"names": list(domains)})
    postmaster = await _postmaster(engine)
    transactions, database_cpu = await _scalar(engine, TRANSACTIONS), running_cpu(postmaster)
    cpu, to_monotonic = ended_cpu(), monotonic() - await _scalar(engine, NOW)
    began = monotonic()
    workers = [_worker(setup.environment(url, port)) for _ in range(setup.processes)]
    try:
        with Watch(*(one.pid for one in workers)) as watch:
            is_complete = await _over(engine, workers, began + setup.most_seconds)
        ended = monotonic()
    finally:
        for one in workers:
            one.terminate()
        for one in workers:
            one.wait(timeout=60)
    transactions = await _scalar(engine, TRANSACTIONS) - transactions
    database_cpu = running_cpu(postmaster) - database_cpu
    async with engine.connect() as connection:
        rows = (await connection.execute(text(FOUND))).all()
    await engine.dispose()
    moments = [(row, row.stored_at + to_monotonic) for row in rows]
    return {
        "found": [(row[0], value, at) for row, at in moments for value in row[1:3] if value],
        "transactions": transactions, "began": began, "ended": ended, "is_complete": is_complete,
        "cpu": ended_cpu() - cpu, "database_cpu": database_cpu, "peak": watch.peak_mib,
    }  # fmt: skip


def _worker(settings: dict[str, str]) -> subprocess.Popen[bytes]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PROFILE") if name in os.environ}
    inherited["PYTHONPATH"] = f"{ROOT}:{ROOT / 'src'}"
    return subprocess.Popen([sys.executable, "-m", "bench.crawl_ours"], env={**inherited, **settings})


async def _scalar(engine: AsyncEngine, query: str) -> float:
    async with engine.connect() as connection:
        return float((await connection.execute(text(query))).scalar_one())


async def _postmaster(engine: AsyncEngine) -> int:
    """The parent of every process of the database."""
    async with engine.connect() as connection:
        backend = (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
    return parent_of(backend)


async def _over(engine: AsyncEngine, workers: list[subprocess.Popen[bytes]], until: float) -> bool:
    """Wait until nothing is open; says whether that came in time."""
    progress = ProgressQuery(engine)
    while monotonic() < until:
        await asyncio.sleep(1)
        if any(one.poll() is not None for one in workers):
            raise SystemExit("a worker ended before the crawl was over")
        if is_finished(await progress.of_everything()):
            return True
    return False


if __name__ == "__main__":
    run_until_stopped(work, loop_factory=fastest_loop())
