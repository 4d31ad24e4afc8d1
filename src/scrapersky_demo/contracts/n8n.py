"""A workflow of n8n: its production URL, and its test URL, which takes one call after a click."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from scrapersky_demo.contracts.faults import Faults

MAX_BODY = 16 * 2**20


@dataclass(slots=True)
class N8NServer:
    """One workflow. `messages` has every body with its headers, `contacts` each contact by its delivery."""

    is_active: bool = True
    is_listening: bool = False
    faults: Faults = field(default_factory=Faults)
    messages: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    contacts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def application(self) -> web.Application:
        application = web.Application(client_max_size=MAX_BODY)
        application.router.add_post("/webhook/{path}", self._production)
        application.router.add_post("/webhook-test/{path}", self._test)
        return application

    async def _production(self, request: web.Request) -> web.StreamResponse:
        if not self.is_active:
            return _not_registered(request)
        return await self.faults.serve(request, self._accept)

    async def _test(self, request: web.Request) -> web.StreamResponse:
        if not self.is_listening:
            return _not_registered(request)
        self.is_listening = False
        return await self._accept(request)

    async def _accept(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.messages.append((dict(request.headers), body))
        for entry in (await request.json()).get("data", []):
            self.contacts[entry["delivery_id"]] = entry
        return web.json_response({"message": "Workflow was started"})


def _not_registered(request: web.Request) -> web.Response:
    message = f'The requested webhook "POST {request.match_info["path"]}" is not registered.'
    return web.json_response({"code": 404, "message": message}, status=404)
