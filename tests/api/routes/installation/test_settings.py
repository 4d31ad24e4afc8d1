"""`/settings`: every value with its origin, editable ones changed by admins of the default tenant."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings, is_editable, is_secret

PATH = "/api/v3/settings"
HOOK = "https://hooks.example.org/services/T0/very-private-part"


async def stored(db: AsyncEngine, name: str) -> Any:
    table = tables.setting_overrides
    async with db.connect() as connection:
        return (await connection.execute(select(table).where(table.c.name == name))).one_or_none()


async def audited(db: AsyncEngine) -> list[str]:
    async with db.connect() as connection:
        rows = await connection.execute(text("SELECT action FROM audit_log ORDER BY created_at"))
        return [row.action for row in rows]


async def test_every_setting_is_listed_with_its_origin_and_no_secret(open_api: Any) -> None:
    async with open_api(max_retries=5, alert_webhook_url=HOOK) as api:
        answer = await api.get(PATH)
    body = answer.json()
    rows = {row["name"]: row for row in body["items"]}
    assert body["total"] == len(Settings.model_fields)
    assert (rows["MAX_RETRIES"]["value"], rows["MAX_RETRIES"]["origin"]) == (5, "environment")
    assert not rows["MAX_RETRIES"]["editable"]
    assert (
        rows["AUTO_DEEP_SCAN"] | {"origin": "default", "value": False, "editable": True}
        == rows["AUTO_DEEP_SCAN"]
    )
    hook = rows["ALERT_WEBHOOK_URL"]
    assert (hook["is_set"], hook["value"], hook["editable"]) == (True, None, False)
    assert "very-private" not in answer.text


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("AUTO_DEEP_SCAN", True, "true"),
        ("page_curation_scheduler_concurrency", 7, "7"),
        ("SITEMAP_SCHEDULER_MODE", "interval", "interval"),
        ("HOST_DELAY_MILLISECONDS", "2500", "2500"),
    ],
)
@pytest.mark.req("R190", "R256")
async def test_an_editable_setting_is_changed_and_returned_to_its_default(
    api: httpx.AsyncClient, db: AsyncEngine, name: str, value: Any, kept: str
) -> None:
    answer = await api.put(f"{PATH}/{name}", json={"value": value})
    assert answer.status_code == 200, answer.text
    assert answer.json()["origin"] == "edited"
    assert str(answer.json()["value"]).lower() == kept
    assert (await stored(db, name.lower())).value == kept
    answer = await api.delete(f"{PATH}/{name}")
    assert (answer.status_code, answer.json()["origin"]) == (200, "default")
    assert await stored(db, name.lower()) is None
    assert await audited(db) == ["setting.set", "setting.unset"]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("PAGE_CURATION_SCHEDULER_CONCURRENCY", 0, "must be at least 1"),
        ("PAGE_CURATION_SCHEDULER_BATCH_SIZE", 10**6, "must be at most 10000"),
        ("PAGE_CURATION_SCHEDULER_BATCH_SIZE", "ten", "must be a whole number"),
        ("SITEMAP_SCHEDULER_MODE", "sometimes", "must be one of"),
        ("AUTO_DEEP_SCAN", "perhaps", "must be true or false"),
        ("HOST_DELAY_MILLISECONDS", "", "is empty"),
        ("LOW_WATER_ROWS", 100_000, "LOW_WATER_ROWS must be less than HIGH_WATER_ROWS"),
        ("ALERT_EMAIL_TO", "ops@example.org", "ALERT_EMAIL_TO needs ALERT_SMTP_HOST"),
        ("ALERT_WEBHOOK_URL", "http://169.254.169.254/latest", "private host"),
        ("ALERT_SLACK_URL", "http://localhost:9/", "private host"),
        ("ALERT_WEBHOOK_URL", "ftp://hunter2.example", "is not an http or https address"),
        ("ALERT_WEBHOOK_URL", f"https://hooks.example.org/{'a' * 2_000}", "longer than 2,000 characters"),
    ],
)
@pytest.mark.req("R192")
async def test_a_wrong_value_is_refused_by_the_rules_of_the_start(
    api: httpx.AsyncClient, db: AsyncEngine, name: str, value: Any, reason: str
) -> None:
    answer = await api.put(f"{PATH}/{name}", json={"value": value})
    assert answer.status_code == 422, answer.text
    assert reason in answer.json()["detail"]
    assert "hunter2" not in answer.text
    assert await stored(db, name.lower()) is None
    assert await audited(db) == []


@pytest.mark.parametrize("body", [{"value": 1.5}, {"value": None}, {"value": [1]}, {}, {"value": 1, "x": 2}])
async def test_a_body_of_another_shape_is_refused(api: httpx.AsyncClient, body: Any) -> None:
    assert (await api.put(f"{PATH}/HOST_DELAY_MILLISECONDS", json=body)).status_code == 422


async def test_what_the_environment_sets_wins_and_is_read_only(open_api: Any, db: AsyncEngine) -> None:
    async with open_api() as api:
        await api.put(f"{PATH}/HOST_DELAY_MILLISECONDS", json={"value": 2_000})
    async with open_api(host_delay_milliseconds=500) as api:
        shown = (await api.get(f"{PATH}/HOST_DELAY_MILLISECONDS")).json()
        assert (shown["value"], shown["origin"], shown["editable"]) == (500, "environment", False)
        refused = await api.put(f"{PATH}/HOST_DELAY_MILLISECONDS", json={"value": 3_000})
        assert refused.status_code == 409
        assert "environment" in refused.json()["detail"]
    assert (await stored(db, "host_delay_milliseconds")).value == "2000"


@pytest.mark.parametrize(
    "name", ["DATABASE_URL", "LEASE_SECONDS", "SECRET_KEY", "EGRESS_ALLOW", "OBEY_ROBOTS"]
)
async def test_other_settings_are_read_only(api: httpx.AsyncClient, name: str) -> None:
    answer = await api.put(f"{PATH}/{name}", json={"value": "1"})
    assert answer.status_code == 409
    assert (await api.delete(f"{PATH}/{name}")).status_code == 409
    assert (await api.put(f"{PATH}/{name}S", json={"value": "1"})).status_code == 404


async def test_a_secret_is_stored_encrypted_and_never_returned(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    answer = await api.put(f"{PATH}/ALERT_WEBHOOK_URL", json={"value": HOOK})
    assert (answer.status_code, answer.json()["is_set"], answer.json()["value"]) == (200, True, None)
    row = await stored(db, "alert_webhook_url")
    key = SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL")
    assert row.value is None
    assert key.decrypt(row.encrypted_value, context="alert_webhook_url") == HOOK
    texts = [answer.text, (await api.get(PATH)).text, str(row.encrypted_value)]
    async with db.connect() as connection:
        texts += [str(entry) for entry in await connection.execute(text("SELECT * FROM audit_log"))]
    assert not [shown for shown in texts if "very-private" in shown]


async def test_two_edits_that_together_break_a_rule_cannot_both_succeed(api: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(
        api.put(f"{PATH}/LOW_WATER_ROWS", json={"value": 90_000}),
        api.put(f"{PATH}/HIGH_WATER_ROWS", json={"value": 60_000}),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 422]


async def test_requests_of_another_tenant_do_not_see_the_edited_settings(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    from scrapersky.database import tenant_engine

    await api.put(f"{PATH}/AUTO_DEEP_SCAN", json={"value": True})
    for tenant, number in ((TENANT, 1), ("0190c7a2-7b6e-7c3a-9d2f-00000000aaaa", 0)):
        async with tenant_engine(db, tenant).connect() as connection:
            assert await connection.scalar(text("SELECT count(*) FROM setting_overrides")) == number


def test_secrets_that_are_editable_are_those_of_alerts() -> None:
    secrets = {name for name in Settings.model_fields if is_secret(name) and is_editable(name)}
    assert secrets == {"alert_webhook_url", "alert_slack_url"}
