"""The web server, alone or with the pipeline inside."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api import ApiContext
from scrapersky.errors import StartupError
from scrapersky.log import Log
from scrapersky.processes.bind_rules import check_admin, check_bind_settings
from scrapersky.processes.pipeline_run import running_pipeline
from scrapersky.processes.setup_address import announce_setup
from scrapersky.processes.shutdown import first_of
from scrapersky.processes.worker import wait_for_database
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings
from scrapersky.web import create_app
from scrapersky.web.headers import MAX_HEADER_BYTES
from scrapersky.wiring import build_log, build_maintenance, service_checks

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


async def serve(settings: Settings, stop: asyncio.Event, announce: Callable[[str], None]) -> None:
    """Serve the web application until the shutdown."""
    log = build_log(settings)
    check_bind_settings(settings)
    with listen(settings.host, settings.port) as listening:
        async with wait_for_database(settings, stop, log) as engine:
            if engine is None:
                return
            await check_admin(settings, engine)
            lifespan = _pipeline_lifespan(settings, engine, log) if settings.scheduler_in_web else None
            async with running_web(settings, engine, listening, log, lifespan) as server:
                await announce_setup(settings, engine, announce)
                await first_of(server, stop)


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else, so that a port in use costs nothing but one clear line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise StartupError(
            f"Cannot listen on {host}:{port}: {error.strerror}; set another PORT, or stop what uses it"
        ) from None
    return listening


def _pipeline_lifespan(settings: Settings, engine: AsyncEngine, log: Log) -> Lifespan:
    """The web process as the host of the schedule (R096)."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with running_pipeline(settings, engine, log) as pipeline:
            # Everything is on the schedule before the first request is served (R097).
            await pipeline.until_scheduled()
            yield

    return lifespan


@asynccontextmanager
async def running_web(
    settings: Settings,
    engine: AsyncEngine,
    listening: socket.socket,
    log: Log,
    lifespan: Lifespan | None = None,
) -> AsyncIterator[asyncio.Task[None]]:
    """The web server from its first answer to the end of the block; gives its task."""
    tasks = build_maintenance(settings, engine, log).tasks()
    api = ApiContext(engine, settings, log, load_secret_key(settings))
    web = create_app(
        HealthQuery(engine, service_checks(settings), tasks=[name for name, *_ in tasks]),
        StageQuery(engine),
        api=api,
        lifespan=lifespan,
        allowed_hosts=[settings.host, own_host(settings), *settings.allowed_hosts.split(",")],
    )
    server = _Server(_server_config(web, settings))
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn offers no event for it.
        await asyncio.sleep(0.01)
    log.event("server_started", address=f"http://{settings.host}:{settings.port}")
    api.watch_operations()
    try:
        yield task
    finally:
        # Streams of events never end otherwise, and the server waits for every answer.
        if broadcaster := getattr(web.state, "broadcaster", None):
            broadcaster.close()
        server.should_exit = True
        await task
        await api.close()


def own_host(settings: Settings) -> str:
    """The host under which the proxy serves us."""
    return urlsplit(settings.public_url).hostname or ""


def _server_config(web: FastAPI, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        web,
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=5,
        timeout_keep_alive=5,
        limit_concurrency=settings.max_connections,
        http="h11",  # The only one of uvicorn's parsers that limits the size of headers.
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        server_header=False,
        proxy_headers=False,  # Only the proxies of our own setting are believed (web/proxies.py).
    )


class _Server(uvicorn.Server):
    """Leaves the signals to us: the shutdown goes from the web to the workers to the database."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
