"""The decorators of all commands: settings, database, errors as one line, exit codes, shared options."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from scrapersky.cli import main
from scrapersky.cli.command import command, database_command, long_command
from scrapersky.cli.runtime import App
from scrapersky.errors import (
    ActionError,
    Conflict,
    InvalidInput,
    NotFound,
    ScraperSkyError,
    SourceError,
    StartupError,
)
from scrapersky.settings import Settings

AWAY = "postgresql://somebody@127.0.0.1:9/none"
Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str) -> Run:
    def run(made: click.Command, *arguments: str, **settings: str) -> Result:
        return CliRunner().invoke(made, list(arguments), env={"DATABASE_URL": database_url, **settings})

    return run


def all_commands(group: click.Command = main, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield from all_commands(found, f"{path} {name}".strip())


def test_what_a_command_returns_is_its_exit_code(run: Run) -> None:
    @command()
    async def five(settings: Settings, as_json: bool) -> int:
        assert settings.default_tenant_id
        return 5

    @command()
    async def nothing(settings: Settings, as_json: bool) -> None:
        """Gives no code."""

    assert run(five).exit_code == 5
    assert run(nothing, "--json").exit_code == 0


@pytest.mark.req("R226")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("bad"), 2),
        (NotFound("bad"), 3),
        (Conflict("bad"), 7),
        (ActionError("bad"), 1),
        (SourceError("bad"), 1),
        (StartupError("bad"), 1),
        (ScraperSkyError("bad"), 1),
    ],
)
def test_an_error_is_one_line_and_its_exit_code(run: Run, error: Exception, code: int) -> None:
    @command()
    async def broken(settings: Settings, as_json: bool) -> None:
        raise error

    result = run(broken)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "bad\n")


def test_an_unforeseen_error_keeps_its_traceback(run: Run) -> None:
    @command()
    async def broken(settings: Settings, as_json: bool) -> None:
        raise ZeroDivisionError

    assert isinstance(run(broken).exception, ZeroDivisionError)


@pytest.mark.req("R226")
def test_an_interrupted_command_ends_with_130(run: Run) -> None:
    @command()
    async def interrupted(settings: Settings, as_json: bool) -> None:
        raise KeyboardInterrupt

    assert run(interrupted).exit_code == 130


def test_a_database_command_has_an_open_database(run: Run) -> None:
    seen: list[App] = []

    @database_command()
    async def look(app: App, as_json: bool) -> None:
        seen.append(app)

    assert run(look).exit_code == 0
    [app] = seen
    assert app.tenant_id == app.actor.tenant_id == app.settings.default_tenant_id

    away = run(look, DATABASE_URL=AWAY)
    assert away.exit_code == 6
    assert away.stderr.startswith("The database is unavailable: ")


def test_an_option_overrides_a_setting_under_the_same_rules(run: Run) -> None:
    ports: list[int] = []

    @long_command(overrides=("port",))
    @click.option("--port", type=int)
    async def listen(settings: Settings, stop: asyncio.Event, force: asyncio.Event) -> None:
        ports.append(settings.port)

    assert run(listen, "--port", "9001", PORT="9000").exit_code == 0
    assert run(listen, PORT="9000").exit_code == 0
    assert ports == [9001, 9000]
    wrong = run(listen, "--port", "0")
    assert wrong.exit_code == 2
    assert "PORT" in wrong.stderr


def test_every_option_has_a_help_text() -> None:
    bare = [
        f"{path} {option.opts[0]}"
        for path, made in all_commands()
        for option in made.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert bare == []


def test_the_same_option_means_the_same_everywhere() -> None:
    """Options that commands share are declared once; operations have statuses of their own."""
    helps: dict[str, set[str]] = {}
    for path, made in all_commands():
        for option in made.params:
            if isinstance(option, click.Option) and not path.startswith(("extract", "operation")):
                helps.setdefault(option.opts[-1], set()).add(option.help or "")
    for name in (
        "--yes",
        "--encoding",
        "--domain",
        "--status",
        "--error",
        "--port",
        "--processes",
        "--quiet",
    ):
        assert len(helps[name]) == 1, (name, helps[name])


@pytest.mark.parametrize("noun", ["place", "business", "domain", "sitemap", "page", "contact"])
def test_every_kind_of_row_has_the_same_verbs(noun: str) -> None:
    paths: dict[str, Any] = {path: made for path, made in all_commands() if path.startswith(f"{noun} ")}
    for verb in ("list", "show", "curate", "reset", "run"):
        assert "--json" in {name for option in paths[f"{noun} {verb}"].params for name in option.opts}
    for verb in ("curate", "reset"):
        names = {name for option in paths[f"{noun} {verb}"].params for name in option.opts}
        assert {"--yes", "--dry-run", "--all"} <= names
