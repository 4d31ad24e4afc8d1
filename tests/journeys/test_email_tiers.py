"""Addresses through every tier of validation: a real queue, a name server and DeBounce on loopback."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from dnslib import MX, QTYPE, RR, DNSRecord
from name_server import NameServer, name_server
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, ago, until
from scrapersky import tables, wiring
from scrapersky.database import make_engine
from scrapersky.maintenance.safety_net import queue_rechecks
from scrapersky.processes.pipeline_run import running_pipeline
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.email_validation import ValidationQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.settings import Settings, load_settings
from scrapersky_demo.contracts.debounce import DebounceServer

MAIL_SERVERS = {"shop.test": [(10, "mx.shop.test")], "null.test": [(0, ".")], "bücher.test": []}


@pytest.fixture
def names() -> Iterator[NameServer]:
    with name_server() as running:
        ordinary = running.add

        def add(answer: DNSRecord, name: str, kind: int, targets: list[str]) -> None:
            if kind == QTYPE.MX:
                for preference, host in MAIL_SERVERS.get(name, []):
                    answer.add_answer(RR(name, QTYPE.MX, rdata=MX(host, preference), ttl=60))
            else:
                ordinary(answer, name, kind, targets)

        running.add = add  # type: ignore[method-assign]
        MAIL_SERVERS["xn--bcher-kva.test"] = [(5, "mx.shop.test")]
        for name in ("shop.test", "null.test", "bare.test", "xn--bcher-kva.test"):
            running.rules[name] = lambda _: ["127.0.0.1"]
        running.rules["broken.test"] = lambda _: "SERVFAIL"
        yield running


@pytest.fixture
async def debounce() -> AsyncIterator[DebounceServer]:
    async with DebounceServer() as running:
        yield running


def settings_for(debounce: DebounceServer | None, **more: str) -> Settings:
    given = {"LOG_LEVEL": "ERROR", **more}
    if debounce:
        given |= {
            "DEBOUNCE_API_KEY": debounce.key,
            "DEBOUNCE_URL": debounce.url,
            "EGRESS_ALLOW": f"127.0.0.1:{debounce.port}",
            "CONNECT_TO": f"debounce.example:80:127.0.0.1:{debounce.port}",
        }
    return load_settings(env_file=None, environment=given)


async def validated(
    db: AsyncEngine,
    names: NameServer,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    *emails: str,
) -> dict[str, Any]:
    """The contacts by address, as the workers of an installation leave them."""
    ordinary = wiring.fetch_options

    def with_local_names(settings: Settings) -> Any:
        return replace(ordinary(settings), name_servers=(f"127.0.0.1:{names.port}",))

    monkeypatch.setattr(wiring, "fetch_options", with_local_names)
    for email in emails:
        await add_contact(db, "seller.com", email=email, email_validation_status="Queued")
    log = wiring.build_log(settings)

    async def rows() -> list[Any]:
        async with db.connect() as connection:
            return list((await connection.execute(select(tables.contacts))).all())

    async def is_done() -> bool:
        return {row.email_validation_status for row in await rows()} == {"Complete"}

    async with running_pipeline(settings, db, log):
        await until(is_done, seconds=60)
    return {row.email: row for row in await rows()}


async def test_every_tier_decides_what_it_can_and_says_how(
    db: AsyncEngine, names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {
        "a..b@shop.test": ("invalid", "syntax"),
        "ada@mailinator.com": ("disposable", "list"),
        "ada@shop.test": ("valid", "dns"),
        "info@bücher.test": ("valid", "dns"),
        "ada@null.test": ("invalid", "dns"),
        "ada@gone.test": ("invalid", "dns"),
        "ada@bare.test": ("unknown", "dns"),
        "ada@broken.test": ("unknown", "dns"),
    }
    monkeypatch.setattr("email_validator.SPECIAL_USE_DOMAIN_NAMES", [])
    found = await validated(db, names, monkeypatch, settings_for(None), *expected)
    shown = {
        email: (row.email_validation_result, row.email_validation_method) for email, row in found.items()
    }
    assert shown == expected
    assert all(row.email_validated_at and row.email_validation_reason for row in found.values())


async def test_debounce_is_asked_only_about_what_the_free_tiers_leave_open(
    db: AsyncEngine, names: NameServer, debounce: DebounceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("email_validator.SPECIAL_USE_DOMAIN_NAMES", [])
    debounce.codes |= {"all@shop.test": "4", "gone@shop.test": "6", "ada@bare.test": "7"}
    emails = [
        "ada@shop.test",
        "all@shop.test",
        "gone@shop.test",
        "ada@bare.test",
        "ada@null.test",
        "x@yopmail.com",
    ]
    found = await validated(db, names, monkeypatch, settings_for(debounce), *emails)
    shown = {
        email: (row.email_validation_result, row.email_validation_method) for email, row in found.items()
    }
    assert shown == {
        "ada@shop.test": ("valid", "debounce"),
        "all@shop.test": ("catch-all", "debounce"),
        "gone@shop.test": ("invalid", "debounce"),
        "ada@bare.test": ("unknown", "debounce"),
        "ada@null.test": ("invalid", "dns"),
        "x@yopmail.com": ("disposable", "list"),
    }
    assert sorted(debounce.asked) == ["ada@bare.test", "ada@shop.test", "all@shop.test", "gone@shop.test"]


async def test_an_outage_of_debounce_does_not_stop_the_queue(
    db: AsyncEngine, names: NameServer, debounce: DebounceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("email_validator.SPECIAL_USE_DOMAIN_NAMES", [])
    debounce.failure = "cut"
    emails = [f"ada{number}@shop.test" for number in range(20)]
    found = await validated(db, names, monkeypatch, settings_for(debounce, CIRCUIT_FAILURES="3"), *emails)
    verdicts = {(row.email_validation_result, row.email_validation_method) for row in found.values()}
    assert verdicts == {("valid", "dns")}
    assert all("DeBounce was not asked" in row.email_validation_reason for row in found.values())
    assert debounce.asked.total() < 20


async def test_what_debounce_could_not_be_asked_is_asked_later_and_paid_once(
    db: AsyncEngine, names: NameServer, debounce: DebounceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("email_validator.SPECIAL_USE_DOMAIN_NAMES", [])
    debounce.balance = 0
    settings = settings_for(debounce)
    found = await validated(db, names, monkeypatch, settings, "ada@shop.test")
    assert found["ada@shop.test"].email_validation_method == "dns"
    assert ago(hours=-5) < found["ada@shop.test"].email_recheck_at < ago(hours=-7)

    debounce.balance = 10
    maintenance = wiring.build_maintenance(settings, db, wiring.build_log(settings))
    async with db.begin() as connection:
        assert await queue_rechecks(connection) == 0
        await connection.execute(update(tables.contacts).values(email_recheck_at=ago(minutes=1)))
    assert await maintenance.queue_rechecks() == 1
    found = await validated(db, names, monkeypatch, settings)
    assert found["ada@shop.test"].email_validation_method == "debounce"
    assert found["ada@shop.test"].email_recheck_at is None
    assert debounce.charged == 1


@pytest.mark.parametrize(
    ("half_life", "days", "score"), [(30, 30, 40), (30, 60, 20), (180, 30, 71), (30, 0, 80)]
)
async def test_age_lowers_the_score_wherever_it_is_read(
    database_url: str, db: AsyncEngine, half_life: int, days: int, score: int
) -> None:
    settings = settings_for(None, EMAIL_SCORE_HALF_LIFE_DAYS=str(half_life))
    contact: uuid.UUID = await add_contact(
        db, "shop.com", email="ada@shop.com", email_validation_result="valid",
        email_validation_score=80, email_validated_at=ago(days=days),
    )  # fmt: skip
    engine = make_engine(settings, database_url)
    try:
        [exported] = [one async for one in ContactQuery(engine).stream(TENANT)]
        shown = await RowQuery(engine).show(ENTITIES["contact"], TENANT, str(contact))
        [status] = await ValidationQuery(engine, TENANT).of_contacts([contact])
    finally:
        await engine.dispose()
    assert [exported["email_validation_score"], shown["email_validation_score"], status["score"]] == [
        score
    ] * 3
