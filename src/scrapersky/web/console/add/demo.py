"""The demo world: invented firms in a tenant of their own, loaded and removed by one click.

The product knows nothing of the demo: it starts a program by name, which runs the real pipeline on an
invented internet in a database of its own and copies the rows. No worker ever processes the demo's tenant.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.actions.installation.demo_tenant import add_demo_tenant, remove_demo_tenant
from scrapersky.api.caller import DEMO_COOKIE, Admin, Caller
from scrapersky.api.installation import is_of_installation
from scrapersky.api.open_loopback import is_loopback
from scrapersky.database import data_folder
from scrapersky.errors import Conflict, Forbidden, NotFound
from scrapersky.queries.installation.demo_tenant import DemoTenantQuery
from scrapersky.web.console.console import Console, ConsoleContext, is_htmx

PROGRAM = "scrapersky_demo.tenant"
SIZE = 40
STOP_SECONDS = 20.0
# The rows are copied at the end: a tenant without any was left by a program that ended with its server.
INTERRUPTED = {"step": "failed", "reason": "ScraperSky stopped meanwhile. Remove it, then load it again."}

router = APIRouter()


@dataclass(slots=True)
class DemoLoad:
    """The program that fills the tenant, and what it has said last."""

    process: asyncio.subprocess.Process
    state: dict[str, Any] = field(default_factory=lambda: {"step": "start"})
    reader: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self.state["step"] not in ("done", "failed")

    async def read(self) -> None:
        while self.process.stdout and (line := await self.process.stdout.readline()):
            with contextlib.suppress(ValueError):
                self.state = json.loads(line)
        if self.is_running:
            self.state = {"step": "failed", "reason": "The program ended early"}

    async def stop(self) -> None:
        """The program stops when its input ends; what does not stop is killed."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


@router.get("/demo")
async def show(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    query, load = DemoTenantQuery(console.api.engine), _load(request)
    # Asked once: the program may end while the page is made.
    state = dict(load.state) if load else {}
    is_loading = load is not None and load.is_running
    has_demo = await query.exists()
    numbers = await query.numbers() if has_demo else {}
    if load is None and has_demo and not numbers["domains"]:
        state = INTERRUPTED
    values: dict[str, Any] = {
        "has_demo": has_demo,
        "offer": not has_demo and await offers_demo(caller, console),
        "state": state,
        "is_loading": is_loading,
        "numbers": numbers,
        "size": SIZE,
    }
    if is_htmx(request):
        return console.fragment(request, caller, "_demo.html", **values)
    return await console.page(request, caller, "demo.html", **values)


@router.post("/demo")
async def add(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    """Add the tenant and start the program that fills it."""
    if not await offers_demo(caller, console):
        raise Conflict("The demo world is for an empty installation on this machine only")
    api = console.api
    await add_demo_tenant(api.engine, caller.actor, api.settings.default_tenant_id)
    request.app.state.demo_load = await _start(console)
    return _look(console.redirect(request, "/demo", "The demo world is being built."))


@router.post("/demo/look")
async def look(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    if not await DemoTenantQuery(console.api.engine).exists():
        raise NotFound("The demo world is not here; load it first")
    return _look(console.redirect(request, "/"))


@router.post("/demo/leave")
async def leave(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    return _leave(console.redirect(request, "/", "You are back in your own data."))


@router.post("/demo/remove")
async def remove(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    """Stop the program if it runs, and delete the tenant with every row."""
    settings = console.api.settings
    if not (caller.is_in_demo or is_of_installation(caller, console.api)):
        raise Forbidden("The demo world is removed by admins of the default tenant")
    if load := _load(request):
        await load.stop()
        request.app.state.demo_load = None
    await remove_demo_tenant(console.api.engine, caller.actor, settings.default_tenant_id)
    return _leave(console.redirect(request, "/", "The demo world is removed."))


async def offers_demo(caller: Caller, console: Console) -> bool:
    """Whether the demo world may be loaded: nothing is here yet, and only this machine can see it."""
    settings, query = console.api.settings, DemoTenantQuery(console.api.engine)
    is_manager = caller.is_admin and is_of_installation(caller, console.api)
    if not (is_manager and caller.key_id is None and is_loopback(settings.host)) or settings.public_url:
        return False
    has_program = find_spec(PROGRAM.partition(".")[0]) is not None
    return has_program and not await query.exists() and await query.is_empty(settings.default_tenant_id)


async def _start(console: Console) -> DemoLoad:
    api = console.api
    # The address may hold a password, so it is passed where no other user can read it.
    environment = {
        **os.environ,
        "DATABASE_URL": api.engine.url.render_as_string(hide_password=False),
        "DATA_FOLDER": str(data_folder(api.settings)),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", PROGRAM, "--size", str(SIZE)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    load = DemoLoad(process)
    load.reader = asyncio.create_task(load.read())
    return load


def _load(request: Request) -> DemoLoad | None:
    load: DemoLoad | None = getattr(request.app.state, "demo_load", None)
    return load


def _look(response: Response) -> Response:
    response.set_cookie(DEMO_COOKIE, "1", path="/", httponly=True, samesite="strict")
    return response


def _leave(response: Response) -> Response:
    response.delete_cookie(DEMO_COOKIE, path="/", httponly=True, samesite="strict")
    return response
