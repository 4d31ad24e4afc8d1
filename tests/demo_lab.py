"""The whole product on the demo world: a served world, a database, workers, and patience."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from children import stop_with_parent
from fakes import FakeDNS
from product import until
from scrapersky.actions.actor import Actor
from scrapersky.database import make_engine
from scrapersky.fetch.dns.mx_lookup import MailServers
from scrapersky.processes.worker import run_worker
from scrapersky.queries import ProgressQuery, is_finished
from scrapersky.sandbox import InProcessParser
from scrapersky.settings import Settings, load_settings
from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.email_checker import EmailChecker
from scrapersky.wiring import build_context, build_log
from scrapersky_demo import DemoServer, World, score, serve_world
from scrapersky_demo.evaluation import Score
from scrapersky_demo.source import DemoSource

GAP_SECONDS = 0.05
SLACK_SECONDS = 0.02
LABORATORY = {
    "HOST_DELAY_MILLISECONDS": str(round(GAP_SECONDS * 1000)),
    "HOST_ERRORS_BEFORE_BACKOFF": "100",
    "RETRY_BASE_SECONDS": "1",
    "FETCH_TIMEOUT_SECONDS": "5",
    "FETCH_CONNECT_TIMEOUT_SECONDS": "3",
    "FETCH_FIRST_BYTE_TIMEOUT_SECONDS": "4",
    "PAGE_CURATION_SCHEDULER_CONCURRENCY": "100",
    "PARSER_PROCESSES": "1",
    "LEASE_SECONDS": "4",
    "HEARTBEAT_SECONDS": "1",
    "SWEEP_SECONDS": "1",
    "SHUTDOWN_GRACE_SECONDS": "3",
    "LOG_LEVEL": "ERROR",
}
AUTOMATIC = {"AUTO_DEEP_SCAN": "true", "AUTO_DOMAIN_EXTRACTION": "true"}


def laboratory(url: str, port: int, folder: Path, **more: str) -> dict[str, str]:
    """The environment of a worker whose every road leads to the demo world."""
    return {
        **LABORATORY,
        "DATABASE_URL": url.replace("+asyncpg", ""),
        "EGRESS_ALLOW": f"127.0.0.1:{port}",
        "CONNECT_TO": f"*:80:127.0.0.1:{port}",
        "DATA_FOLDER": str(folder),
        **more,
    }


@asynccontextmanager
async def lab_context(
    settings: Settings, engine: AsyncEngine, world: World, *, here: bool = True, sources: Any = None
) -> AsyncIterator[StageContext]:
    """The real context, but mail domains are not looked up, and pages may be read in this process."""
    known = {"demo": DemoSource(world), **(sources or {})}
    async with build_context(settings, engine, sources=known, schemes=("http",)) as context:
        context.mail = EmailChecker(FakeDNS(MailServers("found", ("mx.demo",))))
        if here:
            context.parser = InProcessParser()
        yield context


@dataclass
class Lab:
    """One test's world: its database, its settings and the server that answers for all its hosts."""

    engine: AsyncEngine
    settings: Settings
    world: World
    server: DemoServer
    environment: dict[str, str]

    @property
    def who(self) -> Actor:
        return Actor(self.settings.default_tenant_id, self.settings.scheduler_system_user_id)

    async def rows(self, query: str, **values: Any) -> list[Any]:
        async with self.engine.connect() as connection:
            return list(await connection.execute(text(query), values))

    async def do(self, statement: str, **values: Any) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(text(statement), values)

    async def one(self, query: str, **values: Any) -> Any:
        [row] = await self.rows(query, **values)
        return row[0]

    async def statuses(self, table: str, column: str) -> dict[str | None, int]:
        return {
            row[0]: row[1] for row in await self.rows(f"SELECT {column}, count(*) FROM {table} GROUP BY 1")
        }

    @asynccontextmanager
    async def working(self, *only: str, here: bool = True, sources: Any = None) -> AsyncIterator[None]:
        """A worker for all stages, or for some, while the block runs."""
        stop = asyncio.Event()
        async with lab_context(self.settings, self.engine, self.world, here=here, sources=sources) as context:
            log = build_log(self.settings)
            running = run_worker(self.settings, self.engine, context, log, stop, asyncio.Event(), only=only)
            task = asyncio.create_task(running)
            try:
                yield
            finally:
                stop.set()
                await task

    async def over(self, *, seconds: float = 60) -> dict[str, dict[str, int]]:
        """Wait until nothing is left that could be done now."""
        progress, until = ProgressQuery(self.engine), monotonic() + seconds
        while not is_finished(counts := await progress.of_everything()):
            assert monotonic() < until, {name: one for name, one in counts.items() if one.open}
            await asyncio.sleep(0.1)
        return counts

    async def run(self, *only: str, here: bool = True, seconds: float = 60) -> dict[str, dict[str, int]]:
        async with self.working(*only, here=here):
            return await self.over(seconds=seconds)

    def manners_are_kept(self) -> None:
        """B13 at the server's side: one request at a time per host, with the pause it asked for.

        The pause that robots.txt asks for holds from the request after it. The slack is what a busy machine
        may lie between the end of an answer and the note that it ended.
        """
        truth = self.world.truth().domains
        assert {host.host for host in self.server.log.traffic() if host.most_at_once > 1} == set()
        for host, requests in self.server.log.by_host().items():
            domain = self.world.domain_of(host)
            asked = max(GAP_SECONDS, truth[domain].crawl_delay if domain else 0)
            for earlier, later in pairwise(sorted(requests)):
                gap = GAP_SECONDS if earlier.target == "/robots.txt" else asked
                assert later.start - earlier.end >= gap - SLACK_SECONDS, (gap, earlier, later)

    async def score(self) -> Score:
        """The contacts found, boilerplate left out, against the truth of the world."""
        found = await self.rows(
            "SELECT d.domain, c.email, c.phone_number FROM contacts c JOIN domains d ON d.id = c.domain_id"
            " WHERE NOT 'boilerplate' = ANY (c.tags)"
        )
        return score([(row[0], value) for row in found for value in row[1:] if value], self.world.truth())


@asynccontextmanager
async def lab(url: str, world: World, folder: Path, **more: str) -> AsyncIterator[Lab]:
    async with serve_world(world) as server:
        environment = laboratory(url, server.port, folder, **more)
        settings = load_settings(env_file=None, environment=environment)
        engine = make_engine(settings, url)
        try:
            yield Lab(engine, settings, world, server, environment)
        finally:
            await engine.dispose()


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@asynccontextmanager
async def running_product(url: str, world: World, folder: Path, **settings: str) -> AsyncIterator[str]:
    """`scrapersky up` as a process of its own with the demo world as its internet; gives its address."""
    async with serve_world(world) as server:
        port = free_port()
        environment = laboratory(url, server.port, folder, PORT=str(port), **settings)
        # Nothing answers there, so every site is read without TLS.
        environment["CONNECT_TO"] += f",*:443:127.0.0.1:{free_port()}"
        environment["EGRESS_ALLOW"] += f",{environment['CONNECT_TO'].rpartition(':443:')[2]}"
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "scrapersky", "up"),
            cwd=folder,
            env={**os.environ, **environment},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            preexec_fn=stop_with_parent,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            await until(lambda: _is_ready(address), seconds=60)
            yield address
        finally:
            program.terminate()
            await program.wait()


async def _is_ready(address: str) -> bool:
    async with httpx.AsyncClient() as client:
        try:
            return (await client.get(f"{address}/health/ready")).status_code == 200
        except httpx.TransportError:
            return False


def well(seed: int, size: int, **more: Any) -> World:
    """A world without trouble."""
    return World(seed, size, fates={"well": 1}, **more)


def find_domain(world: World, **wanted: str) -> str:
    """The first domain whose plan is as wanted and that lets itself be read."""
    open_robots = ("allow", "paths", "missing")
    return next(
        domain
        for domain in world.domains()
        if world.plan(domain).robots in open_robots
        and all(getattr(world.plan(domain), name) == value for name, value in wanted.items())
    )
