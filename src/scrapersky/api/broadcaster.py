"""Server-sent events: one task per process looks at the database and tells every client of the tenant.

The task runs while somebody watches. It uses one connection to listen and one for each look, however many
clients there are.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from secrets import token_hex
from time import monotonic
from typing import Any
from uuid import UUID

import orjson

from scrapersky.actions.accounts.authentication import find_valid, has_accounts
from scrapersky.api.context import ApiContext
from scrapersky.engine.outcome import reason_of
from scrapersky.engine.wakeup import Listener
from scrapersky.errors import TooManyRequests
from scrapersky.queries.events import ChangeEvent, ChangeQuery

POLL_SECONDS = 1.0
# Notifications come in bursts; looks are at least this far apart.
MIN_POLL_SECONDS = 0.25
CHECK_SECONDS = 15.0
PING_SECONDS = 15.0
BUFFER_EVENTS = 1_000
# A client that is this many events behind does not read.
MAX_BEHIND = 100
# The streams of a tenant take at most this part of the connections that the server accepts.
MAX_SHARE = 4
PING = b"event: ping\ndata: {}\n\n"


@dataclass(slots=True, eq=False)
class Subscriber:
    """A client: whose events it gets, and by which session or key it came; neither means open loopback."""

    tenant_id: UUID
    session_id: UUID | None = None
    key_id: UUID | None = None
    queue: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(MAX_BEHIND))
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def send(self, message: bytes) -> None:
        try:
            self.queue.put_nowait(message)
        except asyncio.QueueFull:
            self.closed.set()


class Broadcaster:
    def __init__(self, context: ApiContext) -> None:
        self._context = context
        self._subscribers: set[Subscriber] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._ending: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._begin()

    def _begin(self) -> None:
        """Events before this moment are forgotten; the name of the series tells clients so."""
        self._series, self._number = token_hex(4), 0
        self._buffer: deque[tuple[int, UUID | None, bytes]] = deque(maxlen=BUFFER_EVENTS)
        self._changes = ChangeQuery(self._context.engine)

    def require_room(self, tenant_id: UUID) -> None:
        """Refuse a stream to a tenant that holds its share: each takes a connection of the server."""
        max_streams = self._context.settings.max_connections // MAX_SHARE
        if sum(each.tenant_id == tenant_id for each in self._subscribers) >= max_streams:
            raise TooManyRequests(
                f"The tenant has {max_streams:,} open streams of events", retry_after=int(CHECK_SECONDS)
            )

    def subscribe(self, subscriber: Subscriber, last_event_id: str | None) -> None:
        """Send what the client missed, or that it has to start afresh; then everything that happens."""
        if not self._tasks:
            self._begin()
            self._start()
        for message in self._missed(subscriber, last_event_id):
            subscriber.send(message)
        self._subscribers.add(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)
        if not self._subscribers:
            self._stop()

    def close(self) -> None:
        """End every stream: the server is shutting down."""
        for subscriber in self._subscribers:
            subscriber.closed.set()
        self._stop()

    def _start(self) -> None:
        self._tasks = [asyncio.create_task(self._poll_forever())]
        if self._context.settings.database_pooler == "session":
            listener = Listener(self._context.engine, lambda _: self._woken.set(), lambda _: None)
            self._tasks.append(asyncio.create_task(listener.listen_forever()))

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            # The loop holds only weak references, and the listener closes its connection when it ends.
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._tasks = []

    def _missed(self, subscriber: Subscriber, last_event_id: str | None) -> list[bytes]:
        if last_event_id:
            series, _, number = last_event_id.rpartition("-")
            oldest = self._buffer[0][0] if self._buffer else self._number + 1
            is_known = series == self._series and number.isascii() and number.isdigit() and len(number) < 16
            if is_known and oldest - 1 <= int(number) <= self._number:
                return [
                    message
                    for place, tenant_id, message in self._buffer
                    if place > int(number) and self._concerns(subscriber, tenant_id)
                ]
        start = [_message("reset", {}, self._id())] if last_event_id else []
        counts = self._changes.counts.get(subscriber.tenant_id)
        return [*start, _message("counts", {"stages": counts}, self._id())] if counts else start

    def _id(self) -> str:
        return f"{self._series}-{self._number}"

    def _concerns(self, subscriber: Subscriber, tenant_id: UUID | None) -> bool:
        """What belongs to no tenant is for the people of the default tenant."""
        return subscriber.tenant_id == (tenant_id or self._context.settings.default_tenant_id)

    async def _poll_forever(self) -> None:
        checked = monotonic()
        while True:
            started = monotonic()
            self._woken.clear()
            try:
                for change in await self._changes.changes():
                    self._publish(change)
                if started - checked >= CHECK_SECONDS:
                    checked = started
                    await self._end_revoked()
            except Exception as error:  # noqa: BLE001 - the clients stay; the next look may succeed.
                self._context.log.event("events_unavailable", level="warning", error=reason_of(error))
                await asyncio.sleep(POLL_SECONDS)
            await asyncio.sleep(MIN_POLL_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS - MIN_POLL_SECONDS):
                    await self._woken.wait()

    def _publish(self, change: ChangeEvent) -> None:
        self._number += 1
        message = _message(change.event, change.data, self._id())
        self._buffer.append((self._number, change.tenant_id, message))
        for subscriber in self._subscribers:
            if self._concerns(subscriber, change.tenant_id):
                subscriber.send(message)

    async def _end_revoked(self) -> None:
        """End the streams of ended sessions and revoked keys, and of `local` once there is an account."""
        engine = self._context.engine
        sessions = {each.session_id for each in self._subscribers if each.session_id}
        keys = {each.key_id for each in self._subscribers if each.key_id}
        idle = timedelta(hours=self._context.settings.session_idle_hours)
        valid = await find_valid(engine, sessions, keys, idle)
        is_open = not await has_accounts(engine)
        for subscriber in list(self._subscribers):
            source = subscriber.session_id or subscriber.key_id
            if not (source in valid if source else is_open):
                subscriber.closed.set()


def _message(event: str, data: dict[str, Any], event_id: str) -> bytes:
    # The names of columns are strings of SQLAlchemy's own.
    body = orjson.dumps({str(name): value for name, value in data.items()}, default=str)
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (event_id.encode(), event.encode(), body)
