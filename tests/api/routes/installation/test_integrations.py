"""Integrations: listed with what they need, and tested against a real answer of the service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, add_tenant, cookie

PATH = "/api/v3/integrations"


@pytest.fixture
async def scraper_api() -> AsyncIterator[dict[str, Any]]:
    """The settings that lead to a service which knows one key."""

    async def account(request: web.Request) -> web.Response:
        return web.Response(status=200 if request.query.get("api_key") == "right" else 403)

    application = web.Application()
    application.router.add_get("/account", account)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    yield {
        "scraper_api_enabled": True,
        "scraper_api_url": "http://scraper.example/",
        "egress_allow": f"127.0.0.1:{port}",
        "connect_to": f"::127.0.0.1:{port}",
    }
    await runner.cleanup()


async def test_services_are_listed_with_the_settings_they_need(api: httpx.AsyncClient) -> None:
    rows = {row["name"]: row for row in (await api.get(PATH)).json()["items"]}
    assert rows["scraper_api"]["needs"] == ["SCRAPER_API_KEY", "SCRAPER_API_ENABLED"]
    assert not rows["scraper_api"]["is_configured"]


@pytest.mark.parametrize(("key", "status"), [("right", "ok"), ("wrong-and-secret", "failed")])
async def test_a_test_says_whether_the_service_accepts_us(
    open_api: Any, scraper_api: dict[str, Any], key: str, status: str
) -> None:
    async with open_api(scraper_api_key=key, **scraper_api) as client:
        answer = await client.post(f"{PATH}/scraper_api/test")
    assert (answer.status_code, answer.json()["status"]) == (200, status)
    assert "wrong-and-secret" not in answer.text


async def test_what_is_not_configured_is_not_called(api: httpx.AsyncClient) -> None:
    answer = (await api.post(f"{PATH}/scraper_api/test")).json()
    assert answer["status"] == "not configured"
    assert "SCRAPER_API_KEY" in answer["message"]
    assert (await api.post(f"{PATH}/nothing/test")).status_code == 404


async def test_only_the_default_tenant_tests_services(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    other = await add_person(db, "boss@other.example", "admin", tenant_id=await add_tenant(db))
    headers = cookie(await add_session(db, other))
    assert (await api.get(PATH, headers=headers)).status_code == 403
