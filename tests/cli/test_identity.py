"""Commands act as the person who runs them, never as the system user."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.actions.accounts.os_users import command_line_actor, current_os_user
from scrapersky.errors import NotFound
from scrapersky.tables.seed import local_user_id

Sky = Callable[..., Result]
LOCAL = local_user_id(TENANT)


async def add_account(db: AsyncEngine, email: str, **values: Any) -> uuid.UUID:
    made = uuid.uuid4()
    row = {"id": made, "tenant_id": TENANT, "email": email, "role": "operator", "password_hash": "x"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.users).values({**row, **values}))
    return made


def made_by(sky: Sky, *options: str) -> str:
    """Who a sitemap that is added by a command belongs to."""
    url = f"https://shop-{uuid.uuid4().hex[:8]}.com/sitemap.xml"
    added = sky(*options, "sitemap", "add", url)
    assert added.exit_code == 0, added.output
    rows = [json.loads(line) for line in sky("sitemap", "list", "--json").stdout.splitlines()]
    return str(next(row["created_by"] for row in rows if row["url"] == url))


@pytest.mark.req("R188", "R267")
def test_a_command_acts_as_the_built_in_local_user_and_not_as_the_system(sky: Sky) -> None:
    assert made_by(sky) == str(LOCAL)
    assert LOCAL != USER


@pytest.mark.req("R267")
async def test_a_command_acts_as_the_account_of_the_operating_system_user(db: AsyncEngine) -> None:
    named = await command_line_actor(db, TENANT)
    assert (named.user_id, named.name) == (LOCAL, f"os:{current_os_user()}")
    ada = await add_account(db, "ada@example.com", os_user=current_os_user())
    actor = await command_line_actor(db, TENANT)
    assert (actor.user_id, actor.name) == (ada, "ada@example.com")


@pytest.mark.req("R267")
async def test_as_names_the_account_and_keeps_who_typed_it(db: AsyncEngine) -> None:
    bob = await add_account(db, "bob@example.com")
    actor = await command_line_actor(db, TENANT, email="Bob@example.com")
    assert (actor.user_id, actor.name) == (bob, f"bob@example.com by os:{current_os_user()}")
    await add_account(db, "gone@example.com", is_active=False)
    with pytest.raises(NotFound, match="no active account"):
        await command_line_actor(db, TENANT, email="gone@example.com")


def test_as_is_an_option_of_every_command(sky: Sky) -> None:
    refused = sky("--as", "nobody@example.com", "sitemap", "add", "https://a.example/s.xml")
    assert (refused.exit_code, refused.stderr.strip()) == (
        3,
        "There is no active account 'nobody@example.com'",
    )
