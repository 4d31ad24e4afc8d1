"""API keys: add, list, revoke."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky.actions.accounts import api_keys
    from scrapersky.cli.runtime import App
    from scrapersky.queries import accounts
else:
    api_keys = lazy_module("scrapersky.actions.accounts.api_keys")
    accounts = lazy_module("scrapersky.queries.accounts")

key = click.Group("key", help=__doc__)
COLUMNS = ("id", "key_prefix", "name", "email", "scopes", "expires_at", "last_used_at", "revoked_at")


@database_command(key)
@click.argument("email", metavar="EMAIL")
@click.option("--name", required=True, help="What the key is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(["read", "curate", "operate", "admin"]),
    default=("read",),
    show_default=True,
    help="What the key allows; may be repeated.",
)
@click.option("--days", type=click.IntRange(1, 3_650), default=365, show_default=True, help="Valid for.")
async def add(app: App, email: str, name: str, scopes: tuple[str, ...], days: int, as_json: bool) -> None:
    """Create a key of an account and print it, once; it is allowed at most what the account is."""
    user_id = await accounts.AccountQuery(app.engine, app.tenant_id).find_user(email)
    key_id, text = await api_keys.create_api_key(
        app.engine, app.actor, user_id=user_id, name=name, scopes=scopes, lifetime=timedelta(days=days)
    )
    if as_json:
        echo_json({"id": key_id, "key": text})
    else:
        echo(text)
        echo_message(f"It is not shown again. Revoke it with: scrapersky key revoke {key_id}")


@database_command(key, "list")
async def list_keys(app: App, as_json: bool) -> None:
    """List the keys of all accounts."""
    rows = await accounts.AccountQuery(app.engine, app.tenant_id).api_keys()
    echo_rows(rows, as_json=as_json, columns=COLUMNS)


@database_command(key, json=False)
@click.argument("key_id", metavar="ID", type=click.UUID)
async def revoke(app: App, key_id: UUID) -> None:
    """Revoke a key for good."""
    await api_keys.revoke_api_key(app.engine, app.actor, key_id)
    echo_message(f"The key {key_id} is revoked")
