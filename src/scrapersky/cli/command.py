"""The decorators that make commands of coroutine functions; what they need to run loads when they run.

`command` calls the function with the settings, `database_command` with an open database, and `long_command`
with the settings and the two shutdown events. Each function may return an exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import json_option

if TYPE_CHECKING:
    from scrapersky.cli import runtime
    from scrapersky.cli.runtime import Body
    from scrapersky.settings import Settings
else:
    runtime = lazy_module("scrapersky.cli.runtime")


def command(
    group: click.Group | None = None,
    name: str | None = None,
    *,
    json: bool = True,
    warn: bool = True,
    check: Callable[..., None] | None = None,
    overrides: Sequence[str] = (),
) -> Callable[[Body], click.Command]:
    """Make a command of `async def body(settings, **options)`; options named in `overrides` are settings.

    `check(**options)` raises usage errors before anything is loaded or opened.
    """

    def decorate(body: Body) -> click.Command:
        @wraps(body)
        def call(**options: Any) -> None:
            if check:
                check(**options)
            changes = {setting: options.pop(setting) for setting in overrides}
            _exit(runtime.run_command(body, changes, options, warn=warn))

        return _register(call, group, name, json=json)

    return decorate


def database_command(
    group: click.Group | None = None,
    name: str | None = None,
    *,
    json: bool = True,
    check: Callable[..., None] | None = None,
) -> Callable[[Body], click.Command]:
    """Make a command of `async def body(app, **options)`, called with an open database."""

    def decorate(body: Body) -> click.Command:
        @wraps(body)
        async def call(settings: Settings, **options: Any) -> int | None:
            return await runtime.with_database(body, settings, options)

        return command(group, name, json=json, check=check)(call)

    return decorate


def long_command(overrides: Sequence[str] = ()) -> Callable[[Body], click.Command]:
    """Make a command of `async def body(settings, stop, force, **options)`, which signals end."""

    def decorate(body: Body) -> click.Command:
        @wraps(body)
        def call(**options: Any) -> None:
            changes = {setting: options.pop(setting) for setting in overrides}
            _exit(runtime.run_long_command(body, changes, options))

        return _register(call, None, None, json=False)

    return decorate


def _register(
    call: Callable[..., None], group: click.Group | None, name: str | None, *, json: bool
) -> click.Command:
    made = click.command(name or call.__name__)(call)
    if json:
        json_option(made)
    if group is not None:
        group.add_command(made)
    return made


def _exit(code: int | None) -> None:
    if code:
        raise SystemExit(code)
