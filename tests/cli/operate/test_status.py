"""`status`: one line per stage, once or again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job
from scrapersky.declarations import DECLARATIONS
from scrapersky.pipeline import STAGES

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_status_has_a_line_per_stage(job: int, told: Told, sky: Sky) -> None:
    lines = told("status")
    listed = {line["stage"]: line for line in (lines if isinstance(lines, list) else [lines])}

    assert list(listed) == [stage.name for stage in STAGES]
    assert listed["run_job"]["waiting"] == 1
    assert len(sky("status").stdout.splitlines()) == len(STAGES) + 1


ROOT = Path(__file__).parents[3]


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
