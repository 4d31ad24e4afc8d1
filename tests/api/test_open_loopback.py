"""Open loopback: without accounts the commands of the seeds work as they are; with one they need a key."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_key, add_person, bearer
from product import TENANT, USER
from scrapersky import tables
from scrapersky.tables.seed import local_user_id

SCAN = "/api/v3/sitemap/scan"
BODY = b'{"base_url": "crystalcm.co.uk", "max_pages": 100}'
# What curl sends.
CURL = {"Content-Type": "application/json", "User-Agent": "curl/8.5.0", "Accept": "*/*"}


@pytest.mark.req("R255", "R188")
async def test_the_commands_of_the_seeds_work_and_act_as_local(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    answer = await api.post(SCAN, content=BODY, headers=CURL)
    assert answer.status_code == 202, answer.text
    status = await api.get(answer.json()["status_url"], headers={"User-Agent": "curl/8.5.0"})
    assert status.status_code == 200
    async with db.connect() as connection:
        created_by = await connection.scalar(select(tables.jobs.c.created_by))
    assert created_by == local_user_id(TENANT)
    assert created_by != USER, "the schedule is somebody else"


@pytest.mark.req("R255")
async def test_the_first_account_ends_it_at_once_with_a_hint(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    assert (await api.get("/api/v3/session")).json()["method"] == "local"
    user = await add_person(db, "ada@example.com")
    answer = await api.post(SCAN, content=BODY, headers=CURL)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="ScraperSky"'
    assert "POST /api/v3/session" in answer.json()["detail"]
    assert "Authorization: Bearer ssky_" in answer.json()["detail"]
    async with db.connect() as connection:
        assert (await connection.execute(select(tables.jobs.c.id))).first() is None
    key = await add_key(db, user, "operate")
    assert (await api.post(SCAN, content=BODY, headers={**CURL, **bearer(key)})).status_code == 202


async def test_disabling_the_last_account_does_not_open_the_door(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com", is_active=False)
    assert (await api.get("/api/v3/session")).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.1"},
        {"Forwarded": "for=203.0.113.1"},
        {"Via": "1.1 proxy"},
        {"X-Real-IP": "203.0.113.1"},
        {"Host": "192.168.1.5:8000"},
    ],
)
async def test_a_request_that_came_from_elsewhere_is_not_local(
    api: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    """A proxy on this machine passes on what the world sends."""
    assert (await api.get("/api/v3/session", headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "settings",
    [
        {"host": "0.0.0.0", "public_url": "https://leads.example.org", "trusted_proxies": "127.0.0.1"},
        {"trusted_proxies": "127.0.0.1"},
        {"public_url": "https://leads.example.org"},
    ],
)
async def test_a_server_that_others_reach_is_never_open(open_api: Any, settings: dict[str, Any]) -> None:
    async with open_api(**settings) as client:
        answer = await client.get("/api/v3/session", headers={"X-Forwarded-Proto": "https"})
        assert answer.status_code == 401


async def test_another_client_address_is_not_local(make_web: Any) -> None:
    transport = httpx.ASGITransport(make_web(), client=("192.168.1.9", 4000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        assert (await client.get("/api/v3/session")).status_code == 401
