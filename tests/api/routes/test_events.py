"""Server-sent events over real connections: who gets what, resumption, revocation, many clients."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any
from uuid import UUID

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from sqlalchemy import insert, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows
from product import TENANT, WHO, add_job
from scrapersky import tables
from scrapersky.actions.curation import decide
from scrapersky.actions.operations import CURATE, Decision
from scrapersky.api import ApiContext, broadcaster
from scrapersky.api.broadcaster import BUFFER_EVENTS, MAX_BEHIND, Broadcaster, Subscriber
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.queries.events import ChangeEvent
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings
from scrapersky.web import create_app

OTHER = UUID(int=99)
Event = tuple[str, str, Any]


class Client:
    """One open stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def next(self, *wanted: str) -> Event:
        """The next event of these kinds: id, name and data."""
        async with asyncio.timeout(20):
            while True:
                fields: dict[str, str] = {}
                while line := (await self.reader.readline()).decode().strip():
                    name, colon, value = line.partition(": ")
                    if colon:
                        fields[name] = value
                if self.reader.at_eof():
                    return ("", "end", None)
                if fields.get("event") in wanted:
                    return fields.get("id", ""), fields["event"], json.loads(fields["data"])

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


@asynccontextmanager
async def served(db: AsyncEngine) -> AsyncIterator[tuple[int, FastAPI, uvicorn.Server]]:
    settings = Settings()
    context = ApiContext(db, settings, Log(level="warning"), load_secret_key(settings))
    web = create_app(HealthQuery(db), StageQuery(db), api=context)
    server = uvicorn.Server(uvicorn.Config(web, log_config=None, timeout_graceful_shutdown=5))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event for it.
        await asyncio.sleep(0.01)
    try:
        yield listening.getsockname()[1], web, server
    finally:
        web.state.broadcaster.close()
        server.should_exit = True
        await task


async def connect(port: int, **headers: str) -> Client:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    writer.write(f"GET /api/v3/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{lines}\r\n".encode())
    status = await reader.readline()
    assert b"200" in status, status
    client = Client(reader, writer)
    await client.next("ping")
    return client


async def connections(db: AsyncEngine) -> int:
    async with db.connect() as connection:
        return int(
            await connection.scalar(
                text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            )
            or 0
        )


async def test_counts_jobs_and_alerts_arrive_as_they_happen(db: AsyncEngine) -> None:
    await add_job(db)
    async with served(db) as (port, _, _):
        client = await connect(port)
        _, _, counts = await client.next("counts")
        assert counts["stages"]["run_job"] == {"waiting": 1, "running": 0, "failed": 0}

        number = await add_job(db)
        _, _, job = await client.next("job")
        assert (job["id"], job["status"], "tenant_id" in job) == (number, "pending", False)
        async with db.begin() as connection:
            values = {"progress_percent": 40, "progress_message": "checking /sitemap.xml"}
            await connection.execute(update(tables.jobs).where(tables.jobs.c.id == number).values(values))
            alert = {"kind": "stuck", "subject": "run_job", "message": "job 1 (greet) pending for 9 min"}
            await connection.execute(insert(tables.alerts).values(alert))
        _, _, job = await client.next("job")
        assert (job["progress_percent"], job["progress_message"]) == (40, "checking /sitemap.xml")
        _, _, alert = await client.next("alert")
        assert (alert["subject"], alert["resolved_at"]) == ("run_job", None)
        await client.close()


async def test_an_operation_names_the_kind_of_its_rows_as_the_api_does(db: AsyncEngine) -> None:
    [page_id] = await add_rows(db, "page", 1)
    async with served(db) as (port, _, _):
        client = await connect(port)
        await client.next("counts")
        await decide(
            db, WHO, Decision(entity=ENTITIES["page"], action=CURATE, value="Rejected", ids=[page_id])
        )
        _, _, operation = await client.next("operation")
        assert (operation["entity"], operation["value"]) == ("page", "Rejected")
        assert "table_name" not in operation
        await client.close()


async def test_a_client_resumes_after_the_last_event_it_has_seen(db: AsyncEngine) -> None:
    async with served(db) as (port, _, _):
        watching, first = await connect(port), await connect(port)
        await add_job(db)
        event_id, _, _ = await first.next("job")
        await watching.next("job")
        await first.close()
        second = await add_job(db)
        await watching.next("job")

        again = await connect(port, Last_Event_ID=event_id)
        assert (await again.next("job", "reset"))[2]["id"] == second
        for unknown in ("ffffffff-1", "x", f"{event_id}9", "-1"):
            stranger = await connect(port, Last_Event_ID=unknown)
            assert (await stranger.next("job", "reset"))[1] == "reset", unknown
            await stranger.close()
        await again.close()
        await watching.close()


async def test_two_hundred_clients_need_no_more_connections_than_one(db: AsyncEngine) -> None:
    async with served(db) as (port, web, _):
        first = await connect(port)
        await add_job(db)
        await first.next("job")
        before = await connections(db)
        # One after the other: who they are is asked with a connection of the pool.
        clients = [first, *[await connect(port) for _ in range(199)]]

        number = await add_job(db)
        events = await asyncio.gather(*(client.next("job") for client in clients[1:]))

        assert {event[2]["id"] for event in events} == {number}
        assert len(web.state.broadcaster._subscribers) == 200
        assert await connections(db) == before
        await asyncio.gather(*(client.close() for client in clients))


async def test_a_stream_ends_soon_after_its_credentials_are_gone(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "CHECK_SECONDS", 0.5)
    async with served(db) as (port, _, _):
        client = await connect(port)
        async with db.begin() as connection:
            user = {"tenant_id": TENANT, "email": "a@example.com", "role": "admin", "password_hash": "x"}
            await connection.execute(insert(tables.users).values(user))
        assert (await client.next())[1] == "end", "the first account ends open loopback"
        await client.close()


@pytest.mark.timed
async def test_streams_end_at_once_when_the_server_stops(db: AsyncEngine) -> None:
    async with served(db) as (port, web, server):
        client = await connect(port)
        began = monotonic()
        web.state.broadcaster.close()
        server.should_exit = True
        assert (await client.next())[1] == "end"
        assert monotonic() - began < 3
        await client.close()
    assert monotonic() - began < 5, "the server did not wait for its grace"


async def test_a_tenant_sees_its_own_events_only_and_a_slow_client_is_dropped(db: AsyncEngine) -> None:
    settings = Settings()
    context = ApiContext(db, settings, Log(level="warning"), load_secret_key(settings))
    sender = Broadcaster(context)
    ours, theirs = Subscriber(TENANT), Subscriber(OTHER)
    for subscriber in (ours, theirs):
        sender.subscribe(subscriber, None)
    for change in (
        ChangeEvent("job", TENANT, {"id": 1}),
        ChangeEvent("job", OTHER, {"id": 2}),
        ChangeEvent("alert", None, {"subject": "read_page"}),
    ):
        sender._publish(change)

    def received(subscriber: Subscriber) -> bytes:
        return b"".join(subscriber.queue.get_nowait() for _ in range(subscriber.queue.qsize()))

    mine, other = received(ours), received(theirs)
    assert (b'{"id":1}' in mine, b'{"id":2}' in mine, b"read_page" in mine) == (True, False, True)
    assert (b'{"id":1}' in other, b'{"id":2}' in other, b"read_page" in other) == (False, True, False)
    for _ in range(MAX_BEHIND + 1):
        sender._publish(ChangeEvent("job", OTHER, {"id": 2}))
    assert (theirs.closed.is_set(), ours.closed.is_set()) == (True, False)
    for _ in range(BUFFER_EVENTS):
        sender._publish(ChangeEvent("job", OTHER, {"id": 3}))
    late = Subscriber(TENANT)
    sender.subscribe(late, f"{sender._series}-1")
    assert b"event: reset" in received(late), "what it missed is no longer known"
    sender.close()


async def test_one_tenant_does_not_take_all_connections(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "MAX_SHARE", 500)
    async with served(db) as (port, web, _):
        clients = [await connect(port) for _ in range(2)]
        async with httpx.AsyncClient(timeout=5) as client:
            refused = await client.get(f"http://127.0.0.1:{port}/api/v3/events")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "15")
        web.state.broadcaster.require_room(OTHER)
        for each in clients:
            await each.close()
