"""Settings: list, show, set, unset, reencrypt."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_fields, echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky import secret_key
    from scrapersky.actions.installation import setting_overrides as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.installation import setting_overrides as queries
    from scrapersky.settings import loader
else:
    actions = lazy_module("scrapersky.actions.installation.setting_overrides")
    loader = lazy_module("scrapersky.settings.loader")
    queries = lazy_module("scrapersky.queries.installation.setting_overrides")
    secret_key = lazy_module("scrapersky.secret_key")

setting = click.Group("setting", help=__doc__)
name_argument = click.argument("name", metavar="NAME")
COLUMNS = ("name", "value", "origin", "editable")


@database_command(setting, "list")
@click.option("--editable", is_flag=True, help="Only those that can be edited.")
@click.option("--changed", is_flag=True, help="Only those that differ from the default.")
async def list_settings(app: App, editable: bool, changed: bool, as_json: bool) -> None:
    """List the settings with their values and where those come from; secrets are not shown."""
    rows = [
        asdict(row)
        for row in await queries.SettingQuery(app.engine, app.settings).list()
        if (row.editable or not editable) and (row.origin != "default" or not changed)
    ]
    echo_rows(rows, as_json=as_json, columns=COLUMNS)


@database_command(setting)
@name_argument
async def show(app: App, name: str, as_json: bool) -> None:
    """Show one setting."""
    row = asdict(await queries.SettingQuery(app.engine, app.settings).show(name))
    if as_json:
        echo_json(row)
    else:
        echo_fields(row)


@database_command(setting, "set", json=False)
@name_argument
@click.argument("value", metavar="VALUE")
async def set_value(app: App, name: str, value: str) -> None:
    """Change an editable setting; running workers follow within 10 seconds.

    A secret is read from the standard input: give - as VALUE.
    """
    name = queries.setting_name(name)
    if value == "-":
        value = sys.stdin.read().strip()
    elif loader.is_secret(name):
        raise click.UsageError(f"{name.upper()} is a secret: give - and type it on the standard input.")
    await _editor(app).set(name, value)
    echo_message(f"{name.upper()} is changed")


@database_command(setting, json=False)
@name_argument
async def unset(app: App, name: str) -> None:
    """Return an editable setting to its default."""
    await _editor(app).unset(name)
    echo_message(f"{name.upper()} has its default")


@database_command(setting, json=False)
async def reencrypt(app: App) -> None:
    """Encrypt stored secrets under the current SECRET_KEY.

    Set the key before it as SECRET_KEY_PREVIOUS; afterwards that is no longer needed.
    """
    number = await _editor(app).encrypt_again()
    echo_message(f"{number} encrypted again")


def _editor(app: App) -> actions.SettingEditor:
    key = secret_key.load_secret_key(app.settings)
    return actions.SettingEditor(app.engine, app.actor, app.settings, key)
