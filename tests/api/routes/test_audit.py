"""The audit log over HTTP."""

from __future__ import annotations

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record

API = "/api/v3/audit"
ANA = Actor(TENANT, USER, name="ana@example.com", correlation_id="request-1")


async def test_the_audit_log_is_listed_and_verified(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        for name in ("Ada", "Grace"):
            await record(connection, ANA, "contact.update", table="contacts", row_id="7",
                         before={"name": None}, after={"name": name})  # fmt: skip
    answer = await api.get(API, params={"limit": 1, "row_id": "7"})
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert (page["next"], page["total"], page["total_exact"]) == (2, 2, True)
    [entry] = page["items"]
    assert (entry["actor"], entry["correlation_id"], entry["after"]) == (
        ANA.name,
        "request-1",
        {"name": "Grace"},
    )
    older = (await api.get(API, params={"after": page["next"]})).json()
    assert [entry["after"]["name"] for entry in older["items"]] == ["Ada"]
    report = (await api.get(f"{API}/verify")).json()
    assert (report["is_intact"], report["entries"], report["hash"]) == (True, 2, entry["hash"])

    async with db.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        await connection.execute(text("UPDATE audit_log SET action = 'contact.updatf' WHERE number = 1"))
    report = (await api.get(f"{API}/verify")).json()
    assert (report["is_intact"], report["faults"][0]["number"]) == (False, 1)


async def test_nonsense_is_refused(api: httpx.AsyncClient) -> None:
    for params in ({"after": "0"}, {"limit": "0"}, {"since": "yesterday"}, {"user_id": "me"}, {"sort": "x"}):
        assert (await api.get(API, params=params)).status_code == 422, params
