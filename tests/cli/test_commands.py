"""Every command, its output for people and for machines, and its exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import click
import pytest
from click.testing import CliRunner, Result
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job, add_pages, ago
from scrapersky import __version__, tables
from scrapersky.cli import main
from scrapersky.cli.program import program
from scrapersky.pipeline import STAGES

Sky = Callable[..., Result]
Told = Callable[..., Any]


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


def test_version(told: Told, sky: Sky) -> None:
    assert told("version")["version"] == __version__
    assert sky("version").stdout == f"scrapersky {__version__}\n"


def test_db_status_and_migrate(told: Told) -> None:
    state = told("db", "migrate")

    assert state == told("db", "status")
    assert state["up_to_date"] is True
    assert state["current"] == state["head"]


@pytest.fixture
async def job(db: AsyncEngine) -> int:
    """A job that waits."""
    return await add_job(db, "note", result_data={"domain": "shop.example"})


@pytest.fixture
async def failed_job(db: AsyncEngine) -> int:
    return await add_job(db, status="failed", error="two\nlines \x1b[31mred", created_at=ago(days=2))


@pytest.fixture
async def old_job(db: AsyncEngine) -> int:
    return await add_job(db, status="complete", created_at=ago(days=31))


@pytest.fixture
async def stuck_job(db: AsyncEngine) -> int:
    return await add_job(db, created_at=ago(minutes=6), next_retry_at=ago(minutes=6))


@pytest.fixture
async def dead_pages(db: AsyncEngine) -> list[UUID]:
    dead = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
    return await add_pages(db, 3, **dead)


@pytest.mark.req("R219")
def test_job_list_shows_number_uuid_status_and_data(job: int, failed_job: int, told: Told) -> None:
    listed = told("job", "list", "--pending")

    assert (listed["id"], listed["status"], listed["job_type"]) == (job, "pending", "note")
    assert UUID(listed["job_id"])
    assert listed["result_data"] == {"domain": "shop.example"}
    assert [row["id"] for row in told("job", "list")] == [failed_job, job]
    assert told("job", "list", "--failed")["id"] == failed_job
    assert told("job", "list", "--running") == []


@pytest.mark.req("R024")
def test_stuck_jobs_are_listed_by_the_settings(job: int, stuck_job: int, told: Told) -> None:
    assert told("job", "list", "--stuck")["id"] == stuck_job
    assert told("job", "list", "--stuck", JOB_STUCK_PENDING_MINUTES="10") == []


@pytest.fixture
async def jobs_of_an_hour(db: AsyncEngine, stuck_job: int) -> None:
    """Jobs of which the metrics count two created, two completed, one failed and one stuck."""
    now, old = ago(), ago(hours=3)
    await add_job(db, status="complete", created_at=ago(seconds=20), finished_at=now)
    await add_job(db, status="complete", created_at=ago(hours=2), finished_at=ago(minutes=119))
    await add_job(db, status="complete", created_at=old, finished_at=ago(minutes=30))
    await add_job(db, status="failed", error="no", created_at=old, finished_at=now)


@pytest.mark.req("R029", "R030", "R031", "R032", "R033")
def test_the_metrics_of_jobs_are_shown(jobs_of_an_hour: None, told: Told, sky: Sky) -> None:
    shown = told("job", "metrics")

    assert (shown["created"], shown["completed"], shown["failed"], shown["stuck"]) == (2, 2, 1, 1)
    assert shown["average_seconds"] == pytest.approx((20 + 150 * 60) / 2, abs=5)
    assert told("job", "metrics", JOB_STUCK_PENDING_MINUTES="10")["stuck"] == 0
    assert re.search(r"^stuck +1$", sky("job", "metrics").stdout, re.MULTILINE)


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


@pytest.mark.req("R221")
def test_job_show_by_number_uuid_and_latest(job: int, told: Told, sky: Sky) -> None:
    shown = told("job", "show", str(job))

    assert told("job", "show", shown["job_id"]) == shown == told("job", "show", "latest")
    assert re.search(r"^status +pending$", sky("job", "show", str(job)).stdout, re.MULTILINE)


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


def test_what_the_state_does_not_allow_ends_with_7(job: int, sky: Sky) -> None:
    result = sky("job", "requeue", str(job))

    assert result.exit_code == 7
    assert result.stderr == f"Job {job} is pending; this needs one that is failed or complete or cancelled\n"


@pytest.mark.req("R060")
def test_a_job_is_retried_and_cancelled_by_hand(failed_job: int, told: Told) -> None:
    assert told("job", "requeue", str(failed_job))["status"] == "pending"
    assert told("job", "cancel", str(failed_job))["status"] == "cancelled"
    assert told("job", "show", str(failed_job))["status"] == "cancelled"


@pytest.mark.req("R022")
def test_old_jobs_are_cleaned_up_by_hand(old_job: int, job: int, told: Told) -> None:
    assert told("job", "prune", LOG_LEVEL="ERROR")["jobs"] == 1
    assert told("job", "list")["id"] == job


def test_status_has_a_line_per_stage(job: int, told: Told, sky: Sky) -> None:
    lines = told("status")
    listed = {line["stage"]: line for line in (lines if isinstance(lines, list) else [lines])}

    assert list(listed) == [stage.name for stage in STAGES]
    assert listed["run_job"]["waiting"] == 1
    assert len(sky("status").stdout.splitlines()) == len(STAGES) + 1


def test_stages_are_listed_with_their_settings(told: Told) -> None:
    lines = told("stage", "list")
    listed = {line["stage"]: line for line in (lines if isinstance(lines, list) else [lines])}

    assert listed["run_job"]["settings"] == "JOB_SCHEDULER"
    assert all(line["job_id"] for line in listed.values())


def test_a_stage_is_paused_and_resumed(told: Told, sky: Sky) -> None:
    def is_paused() -> bool:
        lines = told("status")
        return any(
            line["paused"]
            for line in (lines if isinstance(lines, list) else [lines])
            if line["stage"] == "run_job"
        )

    assert sky("stage", "pause", "run_job", "--reason", "lunch").exit_code == 0
    assert is_paused()
    assert sky("stage", "resume", "run_job").exit_code == 0
    assert not is_paused()


@pytest.mark.req("R162")
def test_dead_letters_are_listed_requeued_and_discarded(dead_pages: list[UUID], told: Told, sky: Sky) -> None:
    assert {row["id"] for row in told("stage", "failed", "read_page")} == {str(one) for one in dead_pages}
    assert sky("stage", "requeue", "read_page").exit_code == 2
    assert told("stage", "requeue", "read_page", str(dead_pages[0]))["changed"] == 1
    assert told("stage", "discard", "read_page", "--contains", "404")["changed"] == 0
    for many in (("--contains", "500"), ("--all",)):
        for what in ("discard", "requeue"):
            refused = sky("stage", what, "read_page", *many)
            assert (refused.exit_code, refused.stdout) == (2, "")
            assert "This would change 2 rows" in refused.stderr
            assert "--yes" in refused.stderr
    assert len(told("stage", "failed", "read_page")) == 2
    assert sky("stage", "requeue", "read_page", str(dead_pages[1]), "--all").exit_code == 2
    assert told("stage", "discard", "read_page", "--contains", "500", "--yes")["changed"] == 2
    assert told("stage", "requeue", "read_page", "--all")["changed"] == 0
    assert sky("stage", "discard", "run_job", "--all").exit_code == 7


@pytest.mark.req("R217", "R220")
def test_a_stage_is_run_here_and_now(job: int, told: Told) -> None:
    did = {"done": 0, "failed": 1, "retried": 0, "snoozed": 0}
    assert told("stage", "run", "run_job") == {**did, "left": 0, "paused": False, "next_at": None}

    shown = told("job", "show", str(job))
    assert (shown["status"], shown["error"]) == (
        "failed",
        "Invalid job type 'note'; expected one of reextract_pages",
    )


@pytest.fixture
async def twelve_jobs(db: AsyncEngine) -> list[int]:
    return [await add_job(db, "note") for _ in range(12)]


@pytest.mark.parametrize(("limit", "left"), [(1, 11), (5, 7), (11, 1), (50, 0)])
def test_a_limited_run_works_on_so_many_rows(
    twelve_jobs: list[int], told: Told, limit: int, left: int
) -> None:
    assert told("stage", "run", "run_job", "--limit", str(limit))["failed"] == 12 - left

    lines = told("status")
    waiting = [one for one in (lines if isinstance(lines, list) else [lines]) if one["stage"] == "run_job"]
    assert waiting[0]["waiting"] == left


@pytest.mark.req("R225")
def test_the_database_is_inspected(job: int, told: Told, sky: Sky) -> None:
    assert "jobs" in {row["table"] for row in told("db", "inspect")}
    assert told("db", "inspect", "jobs", "--limit", "1")["id"] == job
    assert sky("db", "inspect", "jobs", "--limit", "0").exit_code == 2
    columns = {row["column"]: row for row in told("db", "inspect", "jobs", "--columns")}
    assert set(columns) == set(tables.metadata.tables["jobs"].c.keys())
    assert (columns["retry_count"]["type"], columns["retry_count"]["nullable"]) == ("integer", "NO")
    assert columns["retry_count"]["default"] == "0"
    assert sky("db", "inspect", "--columns").exit_code == 2


def test_the_doctor_passes_warns_and_fails(told: Told, sky: Sky) -> None:
    report = told("doctor")
    verdicts = {one["what"]: one["verdict"] for one in report["findings"]}

    assert (verdicts["schema"], verdicts["postgresql"], verdicts["workers"]) == ("pass", "pass", "warn")
    assert sky("doctor", "--strict").exit_code == 5
    assert f"{program()} worker\n" in sky("doctor").stdout
    away = sky("doctor", DATABASE_URL="postgresql://u:hunter2-hunter2@127.0.0.1:9/none")
    assert away.exit_code == 1
    assert "hunter2" not in away.output


def test_json_output_is_one_object_per_line(dead_pages: list[UUID], sky: Sky) -> None:
    lines = sky("stage", "failed", "read_page", "--json").stdout.splitlines()

    assert [json.loads(line)["reason"] for line in lines] == ["HTTP 500"] * 3
