"""What can go wrong at a contract server, in the order in which it is to happen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Faults:
    """Each request takes the next fault off the list; `None` lets it pass.

    `cut` accepts the request and closes the connection without an answer, `drop` closes it before that,
    `slow` answers after `slow_seconds`, `huge` with an endless body, `html` with a page; a number is a
    status, and a pair of a number and seconds a status with Retry-After.
    """

    queue: list[Any] = field(default_factory=list)
    slow_seconds: float = 60.0

    def next(self) -> Any:
        return self.queue.pop(0) if self.queue else None

    async def serve(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        fault = self.next()
        if isinstance(fault, tuple):
            return web.json_response(
                {"message": "busy"}, status=fault[0], headers={"Retry-After": str(fault[1])}
            )
        if isinstance(fault, int):
            return web.json_response({"message": "it failed"}, status=fault)
        if fault == "drop":
            return _close(request)
        if fault == "slow":
            await asyncio.sleep(self.slow_seconds)
        if fault == "html":
            return web.Response(text="<html>hello</html>", content_type="text/html")
        answer = await handler(request)
        if fault == "cut":
            return _close(request)
        if fault == "huge":
            return await _huge(request)
        return answer


def _close(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _huge(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    for _ in range(10_000):
        await answer.write(b"x" * 65_536)
    return answer
