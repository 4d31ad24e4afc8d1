"""The circuit breaker in front of ScraperAPI, from a failing service to /health, with a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from hostile import ANSWERS, HostileServer, Visit
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.engine.outcome import Snooze
from scrapersky.engine.stage import RUNNING_ITEM, Item
from scrapersky.fetch.paid.scraper_api import APIKeyRejected, PaidTierBusy, PaidTierFailed
from scrapersky.queries import HealthQuery
from scrapersky.settings import Settings, load_settings
from scrapersky.stage_context.context import StageContext
from scrapersky.wiring import build_context, service_checks
from scrapersky_demo.contracts.scraper_api import Failure, ScraperAPIServer
from scrapersky_demo.contracts.server import running

FAILURES = 3


@pytest.fixture
async def service() -> AsyncIterator[ScraperAPIServer]:
    server = ScraperAPIServer(key="k")
    async with running(server.application()) as server.port:
        yield server


@pytest.fixture
def settings(server: HostileServer, service: ScraperAPIServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    async def forbidden(visit: Visit) -> None:
        await visit.page(b"no", status="403 Forbidden")

    monkeypatch.setitem(ANSWERS, "/forbidden", forbidden)
    given = {
        "SCRAPER_API_KEY": "k",
        "SCRAPER_API_ENABLED": "true",
        "SCRAPER_API_URL": "http://service.example/",
        "SCRAPER_API_MAX_RETRIES": "0",
        "CIRCUIT_FAILURES": str(FAILURES),
        "CIRCUIT_OPEN_SECONDS": "1",
        "HOST_DELAY_MILLISECONDS": "0",
        "EGRESS_ALLOW": f"127.0.0.1:{server.port},127.0.0.1:{service.port}",
        "CONNECT_TO": f"service.example:*:127.0.0.1:{service.port},::127.0.0.1:{server.port}",
    }
    return load_settings(env_file=None, environment=given)


@pytest.fixture
async def context(settings: Settings, db: AsyncEngine) -> AsyncIterator[StageContext]:
    async with build_context(settings, db) as made:
        yield made


async def fetch(context: StageContext, number: int = 0) -> Any:
    return await context.fetch(f"http://shop{number}.example/forbidden")


async def circuit(db: AsyncEngine, settings: Settings) -> dict[str, Any]:
    report = await HealthQuery(db, service_checks(settings)).report()
    found: dict[str, Any] = report["details"]["external_services"]["scraper_api"]["circuit"]
    return found


@pytest.mark.req("R184", "R269")
@pytest.mark.parametrize("failure", ["error", "cut", "no credits"])
async def test_a_failing_service_is_left_alone_then_tried_once_and_used_again(
    db: AsyncEngine, settings: Settings, context: StageContext, service: ScraperAPIServer, failure: Failure
) -> None:
    service.failure = failure
    for number in range(FAILURES):
        with pytest.raises((PaidTierFailed, APIKeyRejected), match="ScraperAPI"):
            await fetch(context, number)
    for number in range(5):
        with pytest.raises(
            Snooze, match=r"scraper_api keeps failing and is not called for now \(.*ScraperAPI"
        ):
            await fetch(context, number)
    assert len(service.asked) == FAILURES, "an open circuit calls nobody"
    shown = await circuit(db, settings)
    assert shown["state"] == "open"
    assert "ScraperAPI" in shown["reason"]

    await asyncio.sleep(1.1)
    with pytest.raises((PaidTierFailed, APIKeyRejected)):
        await fetch(context)
    with pytest.raises(Snooze, match="keeps failing"):
        await fetch(context)
    assert len(service.asked) == FAILURES + 1, "one trial, and its failure opens the circuit again"

    await asyncio.sleep(1.1)
    service.failure = ""
    assert (await fetch(context)).from_tier == "scraper_api"
    assert await circuit(db, settings) == {"state": "closed"}
    async with db.connect() as connection:
        alert = (
            await connection.execute(
                select(tables.alerts.c.kind, tables.alerts.c.subject, tables.alerts.c.resolved_at)
            )
        ).one()
    assert (alert.kind, alert.subject, alert.resolved_at is not None) == ("circuit_open", "scraper_api", True)

    service.failure = failure
    for number in range(FAILURES):
        with pytest.raises((PaidTierFailed, APIKeyRejected)):
            await fetch(context, number)
    with pytest.raises(Snooze, match="keeps failing"):
        await fetch(context)
    assert len(service.asked) == 2 * FAILURES + 2, (
        "closed means closed: it takes all failures to open it again"
    )


@pytest.mark.req("R184")
async def test_the_sites_own_answers_and_a_busy_service_do_not_open_the_circuit(
    context: StageContext, service: ScraperAPIServer
) -> None:
    for number in range(2 * FAILURES):
        service.pages[f"http://shop{number}.example/forbidden"] = (404, "gone")
        with pytest.raises(Exception, match="404"):
            await fetch(context, number)
    service.failure = "busy"
    for number in range(2 * FAILURES):
        with pytest.raises(PaidTierBusy):
            await fetch(context, number)
    assert len(service.asked) == 4 * FAILURES
    assert service.charged == 2 * FAILURES, "a page that is gone is charged, a refusal is not"


async def test_a_busy_service_snoozes_the_row_and_does_not_rest_the_site(
    context: StageContext, service: ScraperAPIServer
) -> None:
    service.failure = "busy"
    with pytest.raises(PaidTierBusy) as caught:
        await fetch(context)
    assert isinstance(caught.value, Snooze)
    assert not caught.value.hurts_host


@pytest.mark.req("R089")
@pytest.mark.parametrize(
    ("failure", "shown"), [("", "ok"), ("key", "answered 401"), ("error", "answered 500")]
)
async def test_health_asks_the_service_itself(
    db: AsyncEngine, settings: Settings, service: ScraperAPIServer, failure: Failure, shown: str
) -> None:
    service.failure = failure
    report = await HealthQuery(db, service_checks(settings)).report()
    assert report["details"]["external_services"]["scraper_api"]["status"] == shown


@pytest.mark.req("R089")
async def test_health_says_when_the_service_is_unreachable_or_not_configured(
    db: AsyncEngine, settings: Settings, unused_port: int
) -> None:
    away = settings.model_copy(update={"connect_to": f"::127.0.0.1:{unused_port}"})
    away = away.model_copy(update={"egress_allow": f"127.0.0.1:{unused_port}"})
    report = await HealthQuery(db, service_checks(away)).report()
    assert report["details"]["external_services"]["scraper_api"]["status"] == "unreachable: connect"

    off = load_settings(env_file=None, environment={})
    report = await HealthQuery(db, service_checks(off)).report()
    assert report["details"]["external_services"]["scraper_api"]["status"] == "not configured"


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_an_expensive_request_raises_an_alert_and_is_made(
    db: AsyncEngine, settings: Settings, service: ScraperAPIServer
) -> None:
    """Premium and rendering together cost 50 credits: allowed because they were switched on, and told."""
    costly = {"scraper_api_enable_premium": True, "scraper_api_enable_js_rendering": True}
    async with build_context(settings.model_copy(update=costly), db) as kit:
        assert (await fetch(kit)).from_tier == "scraper_api"
    async with db.connect() as connection:
        alert = (
            await connection.execute(
                select(tables.alerts.c.kind, tables.alerts.c.subject, tables.alerts.c.message)
            )
        ).one()
    assert (alert.kind, alert.subject) == ("credits", "scraper_api")
    assert "50 credits" in alert.message


@pytest.mark.req("R265")
async def test_credits_are_charged_to_the_tenant_domain_and_job_that_spend_them(
    db: AsyncEngine, context: StageContext, service: ScraperAPIServer
) -> None:
    service.failure = ""
    uses = tables.credit_uses.c
    for item_id, job in ((7, 7), (uuid4(), 0)):
        token = RUNNING_ITEM.set(Item(item_id, TENANT, None, 1, 0, 0, 3))
        await fetch(context)
        RUNNING_ITEM.reset(token)
        async with db.connect() as connection:
            use = (await connection.execute(select(tables.credit_uses).where(uses.job_id == job))).one()
        assert (use.tenant_id, use.domain, use.spent > 0) == (TENANT, "shop0.example", True)
