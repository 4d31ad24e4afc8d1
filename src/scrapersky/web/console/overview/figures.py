"""Everything that the overview shows, read and drawn; the report uses the same parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from scrapersky.api.caller import Caller
from scrapersky.declarations import STAGE_TITLES, statuses
from scrapersky.queries import StageQuery, StatisticsQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.overview import ListFigures, OverviewQuery, TimeSpan
from scrapersky.queries.stages import StageStatus
from scrapersky.queries.statistics import quantile
from scrapersky.web.console.charts import Sparkline, Stack, columns, sparkline, stack
from scrapersky.web.console.console import Console
from scrapersky.web.console.navigation import PIPELINE
from scrapersky.web.console.overview.attention import find_matters
from scrapersky.web.console.overview.flow_steps import draw_flow
from scrapersky.web.console.overview.periods import Period
from scrapersky.web.html import show_number

RECENT = timedelta(minutes=1), 30


@dataclass(frozen=True, slots=True)
class Tile:
    """One list of the pipeline."""

    entity: str
    name: str
    path: str
    tone: str
    total: int
    added: int
    to_review: int
    line: Sparkline
    bar: Stack


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One stage in the table of queues."""

    stage: StageStatus
    title: str
    state: str
    state_text: str
    share: Stack
    p50: float | None
    p95: float | None
    line: Sparkline


async def overview_values(
    caller: Caller, console: Console, period: Period, search_id: UUID | None
) -> dict[str, Any]:
    query = OverviewQuery(caller.engine, caller.actor.tenant_id, search_id)
    subject = caller.actor.tenant_id, search_id
    lists = await console.recent.get(("lists", period.name, *subject), lambda: query.lists(period.span))
    flow = await console.recent.get(("flow", *subject), query.flow)
    stages = await StageQuery(caller.engine).statuses()
    to_review = {name: figures.to_review for name, figures in lists.items()}
    return {
        "tiles": make_tiles(lists, period),
        "flow": draw_flow(flow, search_id),
        "matters": await find_matters(caller, console, stages, to_review),
        "queues": await _queues(caller, query, stages),
        **throughput_values(await query.throughput(period.fine_span), period),
    }


def throughput_values(rows: Sequence[tuple[datetime, int, int]], period: Period) -> dict[str, Any]:
    """The same numbers twice: columns that need no script, and rates for the chart that has a cursor."""
    minutes = period.fine_step / timedelta(minutes=1)
    done, failed = sum(row[1] for row in rows), sum(row[2] for row in rows)
    label = f"{show_number(done)} rows done and {show_number(failed)} failed, {period.title.lower()}"
    marks = [(f"{moment:{period.mark}}", done, failed) for moment, done, failed in rows]
    return {
        "throughput_chart": columns(marks, label, headers=("From (UTC)", "Done", "Failed")),
        "throughput_data": {
            "times": [int(moment.timestamp()) for moment, _, _ in rows],
            "done": [round(done / minutes, 2) for _, done, _ in rows],
            "failed": [round(failed / minutes, 2) for _, _, failed in rows],
        },
    }


def make_tiles(lists: Mapping[str, ListFigures], period: Period) -> list[Tile]:
    entries = [entry for entry in PIPELINE if entry.entity in ENTITIES]
    return [
        Tile(
            entity=entry.entity,
            name=entry.name,
            path=entry.path,
            tone=f"s{place}",
            total=(figures := lists[entry.entity]).total,
            added=sum(figures.added),
            to_review=figures.to_review,
            line=sparkline(figures.added, _added_label(entry.name, figures, period)),
            bar=stack(_curation_parts(figures.by_status)),
        )
        for place, entry in enumerate(entries, 1)
    ]


def _added_label(name: str, figures: ListFigures, period: Period) -> str:
    return f"{show_number(sum(figures.added))} {name.lower()} added, {period.title.lower()}"


def _curation_parts(by_status: Mapping[str, int]) -> list[tuple[str, str, int]]:
    excluded = sum(by_status.get(status, 0) for status in statuses.EXCLUDED)
    return [
        ("new", "info", by_status.get(statuses.NEW, 0)),
        ("selected", "accent", by_status.get(statuses.SELECTED, 0)),
        ("maybe", "warn", by_status.get(statuses.MAYBE, 0)),
        ("rejected or archived", "mute", excluded),
    ]


async def _queues(caller: Caller, query: OverviewQuery, stages: list[StageStatus]) -> list[QueueLine]:
    durations = await StatisticsQuery(caller.engine).durations()
    lines = await query.stage_throughput(TimeSpan.until_now(*RECENT))
    return [_queue(stage, durations.get(stage.stage, []), lines.get(stage.stage, [])) for stage in stages]


def _queue(stage: StageStatus, buckets: list[int], minutes: list[int]) -> QueueLine:
    state, text = queue_state(stage)
    label = f"{show_number(sum(minutes))} rows in 30 minutes"
    return QueueLine(
        stage=stage,
        title=STAGE_TITLES[stage.stage],
        state=state,
        state_text=text,
        share=stack([("done", "good", stage.done_hour), ("failed", "bad", stage.failed_hour)]),
        p50=quantile(buckets, 0.5),
        p95=quantile(buckets, 0.95),
        line=sparkline(minutes, label),
    )


def queue_state(stage: StageStatus) -> tuple[str, str]:
    """The mark and the word for a stage; one that runs and finishes nothing is not healthy."""
    if stage.paused:
        return "paused", "Paused"
    if not stage.workers:
        return ("failed" if stage.waiting else "unknown"), "No worker"
    ended = stage.done_hour + stage.failed_hour
    if ended and stage.failed_hour > ended / 5:
        return "degraded", "Failing"
    if stage.running or (stage.waiting and ended):
        return "running", "Running"
    return "ok", "Ready"
