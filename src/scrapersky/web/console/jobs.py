"""Jobs: what was asked for, how far each is, and what to do about those that failed or are stuck."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Path, Request, Response

from scrapersky.actions.jobs import cancel_job, prune_jobs, retry_job
from scrapersky.actions.stages import run_stage
from scrapersky.api.caller import Admin, Caller, Operator, Viewer
from scrapersky.api.cursors import Cursors
from scrapersky.api.problems import Problem
from scrapersky.declarations import DISCOVER_SITEMAPS, ENDED_JOBS, RUN_JOB
from scrapersky.errors import Conflict, NotFound
from scrapersky.log import pluralize
from scrapersky.queries import DeadLetterQuery, JobQuery, JobStatisticsQuery
from scrapersky.queries.rows.entities import JOB
from scrapersky.queries.rows.filters import parse_filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.sorts import default_sort
from scrapersky.queries.statistics import CreditQuery
from scrapersky.web.console import charts
from scrapersky.web.console.console import Console, ConsoleContext, emails_by_user, is_htmx
from scrapersky.web.console.forms import read_form, return_path, text_of, texts_of

router = APIRouter()

ROWS = 50
MAX_PICKED = 1_000
STATUSES = RUN_JOB.statuses.all
FILTERS = ("status", "job_type", "q", "domain_id")
JobId = Annotated[str, Path(max_length=36)]
# Sitemap jobs are polite to hosts and therefore a queue of their own.
QUEUES = (DISCOVER_SITEMAPS, RUN_JOB)


@router.get("/jobs")
async def list_jobs(
    request: Request, caller: Viewer, console: ConsoleContext, stuck: bool = False, after: str = ""
) -> Response:
    """Jobs with their figures; a number or UUID as search text leads to the job."""
    sought = request.query_params.get("q", "").strip()
    jobs = JobQuery(caller.engine, caller.actor.tenant_id)
    if sought and (job := await _resolve(jobs, sought)):
        return console.redirect(request, f"/jobs/{job['id']}")
    values = await _listed(request, caller, console, stuck=stuck, after=after)
    template = "_jobs.html" if is_htmx(request) else "jobs.html"
    if is_htmx(request):
        return console.fragment(request, caller, template, **values)
    return await console.page(request, caller, template, **values)


async def _resolve(jobs: JobQuery, sought: str) -> dict[str, Any] | None:
    if not (sought.isdigit() or len(sought) == 36 or sought == "latest"):
        return None
    try:
        return await jobs.show(sought)
    except NotFound:
        return None


async def _listed(
    request: Request, caller: Caller, console: Console, *, stuck: bool, after: str
) -> dict[str, Any]:
    tenant_id, limits = caller.actor.tenant_id, _stuck_limits(console)
    params = {name: request.query_params.getlist(name) for name in FILTERS}
    params = {name: [value for value in values if value] for name, values in params.items()}
    filters = parse_filters(JOB, {name: values for name, values in params.items() if values})
    lists, order = ListQuery(caller.engine, tenant_id), default_sort(JOB)
    cursors = Cursors(console.api.secret_key, tenant_id, JOB, filters, order)
    stuck_jobs = await JobQuery(caller.engine, tenant_id).stuck(*limits)
    following = None
    if stuck:
        rows, total, is_exact = stuck_jobs, len(stuck_jobs), True
    else:
        keys = cursors.decode(after) if after else None
        page = await lists.page(JOB, filters, sort=order, after=keys, limit=ROWS)
        rows, total, is_exact = page.rows, page.total.number, page.total.is_exact
        following = cursors.encode(page.next_keys) if page.next_keys else None
    return {
        "figures": await JobStatisticsQuery(caller.engine, tenant_id).report(*limits),
        "facets": (await lists.facets(JOB, filters)).facets,
        "statuses": STATUSES,
        "rows": [_line(row) for row in rows],
        "total": total,
        "is_exact": is_exact,
        "next": following,
        "params": filters.to_json() | ({"stuck": ["true"]} if stuck else {}),
        "filters": filters,
        "chosen": {name: filters.to_json().get(name, []) for name in FILTERS},
        "stuck": stuck,
        "stuck_ids": {row["id"] for row in stuck_jobs},
        "limits": limits,
        "back": _address(request),
        "ended": ENDED_JOBS,
    }


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the list: what the job is about, and why it is where it is."""
    data = row["result_data"] or {}
    subject = next((str(data[key]) for key in ("domain", "name", "url", "query") if data.get(key)), "")
    return {**row, "subject": subject, "can_cancel": row["status"] not in ENDED_JOBS}


def _address(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


def _stuck_limits(console: Console) -> tuple[timedelta, timedelta]:
    settings = console.api.settings
    pending, running = settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes
    return timedelta(minutes=pending), timedelta(minutes=running)


@router.post("/jobs/requeue")
async def requeue_picked(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Queue the picked jobs again; those that wait or run are left alone."""
    form = await read_form(request)
    picked = texts_of(form, "pick")
    if not picked or len(picked) > MAX_PICKED:
        raise Problem(422, "Invalid input", f"Pick between 1 and {MAX_PICKED:,} jobs.")
    number = sum([await _requeued(caller, which) for which in picked])
    left = f"; {len(picked) - number} still wait or run" if number < len(picked) else ""
    return console.redirect(
        request, return_path(form, "/jobs"), f"{pluralize(number, 'job')} queued again{left}"
    )


@router.post("/jobs/requeue-failed")
async def requeue_failed(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Queue every failed job that the list shows again."""
    form = await read_form(request)
    names = {name: text_of(form, name) for name in FILTERS if text_of(form, name)}
    filters = parse_filters(JOB, {**names, "status": RUN_JOB.statuses.failed})
    number = 0
    lists = ListQuery(caller.engine, caller.actor.tenant_id)
    for row in await lists.list_rows(JOB, filters, limit=MAX_PICKED):
        number += await _requeued(caller, str(row["id"]))
    return console.redirect(request, return_path(form, "/jobs"), f"{pluralize(number, 'job')} queued again")


@router.post("/jobs/run-waiting")
async def run_waiting(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Make the waiting jobs due now and wake the workers: what helps those that are stuck in the queue."""
    form = await read_form(request)
    number = sum([await run_stage(caller.engine, caller.actor, queue.name) for queue in QUEUES])
    notice = f"The workers were woken; {pluralize(number, 'job')} did not wait for a retry any longer"
    return console.redirect(request, return_path(form, "/jobs"), notice)


@router.post("/jobs/prune")
async def prune(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    days = text_of(form, "older_than_days")
    if not (days.isascii() and days.isdigit() and int(days[:6]) <= 36_500):
        raise Problem(422, "Invalid input", "The number of days is a whole number from 0 to 36,500.")
    number = await prune_jobs(caller.engine, caller.actor, timedelta(days=int(days)))
    return console.redirect(request, "/jobs", f"{pluralize(number, 'job')} deleted")


async def _requeued(caller: Caller, which: str) -> bool:
    try:
        await retry_job(caller.engine, caller.actor, which)
    except (Conflict, NotFound):
        return False
    return True


# ---- one job


@router.get("/jobs/{job_id}")
async def show_job(request: Request, job_id: JobId, caller: Viewer, console: ConsoleContext) -> Response:
    """One job with its progress, input, result and errors, by number, UUID or `latest`."""
    values = await _details(caller, job_id)
    if is_htmx(request):
        return console.fragment(request, caller, "_job.html", **values)
    return await console.page(request, caller, "job.html", **values)


async def _details(caller: Caller, which: str) -> dict[str, Any]:
    tenant_id = caller.actor.tenant_id
    job = await JobQuery(caller.engine, tenant_id).show(which)
    stage = DISCOVER_SITEMAPS if job["job_type"] == "sitemap" else RUN_JOB
    row = await DeadLetterQuery(caller.engine, tenant_id).show(stage.name, str(job["id"]))
    data = job["result_data"] or {}
    return {
        "job": _line(job),
        "waterfall": charts.waterfall(
            _spans(job | row, await JobQuery(caller.engine, tenant_id).imports(job["job_id"])),
            "How long each step of the job took",
        ),
        "row": {"traceback": None, "error_class": None, "attempts": None, **row},
        "stage": stage,
        "data": data,
        "json": json.dumps(data, indent=2, ensure_ascii=False, default=str),
        "sitemaps": [each for each in data.get("sitemaps") or [] if isinstance(each, dict)],
        "creator": (await emails_by_user(caller)).get(job["created_by"], "system"),
        "credits": await CreditQuery(caller.engine, tenant_id).of_job(job["id"]),
        "is_open": job["status"] not in ENDED_JOBS,
        "statuses": RUN_JOB.statuses,
    }


Spans = list[tuple[str, datetime, datetime, str, str]]


def _spans(job: Mapping[str, Any], imports: Sequence[Mapping[str, Any]]) -> Spans:
    """What the job did from when until when; a step lasts until the next one."""
    steps = [(datetime.fromisoformat(step["at"]), step["run"], step["message"]) for step in job["steps"]]
    if not steps:
        return []
    end = job["finished_at"] or job["updated_at"]
    spans: Spans = [("waiting for a worker", job["created_at"], steps[0][0], "mute", "")]
    following = [*steps[1:], (max(end, steps[-1][0]), steps[-1][1], "")]
    for (begin, run, message), (until, next_run, _) in zip(steps, following, strict=True):
        name = message if run == next_run else f"{message}; waiting for the next try"
        spans.append((name, begin, until, "accent" if run == next_run else "warn", ""))
    for file in imports:
        begin = min(max(file["created_at"], steps[0][0]), file["finished_at"])
        address = f"/sitemaps/{file['id']}"
        spans.append((f"import of {urlsplit(file['url']).path}", begin, file["finished_at"], "info", address))
    return spans


@router.post("/jobs/{job_id}/requeue")
async def requeue(request: Request, job_id: JobId, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    job = await retry_job(caller.engine, caller.actor, job_id)
    path = return_path(form, f"/jobs/{job['id']}")
    return console.redirect(request, path, f"Job {job['id']} is queued again")


@router.post("/jobs/{job_id}/cancel")
async def cancel(request: Request, job_id: JobId, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    job = await cancel_job(caller.engine, caller.actor, job_id)
    is_cancelled = job["status"] in ENDED_JOBS
    notice = "is cancelled" if is_cancelled else "stops when it next reports progress"
    return console.redirect(request, return_path(form, f"/jobs/{job['id']}"), f"Job {job['id']} {notice}")
