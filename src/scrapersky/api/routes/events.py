"""Events: what happens, as it happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from scrapersky.api.broadcaster import PING, PING_SECONDS, Broadcaster, Subscriber
from scrapersky.api.caller import Viewer

router = APIRouter(prefix="/events", tags=["events"])

# How long a client may take to receive one event.
SEND_SECONDS = 20.0
EXAMPLE = 'id: 5f0c1d2e-7\nevent: job\ndata: {"id": 12, "status": "processing", "progress_percent": 40}\n\n'


class EventStream(StreamingResponse):
    """Ends when the client leaves, when it does not read, or when the broadcaster closes it."""

    media_type = "text/event-stream"

    def __init__(self, broadcaster: Broadcaster, subscriber: Subscriber, last_event_id: str | None) -> None:
        super().__init__(self._messages(), headers={"X-Accel-Buffering": "no"})
        self._broadcaster, self._subscriber = broadcaster, subscriber
        self._last_event_id = last_event_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._broadcaster.subscribe(self._subscriber, self._last_event_id)
        parts = self.stream_response(send), self._subscriber.closed.wait(), _wait_for_disconnect(receive)
        tasks = [asyncio.ensure_future(part) for part in parts]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._broadcaster.unsubscribe(self._subscriber)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        # A client that does not read does not learn that this is the end.
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(1):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def stream_response(self, send: Send) -> None:
        headers = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(headers)
        async for message in self.body_iterator:
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": message, "more_body": True})

    async def _messages(self) -> AsyncIterator[bytes]:
        yield PING
        while True:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    message = await self._subscriber.queue.get()
            except TimeoutError:
                message = PING
            yield message


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@router.get(
    "",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"example": EXAMPLE}}}},
)
async def stream_events(
    request: Request,
    caller: Viewer,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", max_length=64, description="Resume after this event.")
    ] = None,
) -> EventStream:
    """Server-sent events of one's own tenant: `counts`, `job`, `operation`, `alert`, `ping` every 15 s.

    `reset` says that events were missed and everything has to be read again. Alerts go to the default tenant.
    """
    subscriber = Subscriber(caller.actor.tenant_id, caller.session_id, caller.key_id)
    broadcaster: Broadcaster = request.app.state.broadcaster
    broadcaster.require_room(subscriber.tenant_id)
    return EventStream(broadcaster, subscriber, last_event_id)
