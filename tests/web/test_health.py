"""What a load balancer, a probe and a browser get to see of the product's health."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from sqlalchemy import delete, insert
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from people import add_person, add_session, add_tenant, cookie
from scrapersky import tables
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.pipeline import STAGES
from scrapersky.queries import StageQuery
from scrapersky.queries.stages import StageStatus
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web.headers import HEADERS

Browse = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
JOB_IDS = [stage.job_id for stage in STAGES]
ALL_PATHS = (
    "/health",
    "/health/live",
    "/health/ready",
    "/",
    "/system",
    "/static/nothing/css/console.css",
    "/nothing",
    "/../etc/passwd",
)


@pytest.fixture
async def gone() -> AsyncIterator[AsyncEngine]:
    """An engine whose database is away."""
    engine = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:9/none")
    yield engine
    await engine.dispose()


def api_of(engine: AsyncEngine) -> ApiContext:
    return ApiContext(engine, Settings(), Log(), SecretKey("k9J2" * 10))


@pytest.mark.req("R087")
async def test_health_is_healthy_with_database_and_workers(
    db: AsyncEngine, worker: None, browse: Browse
) -> None:
    async with browse(db) as client:
        answer = await client.get("/health")

    report = answer.json()
    assert (answer.status_code, report["status"]) == (200, "healthy")
    assert report["schedulers"]["run_job"] is True
    assert report["queue_depths"]["run_job_queued"] == 0
    assert report["external_services"]["database"] is True


@pytest.mark.req("R091")
async def test_without_workers_a_load_balancer_gets_503(db: AsyncEngine, browse: Browse) -> None:
    async with browse(db) as client:
        answer = await client.get("/health")
        ready = await client.get("/health/ready")

    assert (answer.status_code, answer.json()["status"]) == (503, "unhealthy")
    assert ready.status_code == 200


@pytest.mark.req("R091")
async def test_without_a_database_it_is_alive_but_neither_ready_nor_healthy(
    gone: AsyncEngine, browse: Browse
) -> None:
    async with browse(gone) as client:
        answers = {
            path: await client.get(path) for path in ("/health", "/health/ready", "/health/live", "/system")
        }

    assert {path: answer.status_code for path, answer in answers.items()} == {
        "/health": 503,
        "/health/ready": 503,
        "/health/live": 200,
        "/system": 503,
    }
    assert "The database is unavailable." in answers["/system"].text
    report = answers["/health"].json()
    assert report["external_services"] == {"database": False}
    assert set(report["schedulers"].values()) == {False}, "the shape is the same"
    assert {"domains_queued", "sitemaps_queued", "pages_queued"} <= set(report["queue_depths"])


@pytest.mark.req("R089", "R091")
async def test_a_broken_optional_service_is_degraded_but_keeps_us_in_rotation(
    db: AsyncEngine, worker: None, browse: Browse
) -> None:
    async def refused() -> str:
        return "the key is refused"

    async with browse(db, checks={"scraper_api": refused}) as client:
        answer = await client.get("/health")

    report = answer.json()
    assert (answer.status_code, report["status"]) == (200, "degraded")
    assert report["external_services"] == {"database": True, "scraper_api": False}


async def test_reasons_are_for_those_who_are_signed_in(db: AsyncEngine, worker: None, browse: Browse) -> None:
    async def refused() -> str:
        return "the key is refused"

    checks = {"scraper_api": refused}
    async with browse(db, checks=checks) as nobody, browse(db, checks=checks, api=api_of(db)) as local:
        assert "the key is refused" not in (await nobody.get("/health")).text
        details = (await local.get("/health")).json()["details"]

    shown = details["external_services"]["scraper_api"]
    assert shown == {"status": "the key is refused", "circuit": {"state": "closed"}}


async def test_another_tenant_sees_no_alerts(db: AsyncEngine, worker: None, browse: Browse) -> None:
    person = await add_person(db, "ada@example.com", tenant_id=await add_tenant(db))
    theirs = cookie(await add_session(db, person))
    ours = cookie(await add_session(db, await add_person(db, "boss@example.com")))
    async with db.begin() as connection:
        alert = {"kind": "stuck", "subject": "read_page", "message": "shop.example waits"}
        await connection.execute(insert(tables.alerts).values(alert))
    async with browse(db, api=api_of(db)) as client:
        assert "open_alerts" in (await client.get("/health", headers=ours)).text
        assert "open_alerts" not in (await client.get("/health", headers=theirs)).text
        assert "shop.example waits" in (await client.get("/system", headers=ours)).text
        page = await client.get("/system", headers=theirs)
    assert page.status_code == 200
    assert "shop.example waits" not in page.text


async def test_an_open_alert_is_degraded_but_answers_200(
    db: AsyncEngine, worker: None, browse: Browse
) -> None:
    async with db.begin() as connection:
        await connection.execute(insert(tables.alerts).values(kind="stuck", subject="run_job", message="m"))
    async with browse(db) as client:
        answer = await client.get("/health")

    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")


@pytest.mark.parametrize("path", ALL_PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_every_answer_carries_the_security_headers(
    gone: AsyncEngine, browse: Browse, path: str, method: str
) -> None:
    async with browse(gone) as client:
        answer = await client.request(method, path)

    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


async def test_an_unforeseen_error_carries_them_too_and_tells_nothing(
    db: AsyncEngine, worker: None, browse: Browse
) -> None:
    class Broken(StageQuery):
        async def statuses(self) -> list[StageStatus]:
            raise RuntimeError("secret-detail")

    async with browse(db, stages=Broken) as client:
        answer = await client.get("/system")

    assert answer.status_code == 500
    assert "secret-detail" not in answer.text
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


async def test_the_page_shows_the_stages(db: AsyncEngine, worker: None, browse: Browse) -> None:
    async with browse(db) as client:
        page = await client.get("/system")
        style = await client.get(page.text.split('rel="stylesheet" href="')[1].split('"')[0])

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert '<th scope="row">run_job</th>' in page.text
    assert '<span class="state healthy">healthy</span>' in page.text
    assert style.headers["content-type"].startswith("text/css")


async def test_the_page_says_starting_until_the_workers_are_there_but_not_for_ever(
    db: AsyncEngine, gone: AsyncEngine, browse: Browse
) -> None:
    """`/health` keeps its meaning: without workers it is unhealthy from the first moment."""

    async def shown(client: httpx.AsyncClient) -> tuple[int, str]:
        page = await client.get("/system")
        return page.status_code, page.text.split('class="state ')[1].split('"')[0]

    async with browse(db) as client, browse(db, startup_seconds=0.0) as late, browse(gone) as nowhere:
        assert await shown(client) == (200, "starting")
        assert (await client.get("/health")).json()["status"] == "unhealthy"
        assert await shown(late) == (503, "unhealthy")
        assert await shown(nowhere) == (503, "unhealthy")

        stages = [stage.name for stage in STAGES]
        async with db.begin() as connection:
            worker = {"machine": "m", "pid": 1, "stages": stages, "scheduled_jobs": JOB_IDS}
            await connection.execute(insert(tables.workers).values(worker))
        assert await shown(client) == (200, "healthy")
        async with db.begin() as connection:
            await connection.execute(delete(tables.workers))
        assert await shown(client) == (503, "unhealthy")


async def test_a_broken_service_is_not_called_starting(db: AsyncEngine, browse: Browse) -> None:
    async def refused() -> str:
        return "the key is refused"

    async with browse(db, checks={"scraper_api": refused}) as client:
        assert 'class="state unhealthy"' in (await client.get("/system")).text


async def test_the_page_escapes_what_strangers_say(db: AsyncEngine, worker: None, browse: Browse) -> None:
    async def hostile() -> str:
        return "<script>alert(1)</script>"

    async with browse(db, checks={"<b>service": hostile}) as client:
        page = await client.get("/system")

    assert "<script>" not in page.text
    assert "&lt;b&gt;service: &lt;script&gt;alert(1)&lt;/script&gt;" in page.text


async def test_the_page_has_no_script_and_no_foreign_address(
    db: AsyncEngine, worker: None, browse: Browse
) -> None:
    async with browse(db) as client:
        page = (await client.get("/system")).text

    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "style=" not in page


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json"])
async def test_nothing_else_is_offered(db: AsyncEngine, browse: Browse, path: str) -> None:
    async with browse(db) as client:
        assert (await client.get(path)).status_code == 404


ALLOWED = ("localhost", "LOCALHOST:8000", "sky.localhost", "127.0.0.1:8000", "[::1]:8000", "192.168.1.5", "")
ALLOWED += ("sky.internal:8000", "deep.below.example")
REFUSED = ("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example")
REFUSED += ("below.example", "notlocalhost", "127.0.0.1@evil.example", "sky.internal.evil.example")
REFUSED += ("127.0.0.1:8000@evil.example", "localhost:evil.example", "[::1]evil.example", "[::1]:80:80")


async def test_only_known_hosts_are_answered(db: AsyncEngine, browse: Browse) -> None:
    """A name that was rebound to our address reads nothing, from no path."""
    async with browse(db, allowed_hosts=["sky.internal", ".below.example"]) as client:
        for host in ALLOWED:
            assert (await client.get("/health/live", headers={"Host": host})).status_code == 200, host
        for host in REFUSED:
            for path in ALL_PATHS:
                answer = await client.get(path, headers={"Host": host})
                assert answer.status_code == 421, (host, path)
                assert answer.text.count("\n") == 1
                assert "ALLOWED_HOSTS" in answer.text
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
    async with browse(db, allowed_hosts=["*"]) as client:
        assert (await client.get("/health/live", headers={"Host": REFUSED[0]})).status_code == 200
