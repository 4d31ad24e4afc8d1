"""Looking at a running product from the command line: again and again, quickly, and without touching it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job
from scrapersky.cli.program import program
from scrapersky.declarations import DECLARATIONS
from scrapersky.embedded import PrivateServer
from scrapersky.pipeline import STAGES

ROOT = Path(__file__).parents[2]
Sky = Callable[..., Result]


@pytest.fixture
def watching(database_url: str, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`scrapersky status --watch 0.5 --json` as a process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapersky", "status", "--watch", "0.5", "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "DATABASE_URL": database_url},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What was started in the background may have been told to ignore it, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    yield process
    process.kill()
    process.communicate()


def waiting_jobs(process: subprocess.Popen[str]) -> int:
    """What the next round says of the jobs that wait."""
    assert process.stdout is not None
    lines = [json.loads(process.stdout.readline()) for _ in STAGES]
    return int(next(line["waiting"] for line in lines if line["stage"] == "run_job"))


@pytest.mark.req("R218")
async def test_the_status_is_shown_again_every_interval_until_interrupted(
    db: AsyncEngine, watching: subprocess.Popen[str]
) -> None:
    assert waiting_jobs(watching) == 0

    await add_job(db, "note")

    assert 1 in [waiting_jobs(watching) for _ in range(3)]
    watching.send_signal(signal.SIGINT)
    assert watching.wait(20) == 130
    assert watching.stderr is not None
    assert watching.stderr.read() == ""


@pytest.mark.req("R218")
@pytest.mark.parametrize("interval", ["0.1", "-1", "soon", "100000"])
def test_an_interval_that_makes_no_sense_is_refused(sky: Sky, interval: str) -> None:
    assert sky("status", "--watch", interval).exit_code == 2


def test_what_the_status_lists_is_what_the_pipeline_runs() -> None:
    assert [(stage, stage.compat.job_id) for stage in DECLARATIONS] == [
        (stage.queue, stage.job_id) for stage in STAGES
    ]


@pytest.mark.parametrize(
    "module",
    [
        "operate.status",
        "operate.job",
        "operate.stage",
        "operate.db",
        "data.search",
        "data.export",
        "data.domain",
        "data.contact",
    ],
)
def test_a_short_command_loads_neither_pipeline_nor_readers(module: str) -> None:
    """Each second of start is waited for by a person, and paid again by every script."""
    code = f"""
import sys
import scrapersky.cli.{module}, scrapersky.database, scrapersky.queries, scrapersky.actions
heavy = ("scrapersky.pipeline", "scrapersky.tools", "aiohttp", "selectolax", "phonenumbers", "fastapi")
print(*[name for name in heavy if name in sys.modules])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.strip() == ""


def test_the_doctor_makes_and_starts_nothing(sky: Sky, folder: Path) -> None:
    given = {"DATABASE_URL": "", "DATA_FOLDER": str(folder / "data")}

    result = sky("doctor", **given)
    assert result.exit_code == 0
    assert "database: none yet; the first start makes it  -> " in result.stdout
    assert "scrapersky up\n" in result.stdout
    assert list(folder.iterdir()) == []

    server = PrivateServer(folder / "data")
    server.start()
    try:
        # It runs, but has no schema yet.
        assert f"{program()} db migrate\n" in sky("doctor", **given).stdout
        assert server.running()
    finally:
        server.stop()
    assert "the private PostgreSQL does not run" in sky("doctor", **given).stdout
    assert not server.running()
