"""A job's status and its sitemaps are one transaction: when one job's cannot be written, all others' stay."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, urlset
from product import add_domain, add_job, job_row, until
from small_web import rows, working

NAMES = ("early.com", "broken.com", "other.com")
REFUSE = """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN RAISE EXCEPTION ''no status for this one''; END'"""
FOR_ONE = """CREATE TRIGGER refuse BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (NEW.id = :number AND NEW.status = 'complete') EXECUTE FUNCTION refuse()"""


async def ask(db: AsyncEngine, name: str) -> int:
    domain = await add_domain(db, name, host=name, status="completed")
    data = {"domain": name, "home_url": f"https://{name}/"}
    return await add_job(db, "sitemap", host=name, domain_id=domain, result_data=data, max_retries=50)


async def sitemaps(db: AsyncEngine) -> list[str]:
    found = await rows(db, "SELECT url FROM sitemap_files ORDER BY url")
    return [row.url.removeprefix("https://") for row in found]


@pytest.mark.req("R175")
async def test_a_status_that_cannot_be_written_undoes_no_stored_sitemap(db: AsyncEngine) -> None:
    web = FakeWeb({f"https://{name}/sitemap.xml": urlset(f"https://{name}/1") for name in NAMES})

    async def is_complete(number: int) -> bool:
        return bool((await job_row(db, number)).status == "complete")

    async with working(db, web, sitemap_auto_import=False) as lines:
        early = await ask(db, NAMES[0])
        await until(lambda: is_complete(early))
        async with db.begin() as connection:
            broken = (await connection.execute(text("SELECT max(id) + 1 FROM jobs"))).scalar_one()
            await connection.execute(text(REFUSE))
            await connection.execute(text(FOR_ONE.replace(":number", str(broken))))
        assert await ask(db, NAMES[1]) == broken
        other = await ask(db, NAMES[2])
        await until(lambda: is_complete(other))

        async def is_tried_again() -> bool:
            return bool((await job_row(db, broken)).retry_count > 1)

        await until(is_tried_again)
        assert await sitemaps(db) == ["early.com/sitemap.xml", "other.com/sitemap.xml"]
        told = [line for line in lines if _is_about(line, broken)]
        assert {line["state"] for line in told} == {"retried"}
        assert "no status for this one" in told[0]["error"]

        async with db.begin() as connection:
            await connection.execute(text("DROP TRIGGER refuse ON jobs"))
        await until(lambda: is_complete(broken))

    assert await sitemaps(db) == [f"{name}/sitemap.xml" for name in sorted(NAMES)]


def _is_about(line: dict[str, Any], number: int) -> bool:
    return line.get("stage") == "discover_sitemaps" and line.get("id") == number
