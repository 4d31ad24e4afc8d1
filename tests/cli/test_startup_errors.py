"""What cannot start says so in one clear line, ends with the right code, and damages nothing."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.cli.program import program

Sky = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[str]]
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away and mount")
ROOT = Path(__file__).parents[2]
SECRET = "hunter2-hunter2-hunter2"
AWAY = f"postgresql://somebody:{SECRET}@127.0.0.1:9/none"
NEEDS_DATABASE = [
    ("status",),
    ("db", "status"),
    ("db", "migrate"),
    ("db", "inspect"),
    ("job", "list"),
    ("stage", "run", "run_job"),
    ("stage", "pause", "run_job"),
    ("up",),
]


@pytest.fixture
def port() -> str:
    """One that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.fixture
async def newer(db: AsyncEngine) -> AsyncEngine:
    """A database that a newer version of the program has migrated."""
    async with db.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999_later'"))
    return db


def one_line(result: Any) -> str:
    output = result.stdout + result.stderr
    assert "Traceback" not in output
    [line] = output.splitlines()
    assert len(line) < 400
    return str(line)


def test_help_imports_neither_database_nor_validation_nor_web() -> None:
    """It must be quick, because completion starts the program at every key."""
    look = (
        "import sys, runpy\n"
        "sys.argv = ['scrapersky', *{arguments}]\n"
        "try:\n    runpy.run_module('scrapersky', run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        "heavy = ('sqlalchemy', 'pydantic', 'fastapi', 'asyncpg', 'uvicorn', 'alembic', 'rich', 'aiohttp')\n"
        "print(*[name for name in heavy if name in sys.modules], file=sys.stderr)\n"
    )
    for arguments in (["--help"], ["job", "--help"], ["db", "--help"], ["worker", "--help"], ["version"]):
        told = subprocess.run(
            [sys.executable, "-c", look.format(arguments=arguments)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert told.stderr.strip() == "", arguments


@pytest.mark.req("R226")
@pytest.mark.parametrize("command", NEEDS_DATABASE, ids=" ".join)
def test_an_unreachable_database_is_one_line_and_6(sky: Sky, port: str, command: tuple[str, ...]) -> None:
    result = sky(*command, DATABASE_URL=AWAY, PORT=port)

    assert result.exit_code == 6
    line = one_line(result)
    assert line.startswith("The database is unavailable: ")
    assert SECRET not in line


@pytest.mark.parametrize("command", NEEDS_DATABASE, ids=" ".join)
def test_a_database_that_does_not_exist_is_one_line_and_6(
    sky: Sky, port: str, database_url: str, command: tuple[str, ...]
) -> None:
    missing = make_url(database_url).set(database="not_there").render_as_string(hide_password=False)

    result = sky(*command, DATABASE_URL=missing, PORT=port)

    assert result.exit_code == 6
    assert 'database "not_there" does not exist' in one_line(result)


@pytest.mark.req("R192")
def test_wrong_settings_are_one_line_each_and_2(sky: Sky) -> None:
    result = sky("status", LEASE_SECONDS="0", PORT="a", DATABASE_URL=f"mysql://x:{SECRET}@h/d")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert [line.split()[0] for line in sorted(result.stderr.splitlines())] == [
        "DATABASE_URL",
        "LEASE_SECONDS",
        "PORT",
    ]
    assert SECRET not in result.output


@pytest.mark.req("R192")
@pytest.mark.parametrize("command", [("up",), ("worker",), ("serve",), ("doctor",), ("db", "migrate")])
def test_nothing_starts_on_a_wrong_setting(sky: Sky, command: tuple[str, ...]) -> None:
    result = sky(*command, MAX_RETRIES="-1")

    assert result.exit_code == 2
    assert "MAX_RETRIES" in one_line(result)


@pytest.mark.parametrize(
    "command",
    [("status",), ("db", "migrate"), ("up",), ("worker",), ("serve",), ("job", "list")],
    ids=" ".join,
)
def test_a_newer_schema_is_refused_and_left_alone(
    newer: AsyncEngine, sky: Sky, port: str, command: tuple[str, ...]
) -> None:
    result = sky(*command, PORT=port)

    assert result.exit_code == 1
    assert "9999_later" in one_line(result)
    assert "newer version" in one_line(result)


def test_an_older_schema_names_the_command_that_mends_it(empty_database_url: str, sky: Sky) -> None:
    for command in (("status",), ("worker",)):
        result = sky(*command, DATABASE_URL=empty_database_url)
        assert result.exit_code == 1
        assert f"{program()} db migrate" in one_line(result)
    assert sky("db", "status", DATABASE_URL=empty_database_url).exit_code == 1


@pytest.mark.parametrize("command", [("up",), ("serve",)])
def test_a_port_in_use_is_named_before_anything_is_started(
    sky: Sky, taken_port: int, folder: Path, command: tuple[str, ...]
) -> None:
    result = sky(*command, PORT=str(taken_port), DATABASE_URL="", DATA_FOLDER=str(folder / "data"))

    assert result.exit_code == 1
    assert f"Cannot listen on 127.0.0.1:{taken_port}" in one_line(result)
    assert not (folder / "data").exists()


@only_root
def test_a_data_folder_of_somebody_else_is_refused(sky: Sky, folder: Path) -> None:
    data = folder / "data"
    data.mkdir()
    (data / "theirs").write_text("precious")
    os.chown(data, 12345, 12345)

    result = sky("status", DATABASE_URL="", DATA_FOLDER=str(data))

    assert result.exit_code == 1
    assert "belongs to user 12345" in one_line(result)
    assert (data / "theirs").read_text() == "precious"


@only_root
def test_a_full_disk_is_named(sky: Sky, port: str, folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    size = "size=20m,mode=755"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", small], check=False).returncode:
        pytest.skip("no small disk can be made here")
    try:
        result = sky("up", DATABASE_URL="", DATA_FOLDER=str(small / "data"), PORT=port)
        assert result.exit_code == 1
        assert "is full" in one_line(result)
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.parametrize("arguments", [("doctor",), ("doctor", "--json"), ("db", "status", "--json")])
def test_secrets_are_never_printed(sky: Sky, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(SECRET * 2)
    given = {
        "SCRAPER_API_KEY": SECRET,
        "ALERT_SMTP_PASSWORD_FILE": str(key_file),
        "ALERT_SLACK_URL": f"https://x.example/{SECRET}",
    }

    result = sky(*arguments, **given, LOG_LEVEL="DEBUG")

    assert result.exit_code in (0, 5)
    assert SECRET not in result.output


def test_a_reader_who_has_seen_enough_ends_it_quietly(process: Process, database_url: str) -> None:
    number = len(tables.metadata.tables)
    assert number > 10
    program = f"{shlex.quote(sys.executable)} -m scrapersky"
    command = f"{program} db inspect --json | head -n 1; exit ${{PIPESTATUS[0]}}"
    told = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "DATABASE_URL": database_url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert told.returncode in (0, 1)
    assert len(told.stdout.splitlines()) == 1
    assert told.stderr == ""


@pytest.mark.parametrize("command", [("doctor",), ("up",), ("worker",), ("serve",), ("find", "a.com")])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALERT_WEBHOOK_URL", f"http://10.0.0.7/{SECRET}"),
        ("ALERT_SLACK_URL", f"https://user:{SECRET}@hooks.example.com/x"),
        ("ALERT_SLACK_URL", f"http://localhost:8065/{SECRET}"),
        ("SCRAPER_API_URL", f"http://169.254.169.254/latest/{SECRET}"),
        ("SCRAPER_API_URL", f"http://127.0.0.1:9/{SECRET}"),
        ("EGRESS_ALLOW", "everything"),
        ("CONNECT_TO", "127.0.0.1:8080"),
    ],
)
def test_settings_that_lead_connections_astray_stop_every_start(
    sky: Sky, command: tuple[str, ...], name: str, value: str
) -> None:
    result = sky(*command, **{name: value, "DATABASE_URL": AWAY})
    assert result.exit_code == 2
    line = one_line(result)
    assert line.startswith(name)
    assert SECRET not in line


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("domain", "add", "example.com"),
        ("stage", "pause", "read_page"),
        ("db", "status"),
    ],
    ids=" ".join,
)
def test_the_first_command_on_a_new_data_folder_makes_the_schema(
    sky: Sky, folder: Path, command: tuple[str, ...]
) -> None:
    result = sky(*command, DATABASE_URL="", DATA_FOLDER=str(folder / "data"))
    assert result.exit_code == 0, result.output
