"""How a command runs: settings first, an event loop, the database, errors as one line, exit codes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import click
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.accounts.os_users import command_line_actor
from scrapersky.actions.actor import Actor
from scrapersky.cli.exit_codes import (
    CONFLICT,
    FAILED,
    INTERRUPTED,
    INVALID_USAGE,
    NOT_ALLOWED,
    NOT_FOUND,
    UNAVAILABLE,
)
from scrapersky.cli.output import echo_message, fail
from scrapersky.database import open_database
from scrapersky.embedded import default_data_folder
from scrapersky.engine.database import is_transient
from scrapersky.errors import ActionError, ScraperSkyError
from scrapersky.processes.shutdown import run_until_stopped
from scrapersky.settings import InvalidSettings, Settings, changed_settings, load_settings, settings_warnings

T = TypeVar("T")
Body = Callable[..., Coroutine[Any, Any, int | None]]
EXIT_CODES = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND, 409: CONFLICT, 422: INVALID_USAGE}


@dataclass(frozen=True, slots=True)
class App:
    """What a command works with: the settings, the open database and who uses it."""

    settings: Settings
    engine: AsyncEngine
    actor: Actor

    @property
    def tenant_id(self) -> UUID:
        return self.actor.tenant_id


async def current_actor(settings: Settings, engine: AsyncEngine) -> Actor:
    """Who uses the command line: the account of `--as`, or that of the operating system's user."""
    context = click.get_current_context(silent=True)
    email = context.find_root().params.get("as_email") if context else None
    return await command_line_actor(engine, settings.default_tenant_id, email=email)


def run_command(body: Body, overrides: dict[str, Any], options: dict[str, Any], *, warn: bool) -> int | None:
    """Load the settings and run `body(settings, **options)`; gives its exit code."""
    settings = load_or_exit(overrides, warn=warn)
    return explain_errors(lambda: asyncio.run(body(settings, **options)))


async def with_database(body: Body, settings: Settings, options: dict[str, Any]) -> int | None:
    """Run `body(app, **options)` with an open database."""
    async with open_database(settings) as engine:
        app = App(settings, engine, await current_actor(settings, engine))
        return await body(app, **options)


def run_long_command(body: Body, overrides: dict[str, Any], options: dict[str, Any]) -> int | None:
    """Load the settings and run `body(settings, stop, force, **options)`; signals set the two events."""
    settings = load_or_exit(overrides)
    codes: list[int | None] = []

    async def run(stop: asyncio.Event, force: asyncio.Event) -> None:
        codes.append(await body(settings, stop, force, **options))

    explain_errors(lambda: run_until_stopped(run, loop_factory=fastest_loop()))
    return codes[0]


def load_or_exit(overrides: dict[str, Any], *, warn: bool = True) -> Settings:
    """The settings, some of them overridden by options; warnings go to stderr, errors end the program."""
    try:
        settings = load_settings()
        changes = {name: value for name, value in overrides.items() if value is not None}
        settings = changed_settings(settings, changes) if changes else settings
    except InvalidSettings as error:
        fail(str(error), error.exit_code)
    _check_egress(settings)
    for line in [*settings_warnings(settings), *_copied_checkout(settings)] if warn else ():
        echo_message(f"warning: {line}")
    return settings


def _check_egress(settings: Settings) -> None:
    """Refuse settings that would send connections to nonsense or, unasked, to a private host."""
    secrets = {"ALERT_WEBHOOK_URL": settings.alert_webhook_url, "ALERT_SLACK_URL": settings.alert_slack_url}
    urls = {name: secret.get_secret_value() for name, secret in secrets.items() if secret is not None}
    for name in ("scraper_api_url", "debounce_url"):
        if getattr(settings, name) != Settings.model_fields[name].default:
            urls[name.upper()] = getattr(settings, name)
    if not (urls or settings.egress_allow or settings.connect_to):
        return
    # Only those who use these settings pay for loading the fetcher.
    from scrapersky.fetch.egress.settings_check import check_egress_settings

    if problems := check_egress_settings(settings.egress_allow, settings.connect_to, urls):
        fail("\n".join(problems), INVALID_USAGE)


def _copied_checkout(settings: Settings) -> list[str]:
    """Mention once that a copied checkout does not share the data of the original."""
    if settings.database_address or settings.data_folder:
        return []
    folder = default_data_folder()
    if folder.copied_from is None:
        return []
    return [
        f"this checkout is a copy of {folder.copied_from}, which keeps its data; this one has its own in "
        f"{folder.path}"
    ]


def explain_errors(call: Callable[[], T]) -> T:
    """Call; an error becomes one line on stderr and its exit code."""
    try:
        return call()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except ActionError as error:
        fail(str(error), EXIT_CODES.get(error.status, FAILED))
    except ScraperSkyError as error:
        fail(str(error), getattr(error, "exit_code", FAILED))
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more can be written, not even at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except Exception as error:
        if is_transient(error):
            reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            fail(f"The database is unavailable: {reason}", UNAVAILABLE)
        raise


def fastest_loop() -> type[asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop
