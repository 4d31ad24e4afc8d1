"""What other sites make a browser send is refused, with and without accounts (C7, API-13)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_key, add_person, add_session, bearer, cookie
from scrapersky import tables
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web import create_app
from scrapersky.web.proxies import TrustedProxies

SCAN = "/api/v3/sitemap/scan"
BODY = {"base_url": "example.com"}
OWN = "http://localhost:8000"
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:9999"},
    {"Origin": "https://localhost:8000"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://sub.localhost:8000"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": "null"},
    {"Sec-Fetch-Site": "none", "Origin": "https://evil.example"},
]
OURS: list[dict[str, str]] = [
    {},
    {"Origin": OWN},
    {"Sec-Fetch-Site": "same-origin", "Origin": OWN},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
]


def make_client(db: AsyncEngine, base_url: str = OWN, **settings: Any) -> httpx.AsyncClient:
    context = ApiContext(db, Settings(**settings), Log(level="error"), SecretKey("s" * 16 + "k9J2" * 8))
    web = create_app(HealthQuery(db, None), StageQuery(db), api=context)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(web, raise_app_exceptions=False), base_url=base_url
    )


@pytest.fixture(params=["open loopback", "session"])
async def client(db: AsyncEngine, request: pytest.FixtureRequest) -> AsyncIterator[httpx.AsyncClient]:
    async with make_client(db) as client:
        if request.param == "session":
            client.headers.update(cookie(await add_session(db, await add_person(db, "ada@example.com"))))
        yield client


async def jobs(db: AsyncEngine) -> int:
    async with db.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(tables.jobs)) or 0)


async def test_a_request_of_another_site_is_refused(client: httpx.AsyncClient, db: AsyncEngine) -> None:
    for headers in FOREIGN:
        answer = await client.post(SCAN, json=BODY, headers=headers)
        assert answer.status_code == 403, headers
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            content = b'{"base_url": "example.com"}'
            typed = await client.post(SCAN, content=content, headers={**headers, "Content-Type": kind})
            assert typed.status_code == 403, (headers, kind)
    assert await jobs(db) == 0


async def test_our_own_pages_and_programs_are_served(client: httpx.AsyncClient, db: AsyncEngine) -> None:
    for headers in OURS:
        assert (await client.post(SCAN, json=BODY, headers=headers)).status_code == 202, headers
    assert await jobs(db) == len(OURS)


async def test_a_form_is_not_taken_for_json(client: httpx.AsyncClient, db: AsyncEngine) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        headers = {"Content-Type": kind} if kind else {}
        answer = await client.post(SCAN, content=b'{"base_url": "example.com"}', headers=headers)
        assert answer.status_code == 415, kind
    assert await jobs(db) == 0


async def test_other_sites_may_link_to_us_but_not_read(client: httpx.AsyncClient) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await client.get("/system", headers=link)).status_code == 200
    script = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Origin": "https://evil.example"}
    assert (await client.get("/api/v3/jobs", headers=script)).status_code == 403
    answer = await client.get("/api/v3/jobs")
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_login_and_setup_are_protected_too(client: httpx.AsyncClient) -> None:
    for path in ("/api/v3/session", "/api/v3/setup", "/login", "/setup"):
        answer = await client.post(path, json={}, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403


async def test_a_key_needs_no_origin(db: AsyncEngine) -> None:
    key = await add_key(db, await add_person(db, "ada@example.com"), "operate")
    async with make_client(db) as client:
        headers = {**bearer(key), "Origin": "https://evil.example"}
        assert (await client.post(SCAN, json=BODY, headers=headers)).status_code == 202


async def test_no_get_changes_anything(client: httpx.AsyncClient, db: AsyncEngine) -> None:
    async def counts() -> dict[str, int]:
        async with db.connect() as connection:
            return {
                name: int(await connection.scalar(select(func.count()).select_from(table)) or 0)
                for name, table in tables.metadata.tables.items()
                if name != "tenant_usage"  # It counts the exports of a day.
            }

    before = await counts()
    paths = (await client.get("/api/v3/openapi.json")).json()["paths"]
    got = [path for path, methods in paths.items() if "get" in methods and "{" not in path]
    assert len(got) > 10
    for path in got:
        if "events" not in path:
            await client.get(path)
            await client.head(path)
    assert await counts() == before


async def test_overrides_of_method_and_address_are_ignored(db: AsyncEngine) -> None:
    async with make_client(db) as client:
        headers = {"X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/api/v3/users"}
        assert (await client.get("/api/v3/session", headers=headers)).json()["method"] == "local"
        assert (await client.get("/health/live", headers={"Host": "evil"})).status_code == 421


BEHIND = {"host": "0.0.0.0", "public_url": "https://localhost", "trusted_proxies": "127.0.0.1,10.0.0.0/8"}
TLS = {"X-Forwarded-Proto": "https"}


async def test_beyond_loopback_plain_http_is_refused(db: AsyncEngine) -> None:
    async with make_client(db, "http://localhost", **BEHIND) as client:
        for headers in ({}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https, http"}):
            answer = await client.get("/api/v3/session", headers=headers)
            assert (answer.status_code, "Use https://localhost" in answer.json()["detail"]) == (403, True)
        assert (await client.get("/health/live")).status_code == 200
        assert (await client.get("/api/v3/session", headers=TLS)).status_code == 401
        for path in ("/docs", "/metrics", "/api/v3/openapi.json", "/system"):
            assert (await client.get(path, headers=TLS)).status_code in (303, 401, 404), path


async def test_behind_tls_the_cookie_is_bound_to_the_host(db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    async with make_client(db, "http://localhost", **BEHIND) as client:
        login = {"email": "ada@example.com", "password": "seventeen violet kayaks"}
        headers = {**TLS, "Origin": "https://localhost", "X-Forwarded-For": "203.0.113.5"}
        answer = await client.post("/api/v3/session", json=login, headers=headers)
        assert answer.status_code == 204, answer.text
        header = answer.headers["set-cookie"]
        assert header.startswith("__Host-session=")
        assert {"Secure", "HttpOnly", "Path=/", "SameSite=lax"} <= set(header.split("; "))
        assert "Domain" not in header
        assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
        token = header.partition("=")[2].partition(";")[0]
        known = await client.get("/api/v3/session", headers={**TLS, "Cookie": f"__Host-session={token}"})
        assert known.json()["email"] == "ada@example.com"
        weaker = {**TLS, "Cookie": f"scrapersky-session={token}"}
        assert (await client.get("/api/v3/session", headers=weaker)).status_code == 401
    async with db.connect() as connection:
        assert await connection.scalar(select(tables.sessions.c.address)) == "203.0.113.5"


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("127.0.0.1", "1.1.1.1, 203.0.113.1, 10.1.1.1", "203.0.113.1"),
        ("127.0.0.1", "203.0.113.1, nonsense", "127.0.0.1"),
        ("127.0.0.1", ", ".join(["9.9.9.9"] * 50), "9.9.9.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("192.0.2.9", "203.0.113.1", "192.0.2.9"),
    ],
)
async def test_the_client_is_the_nearest_address_that_is_not_a_proxy(
    peer: str, forwarded: str, client: str
) -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    proxies = TrustedProxies(app, networks="127.0.0.1, 10.0.0.0/8")
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": (peer, 1), "scheme": "http", "headers": headers}
    await proxies(scope, None, None)  # type: ignore[arg-type]
    assert seen == [client]
