"""`job`: list, show, requeue, cancel, metrics, prune."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import AsyncEngine

from product import add_job, ago

Sky = Callable[..., Result]
Told = Callable[..., Any]


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


@pytest.mark.req("R221")
def test_job_show_by_number_uuid_and_latest(job: int, told: Told, sky: Sky) -> None:
    shown = told("job", "show", str(job))

    assert told("job", "show", shown["job_id"]) == shown == told("job", "show", "latest")
    assert re.search(r"^status +pending$", sky("job", "show", str(job)).stdout, re.MULTILINE)


def test_what_the_state_does_not_allow_ends_with_7(job: int, sky: Sky) -> None:
    result = sky("job", "requeue", str(job))

    assert result.exit_code == 7
    assert result.stderr == f"Job {job} is pending; expected failed or complete or cancelled\n"


@pytest.mark.req("R060")
def test_a_job_is_retried_and_cancelled_by_hand(failed_job: int, told: Told) -> None:
    assert told("job", "requeue", str(failed_job))["status"] == "pending"
    assert told("job", "cancel", str(failed_job))["status"] == "cancelled"
    assert told("job", "show", str(failed_job))["status"] == "cancelled"


@pytest.mark.req("R022")
def test_old_jobs_are_cleaned_up_by_hand(old_job: int, job: int, told: Told) -> None:
    assert told("job", "prune", LOG_LEVEL="ERROR")["jobs"] == 1
    assert told("job", "list")["id"] == job
