"""Users: add, list, edit, disable, enable, password, setup-link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_message, echo_rows
from scrapersky.cli.passwords import read_password

if TYPE_CHECKING:
    from scrapersky.actions.accounts import setup_links, users
    from scrapersky.cli.runtime import App
    from scrapersky.processes import setup_address
    from scrapersky.queries import accounts
else:
    users = lazy_module("scrapersky.actions.accounts.users")
    setup_links = lazy_module("scrapersky.actions.accounts.setup_links")
    accounts = lazy_module("scrapersky.queries.accounts")
    setup_address = lazy_module("scrapersky.processes.setup_address")

user = click.Group("user", help=__doc__)
email_argument = click.argument("email", metavar="EMAIL")
role_option = click.option(
    "--role", type=click.Choice(["viewer", "operator", "admin"]), help="What the account may do."
)
os_user_option = click.option(
    "--os-user", metavar="NAME", help="The operating-system user whose commands act as this account."
)
COLUMNS = ("email", "name", "role", "is_active", "os_user", "last_seen_at", "id")


@database_command(user)
@email_argument
@role_option
@click.option("--name", default="", help="The person's name.")
@os_user_option
async def add(app: App, email: str, role: str | None, name: str, os_user: str | None, as_json: bool) -> None:
    """Create an account. The password is asked for, or read from standard input."""
    more = {"name": name, "os_user": os_user}
    user_id = await users.create_user(
        app.engine, app.actor, email=email, password=read_password(), role=role or "viewer", **more
    )
    _print(await accounts.AccountQuery(app.engine, app.tenant_id).user(user_id), as_json=as_json)


@database_command(user, "list")
async def list_users(app: App, as_json: bool) -> None:
    """List the accounts."""
    rows = await accounts.AccountQuery(app.engine, app.tenant_id).users()
    echo_rows(rows, as_json=as_json, columns=COLUMNS)


@database_command(user)
@email_argument
@role_option
@click.option("--name", help="The person's name.")
@os_user_option
async def edit(
    app: App,
    email: str,
    role: str | None,
    name: str | None,
    os_user: str | None,
    as_json: bool,
) -> None:
    """Change an account; a new role ends its sessions. An empty --os-user removes the mapping."""
    changes: dict[str, Any] = {"role": role, "name": name}
    changes = {field: value for field, value in changes.items() if value is not None}
    if os_user is not None:
        changes["os_user"] = os_user or None
    if not changes:
        raise click.UsageError("Pass --role, --name or --os-user.")
    await _change(app, email, changes, as_json=as_json)


@database_command(user)
@email_argument
async def disable(app: App, email: str, as_json: bool) -> None:
    """Disable an account: its sessions end and its keys stop working."""
    await _change(app, email, {"is_active": False}, as_json=as_json)


@database_command(user)
@email_argument
async def enable(app: App, email: str, as_json: bool) -> None:
    """Let a disabled account log in again."""
    await _change(app, email, {"is_active": True}, as_json=as_json)


@database_command(user, json=False)
@email_argument
async def password(app: App, email: str) -> None:
    """Set a new password and end all sessions of the account."""
    user_id = await accounts.AccountQuery(app.engine, app.tenant_id).find_user(email)
    await users.set_password(app.engine, app.actor, user_id, read_password())
    echo_message(f"The password of {email} is changed")


@database_command(user, "setup-link", json=False)
@click.argument("email", required=False)
async def setup_link(app: App, email: str | None) -> None:
    """Print a link that creates an administrator, or sets the password of EMAIL, once within an hour."""
    token = await setup_links.create_setup_link(app.engine, app.actor, email=email)
    echo(setup_address.setup_url(app.settings, token))


async def _change(app: App, email: str, changes: dict[str, Any], *, as_json: bool) -> None:
    query = accounts.AccountQuery(app.engine, app.tenant_id)
    user_id = await query.find_user(email)
    await users.edit_user(app.engine, app.actor, user_id, changes)
    _print(await query.user(user_id), as_json=as_json)


def _print(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(row)
    else:
        echo_fields(row, width=14)
