"""The state of the system for people, and the database for administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from people import add_person, add_session, add_tenant, cookie
from product import TENANT, add_job
from scrapersky import tables
from scrapersky.api import ApiContext
from scrapersky.declarations import DECLARATIONS
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web import create_app
from scrapersky.web.console.system import show_bytes

OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
REFRESH = '<meta http-equiv="refresh" content="5">'


async def add_alert(db: AsyncEngine, **values: str) -> UUID:
    alerts = tables.alerts
    row = {"kind": "stuck_jobs", "subject": "jobs", "message": "Job 7 <b>waits</b>", **values}
    async with db.begin() as connection:
        statement = insert(alerts).values(row).returning(alerts.c.id)
        made: UUID = (await connection.execute(statement)).scalar_one()
        return made


async def add_worker(db: AsyncEngine) -> None:
    jobs = [stage.compat.job_id for stage in DECLARATIONS]
    row = {"machine": "m1", "pid": 4, "stages": [stage.name for stage in DECLARATIONS]}
    async with db.begin() as connection:
        await connection.execute(insert(tables.workers).values(**row, scheduled_jobs=jobs))


@pytest.mark.req("R206")
async def test_the_schedulers_are_shown_with_their_last_and_next_run(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_worker(db)
    minute = func.date_trunc("minute", func.now())
    figures = {"stage": "read_page", "minute": minute, "worker": 1, "runs": 3, "run_ms_last": 1_500.0}
    async with db.begin() as connection:
        values = {**figures, "errors": {"Timeout": 4}, "repaired": 6}
        await connection.execute(insert(tables.stage_stats).values(values))

    answer = await console.get("/system")

    assert answer.status_code == 200
    assert "Everything works" in answer.text
    assert REFRESH not in answer.text, "a page that is fine does not move"
    table = answer.text.split("Schedulers of the stages")[1]
    line = table.split('<a href="/stages/read_page">')[1].split("</tr>")[0]
    assert "running" in line
    assert "when rows wait" in line
    assert "1.5\u202fs" in line
    assert '<td class="num" data-label="Errors">4</td>' in line
    assert "6 rows" in answer.text, "repairs of the safety net"
    assert "PostgreSQL" in answer.text
    assert "1 alive" in answer.text


async def test_what_is_missing_is_said_and_checked_again(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    starting = await console.get("/system")
    assert (starting.status_code, REFRESH in starting.text) == (200, True)
    assert "The workers are starting" in starting.text

    await add_worker(db)
    assert (await console.get("/system")).status_code == 200
    async with db.begin() as connection:
        await connection.execute(tables.workers.delete())
    answer = await console.get("/system")
    assert (answer.status_code, REFRESH in answer.text) == (503, True)
    assert "not running" in answer.text
    assert "scrapersky worker" in answer.text, "and what to do about it"


async def test_open_alerts_are_acknowledged_and_closed(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_worker(db)
    alert = await add_alert(db)
    page = (await console.get("/system")).text
    assert "Job 7 &lt;b&gt;waits&lt;/b&gt;" in page
    assert "something needs attention" in page

    assert (await console.post(f"/system/alerts/{alert}/acknowledge")).status_code == 303
    assert "acknowledged" in (await console.get("/system")).text
    assert (await console.post(f"/system/alerts/{alert}/resolve")).status_code == 303

    async with db.connect() as connection:
        row = (await connection.execute(select(tables.alerts))).one()
    assert row.acknowledged_at
    assert row.resolved_at
    assert "Everything works" in (await console.get("/system")).text


async def test_an_open_circuit_says_since_when(open_console: OpenConsole, db: AsyncEngine) -> None:
    await add_alert(db, kind="circuit_open", subject="scraper_api", message="HTTP 402: no credit")
    async with open_console() as console:
        page = (await console.get("/system")).text

    line = page.split("<h2>Outside services</h2>")[1].split("</li>")[0]
    assert "Calls are suspended: HTTP 402: no credit" in line
    assert "since" in line


@pytest.mark.req("R265")
async def test_credits_are_shown_by_day_domain_and_job(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db)
    spent = {"tenant_id": TENANT, "day": func.current_date(), "domain": "one.example"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.credit_uses).values(**spent, job_id=number, spent=37))
        await connection.execute(insert(tables.credit_uses).values(**spent, spent=5))

    part = (await console.get("/system")).text.split("<h2>Credits")[1]

    assert "42 spent" in part
    assert 'href="/domains/one.example"' in part
    assert f'href="/jobs/{number}"' in part
    assert ">37<" in part.replace(" ", "")


async def test_a_viewer_sees_the_state_and_changes_nothing(
    open_console: OpenConsole, db: AsyncEngine
) -> None:
    alert = await add_alert(db)
    async with open_console("viewer") as viewer:
        page = (await viewer.get("/system")).text
        assert "Job 7" in page
        assert "Acknowledge" not in page
        for action in ("acknowledge", "resolve"):
            assert (await viewer.post(f"/system/alerts/{alert}/{action}")).status_code == 403
        assert (await viewer.get("/system/database")).status_code == 403


async def test_another_tenant_sees_nothing_of_the_installation(
    open_console: OpenConsole, db: AsyncEngine
) -> None:
    await add_worker(db)
    alert = await add_alert(db)
    elsewhere = await add_person(db, "root@elsewhere.example", "admin", tenant_id=await add_tenant(db))
    async with open_console() as console:
        headers = cookie(await add_session(db, elsewhere))
        page = (await console.get("/system", headers=headers)).text
        assert "Schedulers of the stages" in page
        assert "Job 7" not in page
        assert "m1" not in page.split("<main")[1]
        answer = await console.post(f"/system/alerts/{alert}/resolve", headers=headers)
        assert answer.status_code == 403
        tables_page = (await console.get("/system/database", headers=headers)).text
        assert '<th scope="col" class="num">Size</th>' not in tables_page
        assert (await console.get("/system/database/workers", headers=headers)).status_code == 403


async def test_strangers_are_led_to_the_login(open_console: OpenConsole, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    async with open_console() as nobody:
        answer = await nobody.get("/system")

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login")


@pytest.fixture
async def gone() -> AsyncIterator[AsyncEngine]:
    """An engine whose database is away."""
    engine = create_async_engine("postgresql+asyncpg://nobody@127.0.0.1:9/none")
    yield engine
    await engine.dispose()


async def test_the_page_answers_without_a_database(gone: AsyncEngine) -> None:
    api = ApiContext(gone, Settings(), Log(), SecretKey("k9J2" * 10))
    web = create_app(HealthQuery(gone), StageQuery(gone), api=api)
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        answer = await client.get("/system", headers={"Accept": "text/html"})

    assert answer.status_code == 503
    assert "The database is unavailable." in answer.text
    assert REFRESH in answer.text
    assert "<nav" not in answer.text, "the frame needs the database"


async def test_admins_look_at_tables(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    number = await add_job(db, result_data={"name": "<b>Ada</b>"})

    listed = (await console.get("/system/database")).text
    table = (await console.get("/system/database/jobs")).text

    assert 'href="/system/database/jobs"' in listed
    assert f"<td>{number}</td>" in table
    assert "&lt;b&gt;Ada&lt;/b&gt;" in table
    assert "<code>progress_percent</code>" in table
    assert (await console.get("/system/database/pg_authid")).status_code == 404


async def test_secrets_in_tables_are_masked(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_session(db, await add_person(db, "ada@example.com", "viewer"))
    token = await add_session(db, await add_person(db, "root@example.com"))

    page = (await console.get("/system/database/sessions", headers=cookie(token))).text

    assert "***" in page


def test_sizes_are_readable() -> None:
    assert (show_bytes(14 * 2**20), show_bytes(3 * 2**29)) == ("14 MiB", "1.5 GiB")
