"""Statistics: jobs in figures, stages by day, credits by day, domain and job."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from scrapersky.api.caller import Context, Viewer
from scrapersky.queries import CreditQuery, JobStatisticsQuery, StatisticsQuery

router = APIRouter(tags=["statistics"])

Days = Annotated[int, Query(ge=1, le=90, description="How many days, today included.")]


class JobStatistics(BaseModel):
    """The jobs of one's own tenant; created, completed, failed and the average are of the last hour."""

    by_state: dict[str, int]
    created: int
    completed: int
    failed: int
    stuck: int
    average_seconds: float | None
    success_rate: float | None
    oldest_waiting_seconds: float | None


class StageDay(BaseModel):
    """What the whole fleet did in one stage on one day (UTC)."""

    stage: str
    day: date
    done: int
    failed: int
    retried: int
    snoozed: int
    rescued: int
    rows_written: int
    repaired: int
    mean_ms: float | None


class Statistics(BaseModel):
    jobs: JobStatistics
    stages: list[StageDay]


class DayCredits(BaseModel):
    day: date
    spent: int


class DomainCredits(BaseModel):
    domain: str
    spent: int


class JobCredits(BaseModel):
    job_id: int
    spent: int


class Credits(BaseModel):
    """The credits of one's own tenant; of domains and jobs, those that spent most."""

    total: int
    days: list[DayCredits]
    domains: list[DomainCredits]
    jobs: list[JobCredits]


@router.get("/statistics")
async def get_statistics(caller: Viewer, context: Context, days: Days = 7) -> Statistics:
    """Jobs and throughput of the last days."""
    settings = context.settings
    limits = settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes
    jobs = JobStatisticsQuery(caller.engine, caller.actor.tenant_id)
    figures = await jobs.report(*(timedelta(minutes=minutes) for minutes in limits))
    stages = await StatisticsQuery(caller.engine).days(days)
    return Statistics(jobs=JobStatistics(**figures), stages=[StageDay(**line) for line in stages])


@router.get("/credits")
async def get_credits(caller: Viewer, days: Days = 30) -> Credits:
    """Credits that providers charged in the last days."""
    return Credits(**await CreditQuery(caller.engine, caller.actor.tenant_id).report(days))
