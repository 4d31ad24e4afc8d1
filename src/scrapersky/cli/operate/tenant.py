"""Tenants: add, list, show, edit, disable, enable, add-admin."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_fields, echo_json, echo_message, echo_rows
from scrapersky.cli.passwords import read_password

if TYPE_CHECKING:
    from scrapersky.actions.installation import tenants as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.installation import tenants as queries
else:
    actions = lazy_module("scrapersky.actions.installation.tenants")
    queries = lazy_module("scrapersky.queries.installation.tenants")

tenant = click.Group("tenant", help=__doc__)
tenant_argument = click.argument("name", metavar="TENANT")
quota_option = click.option(
    "--quota",
    "quotas",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A limit, such as queued_items=100000; NAME= removes it. May be repeated.",
)


@database_command(tenant)
@click.argument("name", metavar="NAME")
@click.option("--description", default="", help="What the tenant is for.")
@quota_option
async def add(app: App, name: str, description: str, quotas: tuple[str, ...], as_json: bool) -> None:
    """Add a tenant without users."""
    limits = queries.read_quotas(_parse_quotas(quotas))
    tenant_id = await _editor(app).add(name, description=description, quotas=limits)
    if as_json:
        echo_json({"id": tenant_id})
    else:
        echo_message(f"{name} is added: {tenant_id}")


@database_command(tenant, "list")
async def list_tenants(app: App, as_json: bool) -> None:
    """List the tenants by name."""
    rows = [asdict(row) for row in await queries.TenantQuery(app.engine).list()]
    echo_rows(rows, as_json=as_json, columns=("id", "name", "is_active"))


@database_command(tenant)
@tenant_argument
async def show(app: App, name: str, as_json: bool) -> None:
    """Show a tenant by name or id, with what it uses of its quotas."""
    row = asdict(await queries.TenantQuery(app.engine).show(name))
    if as_json:
        echo_json(row)
    else:
        echo_fields({**row, **row.pop("quotas"), **row.pop("use")})


@database_command(tenant, json=False)
@tenant_argument
@click.option("--name", "new_name", help="Another name.")
@click.option("--description", help="What the tenant is for.")
@quota_option
async def edit(
    app: App, name: str, new_name: str | None, description: str | None, quotas: tuple[str, ...]
) -> None:
    """Rename or limit a tenant."""
    options = {"name": new_name, "description": description, "quotas": _parse_quotas(quotas) or None}
    await _edit(app, name, {option: value for option, value in options.items() if value is not None})
    echo_message(f"{new_name or name} is changed")


@database_command(tenant, "add-admin", json=False)
@tenant_argument
@click.argument("email", metavar="EMAIL")
async def add_admin(app: App, name: str, email: str) -> None:
    """Add an administrator to a tenant; the password is asked for, or read from the standard input."""
    row = await queries.TenantQuery(app.engine).show(name)
    await _editor(app).add_admin(row.id, email=email, password=read_password())
    echo_message(f"{email} is an administrator of {row.name}")


@database_command(tenant, json=False)
@tenant_argument
async def disable(app: App, name: str) -> None:
    """Refuse the users and keys of a tenant, and let its queues rest; nothing is lost."""
    await _edit(app, name, {"is_active": False})
    echo_message(f"{name} is disabled; enable it with: scrapersky tenant enable {name}")


@database_command(tenant, json=False)
@tenant_argument
async def enable(app: App, name: str) -> None:
    """Let a disabled tenant work again."""
    await _edit(app, name, {"is_active": True})
    echo_message(f"{name} is enabled")


async def _edit(app: App, name: str, changes: dict[str, Any]) -> None:
    row = await queries.TenantQuery(app.engine).show(name)
    await _editor(app).edit(row.id, changes)


def _editor(app: App) -> actions.TenantEditor:
    return actions.TenantEditor(app.engine, app.actor, app.settings.default_tenant_id)


def _parse_quotas(texts: tuple[str, ...]) -> dict[str, Any]:
    quotas: dict[str, Any] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in queries.QUOTAS or not (number == "" or (number.isascii() and number.isdigit())):
            raise click.UsageError(
                f"Invalid quota {text!r}; expected NAME=NUMBER with one of {', '.join(queries.QUOTAS)}"
            )
        quotas[name] = int(number) if number else None
    return quotas
