"""The API answers, as a role that sees one tenant's rows."""

from __future__ import annotations

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job
from scrapersky.database import tenant_engine


async def test_a_job_is_shown(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    job_id = await add_job(db)
    answer = await api.get(f"/api/v3/jobs/{job_id}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["id"] == job_id
    assert (await api.get("/api/v3/jobs/999999")).status_code == 404


@pytest.mark.req("R194")
async def test_a_request_runs_as_the_role_of_the_application(db: AsyncEngine) -> None:
    async with tenant_engine(db, TENANT).connect() as connection:
        assert await connection.scalar(text("SELECT current_user::text")) == "scrapersky_app"
    async with db.connect() as connection:
        assert await connection.scalar(text("SELECT current_user::text")) != "scrapersky_app"
