"""The address of the first start: printed once, by `up`, `serve` and `user setup-link`."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.accounts.authentication import has_accounts
from scrapersky.actions.accounts.setup_links import create_setup_link
from scrapersky.actions.actor import Actor
from scrapersky.settings import Settings
from scrapersky.tables.seed import local_user_id


def setup_url(settings: Settings, token: str) -> str:
    """The page of the link."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{settings.public_url or f'http://{host}:{settings.port}'}/setup?token={token}"


async def announce_setup(settings: Settings, engine: AsyncEngine, announce: Callable[[str], None]) -> None:
    """Print the link that creates the first administrator, while there is no account."""
    if await has_accounts(engine):
        return
    tenant_id = settings.default_tenant_id
    actor = Actor(tenant_id, local_user_id(tenant_id), "first start")
    token = await create_setup_link(engine, actor)
    announce(f"Create the first account, within an hour: {setup_url(settings, token)}")
