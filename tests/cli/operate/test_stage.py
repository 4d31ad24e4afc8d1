"""`stage`: list, run, pause, resume; failed rows listed, requeued and discarded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job
from scrapersky.cli.program import program

Sky = Callable[..., Result]
Told = Callable[..., Any]


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
    for verb in ("requeue", "discard"):
        again = sky("stage", verb, "read_page", str(dead_pages[1]))
        assert (again.exit_code, again.stderr) == (3, "No failed row of read_page has this id\n")


@pytest.mark.req("R217", "R220")
def test_a_stage_is_run_here_and_now(job: int, told: Told) -> None:
    did = {"done": 0, "failed": 1, "retried": 0, "snoozed": 0}
    assert told("stage", "run", "run_job") == {**did, "left": 0, "paused": False, "next_at": None}

    shown = told("job", "show", str(job))
    assert (shown["status"], shown["error"]) == (
        "failed",
        "Invalid job type 'note'; expected one of erase_person, export_rows, import_legacy, reextract_pages",
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


@pytest.mark.parametrize("verb", ["requeue", "discard"])
def test_failed_rows_are_changed_only_when_named_or_confirmed(
    sky: Sky, told: Told, dead_pages: list[UUID], verb: str
) -> None:
    assert sky("stage", verb, "read_page").exit_code == 2
    assert sky("stage", verb, "read_page", str(dead_pages[0]), "--all").exit_code == 2
    unconfirmed = sky("stage", verb, "read_page", "--all")
    assert unconfirmed.exit_code == 2
    assert unconfirmed.stderr == f"This would change 3 rows ({verb} read_page). Use --yes to confirm.\n"
    assert len(told("stage", "failed", "read_page")) == 3
    done = sky("stage", verb, "read_page", "--contains", "HTTP 500", "--yes")
    assert done.stderr == f"{verb}: 3 rows of read_page\n"
    assert told("stage", "failed", "read_page") == []


def test_a_failed_row_is_shown_with_the_command_that_retries_it(sky: Sky, dead_pages: list[UUID]) -> None:
    listed = sky("stage", "failed", "read_page")
    assert f"Retry now: {program()} stage requeue read_page ID (or --all)\n" in listed.stderr
    shown = sky("stage", "failed", "read_page", str(dead_pages[0]))
    assert "HTTP 500" in shown.stdout
    assert f"stage requeue read_page {dead_pages[0]}\n" in shown.stderr


@pytest.mark.req("R263")
def test_a_dead_letter_is_investigated(dead_pages: list[UUID], told: Told, sky: Sky) -> None:
    page = str(dead_pages[0])
    noted = told("stage", "investigate", "read_page", page, "--state", "investigating", "--note", "odd HTML")
    shown = told("stage", "failed", "read_page", page)["investigation"]

    assert (noted["state"], noted["note"]) == ("investigating", "odd HTML")
    assert (shown["state"], shown["owner_id"]) == ("investigating", noted["owner_id"])
    assert sky("stage", "investigate", "read_page", page, "--state", "done").exit_code == 2
