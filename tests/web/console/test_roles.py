"""Every page and every form of the console against each kind of caller: strangers, roles, other sites."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, cookie
from scrapersky.actions.accounts.api_keys import ROLES
from scrapersky.api.caller import RoleCheck
from scrapersky.web.console.application import ROUTERS
from scrapersky.web.headers import HEADERS

RANDOM_ID = str(uuid.UUID(int=0x5CA1AB1E, version=4))
# Words that exist, for parameters that are names.
NAMES = {
    "name": "HOST_DELAY_MILLISECONDS",
    "part": "evidence",
    "stage": "read_page",
    "entity": "page",
    "list_name": "pages",
}
FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    {"Origin": "http://localhost:8000", "Sec-Fetch-Site": "cross-site"},
)
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")


@dataclass(frozen=True)
class ConsoleRoute:
    method: str
    path: str
    role: str

    @property
    def address(self) -> str:
        return re.sub(r"{(\w+)(?::\w+)?}", lambda match: NAMES.get(match[1], RANDOM_ID), self.path)


def roles_in(dependant: Any) -> Iterator[str]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, RoleCheck):
            yield dependency.call.role
        yield from roles_in(dependency)


def console_routes() -> list[ConsoleRoute]:
    routes = []
    for router in ROUTERS:
        for route in iter_route_contexts(router.routes):
            original: Any = route.original_route
            roles = sorted(roles_in(original.dependant), key=ROLES.index)
            assert roles, f"{route.path} has no role"
            methods = sorted(set(route.methods or ()) - {"HEAD"})
            routes += [ConsoleRoute(method, str(route.path), roles[-1]) for method in methods]
    return routes


PAGES = [route for route in console_routes() if route.method == "GET"]
FORMS = [route for route in console_routes() if route.method != "GET"]


def test_there_are_pages_and_forms() -> None:
    assert len(PAGES) > 30
    assert len(FORMS) > 30
    assert {route.method for route in FORMS} == {"POST"}, "plain forms can send nothing else"
    assert len({(route.method, route.path) for route in PAGES + FORMS}) == len(PAGES + FORMS)


def check_headers(answer: httpx.Response, route: ConsoleRoute) -> None:
    for name, value in HEADERS.items():
        assert answer.headers.get_list(name) == [value], f"{route}: {name}"
    assert answer.headers["cache-control"] == "no-store", route


async def test_strangers_are_led_to_the_login_from_every_page(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "boss@example.com")
    wrong = []
    for route in PAGES:
        answer = await console.get(route.address)
        check_headers(answer, route)
        if answer.status_code != 303 or not answer.headers["location"].startswith("/login?next=/"):
            wrong.append(f"{route.path}: {answer.status_code}")
    for route in FORMS:
        answer = await console.post(route.address, data={"x": "y"})
        check_headers(answer, route)
        if answer.status_code != 303 or not answer.headers["location"].startswith("/login"):
            wrong.append(f"{route.path}: {answer.status_code}")
    assert not wrong


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_gets_403_beyond_its_rights_and_an_answer_within(
    open_console: Any, db: AsyncEngine, role: str
) -> None:
    await add_person(db, "boss@example.com")
    wrong = []
    async with open_console(role) as client:
        for route in PAGES + FORMS:
            if route.path in ("/settings/password",):
                continue  # It counts wrong passwords; tests of people are about it.
            more = {"data": {"x": "y"}} if route.method == "POST" else {}
            answer = await client.request(route.method, route.address, **more)
            check_headers(answer, route)
            allowed = ROLES.index(role) >= ROLES.index(route.role)
            if answer.status_code >= 500 or (answer.status_code == 403) is allowed:
                wrong.append(f"{route.method} {route.path}: {answer.status_code}")
    assert not wrong


def test_what_changes_rows_of_all_needs_more_than_a_viewer() -> None:
    # Passwords, keys, sessions, views and the columns of a list are the caller's own.
    own = r"^/(settings/(password|keys|sessions)|views/{view_id|[\w-]+/(views|columns)$)"
    free = [route.path for route in FORMS if route.role == "viewer" and not re.search(own, route.path)]
    assert free == []


async def test_no_form_is_taken_from_another_site(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    """With a session and on open loopback alike: the browser says where a request comes from."""
    before = await snapshot(db)
    wrong = []
    for route in FORMS:
        for headers in FOREIGN:
            for kind in KINDS:
                sent = {**headers, "Content-Type": kind}
                answer = await console.post(route.address, content=b"name=x&password=y", headers=sent)
                if answer.status_code != 403:
                    wrong.append(f"{route.path}: {answer.status_code}")
    assert not wrong
    assert await snapshot(db) == before
    session = cookie(await add_session(db, await add_person(db, "boss@example.com")))
    before = await snapshot(db)
    for route in FORMS:
        answer = await console.post(route.address, data={"x": "y"}, headers={**session, **FOREIGN[0]})
        assert answer.status_code == 403, route
    assert await snapshot(db) == before


async def test_reading_changes_nothing(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("admin") as client:
        await client.get("/")
        before = await snapshot(db)
        for route in PAGES:
            await client.get(route.address)
            await client.get(route.address, params={"delete": "1", "saved": "<script>"})
    assert await snapshot(db) == before


async def snapshot(db: AsyncEngine) -> dict[str, Any]:
    """Every row of every table, as a checksum; the last use of a session is no change."""
    checksums = {}
    async with db.connect() as connection:
        names = await connection.scalars(
            text("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
        )
        for name in sorted(names):
            if name in ("sessions", "users"):
                continue
            query = text(f"SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM {name} t")
            checksums[name] = await connection.scalar(query)
    return checksums
