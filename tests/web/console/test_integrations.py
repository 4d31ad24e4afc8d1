"""Integrations in the console: what each needs, and a button only where a test makes sense."""

from __future__ import annotations

from typing import Any

PATH = "/settings/integrations"


async def test_services_are_listed_and_only_configured_ones_can_be_tested(open_console: Any) -> None:
    async with open_console("operator") as client:
        page = await client.get(PATH)
        assert "ScraperAPI" in page.text
        assert "SCRAPER_API_KEY" in page.text
        assert "scraper_api/test" not in page.text
        answer = await client.post(f"{PATH}/scraper_api/test")
        assert "scraper_api: not configured" in answer.text


async def test_a_service_that_is_away_is_reported(open_console: Any) -> None:
    # Nothing listens on this port.
    away = {"egress_allow": "127.0.0.1:9", "connect_to": "::127.0.0.1:9"}
    known = {"scraper_api_key": "k", "scraper_api_url": "http://scraper.example/", **away}
    async with open_console("operator", scraper_api_enabled=True, **known) as client:
        assert "scraper_api/test" in (await client.get(PATH)).text
        assert "unreachable" in (await client.post(f"{PATH}/scraper_api/test")).text
