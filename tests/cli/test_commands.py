"""Every command, its output for people and for machines, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID

import click
import pytest
from click.testing import CliRunner, Result

from scrapersky.cli import main

Sky = Callable[..., Result]


def commands(group: click.Command = main, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(group, click.Group):
        return [path]
    context = click.Context(group)
    found = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [one for name, command in found if command for one in commands(command, (*path, name))]


@pytest.mark.parametrize(
    "path", [(), *((name,) for name in main.list_commands(click.Context(main))), *commands()], ids=" ".join
)
def test_every_command_explains_itself(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [*path, "--help"])

    assert result.exit_code == 0
    assert result.stdout.startswith("Usage:")
    assert len(result.stdout.splitlines()) > 4


@pytest.mark.req("R226")
def test_the_help_documents_the_exit_codes() -> None:
    shown = " ".join(CliRunner().invoke(main, ["--help"]).stdout.split())

    for code in ("0 done", "1 failed", "2 wrong usage", "3 not found", "6 service or database", "7 conflict"):
        assert code in shown


@pytest.mark.parametrize(
    "arguments",
    [("nope",), ("job", "nope"), ("job", "show"), ("status", "--nope"), ("stage", "requeue", "x")],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, list(arguments))

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage:" in result.stderr


def test_a_table_for_people_is_aligned_and_harmless(job: int, failed_job: int, sky: Sky) -> None:
    lines = sky("job", "list").stdout.splitlines()

    assert len(lines) == 3
    assert lines[0].split()[:4] == ["id", "job_id", "job_type", "status"]
    at = lines[0].index("status")
    assert [line[at:].split()[0] for line in lines[1:]] == ["failed", "pending"]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(
    "command", [("job", "list"), ("db", "inspect", "jobs"), ("stage", "failed", "run_job")]
)
def test_an_empty_list_prints_no_rows_and_says_so_aside(sky: Sky, command: tuple[str, ...]) -> None:
    result = sky(*command)

    assert (result.exit_code, result.stderr) == (0, "none\n")
    assert len(result.stdout.splitlines()) <= 1
    assert result.stdout != "\n"
    assert sky(*command, "--json").stdout == ""


@pytest.mark.parametrize(
    "command",
    [
        ("job", "show", "999"),
        ("job", "show", "nonsense"),
        ("job", "requeue", "999"),
        ("job", "cancel", "999"),
        ("stage", "pause", "nope"),
        ("stage", "resume", "nope"),
        ("stage", "run", "nope"),
        ("stage", "failed", "nope"),
        ("stage", "requeue", "nope", "--all"),
        ("db", "inspect", "nope"),
        ("worker", "--stage", "nope"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_ends_with_3_and_one_line(sky: Sky, command: tuple[str, ...]) -> None:
    result = sky(*command)

    assert result.exit_code == 3
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_json_output_is_one_object_per_line(dead_pages: list[UUID], sky: Sky) -> None:
    lines = sky("stage", "failed", "read_page", "--json").stdout.splitlines()

    assert [json.loads(line)["reason"] for line in lines] == ["HTTP 500"] * 3
