"""A caller who may do everything."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.accounts.users import create_user
from scrapersky.actions.actor import Actor
from scrapersky.tables.seed import local_user_id


@pytest.fixture
async def api_key(db: AsyncEngine) -> str:
    """A key of an admin."""
    actor = Actor(TENANT, local_user_id(TENANT), "local")
    user = {"email": "ada@example.com", "password": "several random words together", "role": "admin"}
    user_id = await create_user(db, actor, **user)
    key = {"user_id": user_id, "name": "tests", "scopes": ["admin"], "lifetime": timedelta(days=1)}
    return (await create_api_key(db, actor, **key))[1]
