"""Accounts and keys by command."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from people import PASSWORD
from scrapersky import tables
from scrapersky.actions.accounts.authentication import find_by_api_key
from scrapersky.actions.accounts.os_users import current_os_user

Sky = Callable[..., Result]


def on_database(url: str, work: Callable[[AsyncEngine], Awaitable[Any]]) -> Any:
    """What the work gives; commands have an event loop of their own, so a test of them has none."""

    async def run() -> Any:
        engine = create_async_engine(url)
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    return asyncio.run(run())


async def entries(engine: AsyncEngine) -> list[Any]:
    log = tables.audit_log.c
    async with engine.connect() as connection:
        return list((await connection.execute(select(log.action, log.actor).order_by(log.number))).all())


def add(sky: Sky, email: str, *options: str, password: str = PASSWORD) -> Result:
    return sky("user", "add", email, *options, "--json", stdin=f"{password}\n")


@pytest.mark.req("R267")
def test_an_account_is_added_edited_and_disabled(sky: Sky, database_url: str) -> None:
    refused = add(sky, "ada@example.com", "--role", "viewer")
    assert (refused.exit_code, refused.stderr.strip()) == (7, "The first account must have the role admin")
    made = add(sky, "Boss@example.com", "--role", "admin", "--name", "Boss")
    assert made.exit_code == 0, made.output
    assert (json.loads(made.stdout)["email"], json.loads(made.stdout)["role"]) == (
        "boss@example.com",
        "admin",
    )
    assert add(sky, "boss@example.com", "--role", "admin").exit_code == 7
    assert add(sky, "ada@example.com", "--role", "operator", "--os-user", current_os_user()).exit_code == 0
    assert sky("user", "edit", "ada@example.com", "--role", "viewer").exit_code == 0
    assert sky("user", "disable", "ada@example.com").exit_code == 0
    last = sky("user", "disable", "boss@example.com")
    assert (last.exit_code, "last active administrator" in last.stderr) == (7, True)
    rows = [json.loads(line) for line in sky("user", "list", "--json").stdout.splitlines()]
    assert [(row["email"], row["role"], row["is_active"]) for row in rows] == [
        ("ada@example.com", "viewer", False), ("boss@example.com", "admin", True),
    ]  # fmt: skip
    log = on_database(database_url, entries)
    assert [entry.action for entry in log] == ["user.create", "user.create", "user.update", "user.update"]
    assert log[-1].actor == "ada@example.com", "by the operating-system user"
    assert json.loads(sky("user", "enable", "ada@example.com", "--json").stdout)["is_active"]
    assert sky("user", "enable", "nobody@example.com").exit_code == 3


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short", "must have 12 to 128 characters"),
        ("x" * 129, "must have 12 to 128 characters"),
        ("password1234", "too common"),
        ("P4ssw0rd!2026", "too common"),
        ("123456789012", "too common"),
        ("scrapersky2026", "too common"),
        ("boss-boss-boss", "too common"),
        ("qwertyuiop[]12", "too common"),
    ],
)
def test_a_weak_password_is_refused(sky: Sky, password: str, reason: str) -> None:
    refused = add(sky, "boss@example.com", "--role", "admin", password=password)
    assert refused.exit_code == 2
    assert reason in refused.stderr
    assert password not in refused.stderr


def test_a_key_is_printed_once_listed_and_revoked(sky: Sky, database_url: str) -> None:
    add(sky, "boss@example.com", "--role", "admin")
    assert add(sky, "ada@example.com", "--role", "operator").exit_code == 0
    beyond = sky("key", "add", "ada@example.com", "--name", "n8n", "--scope", "admin")
    assert (beyond.exit_code, "does not allow" in beyond.stderr) == (4, True)
    made = sky("key", "add", "ada@example.com", "--name", "n8n", "--scope", "operate", "--scope", "read")
    key = made.stdout.strip()
    identity = on_database(database_url, lambda engine: find_by_api_key(engine, key))
    assert identity is not None
    assert (identity.email, identity.scopes) == ("ada@example.com", ("read", "operate"))
    listed = sky("key", "list", "--json").stdout
    assert key not in listed
    row: dict[str, Any] = json.loads(listed)
    assert row["key_prefix"] == key[:13]
    assert sky("key", "revoke", row["id"]).exit_code == 0
    assert sky("key", "revoke", row["id"]).exit_code == 3
    assert on_database(database_url, lambda engine: find_by_api_key(engine, key)) is None


def test_a_setup_link_names_the_page(sky: Sky) -> None:
    link = sky("user", "setup-link", PORT="8123").stdout.strip()
    assert link.startswith("http://127.0.0.1:8123/setup?token=")
    assert sky("user", "setup-link", "nobody@example.com").exit_code == 3
