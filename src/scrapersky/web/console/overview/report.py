"""The report: one page to look at, to print or to send; the download needs no other file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Caller, Viewer
from scrapersky.declarations import STAGE_TITLES
from scrapersky.queries import CreditQuery, StageQuery, StatisticsQuery
from scrapersky.queries.rows.overview import CONFIDENCE_STEPS, OverviewQuery
from scrapersky.queries.statistics import quantile
from scrapersky.web.console.charts import Bars, Columns, Step, bars, columns, flow
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.overview.figures import make_tiles, throughput_values
from scrapersky.web.console.overview.flow_steps import flow_steps
from scrapersky.web.console.overview.periods import PERIODS, Period, get_period
from scrapersky.web.console.overview.report_sentences import ReportFigures, write_sentences
from scrapersky.web.html import respond_html

PLACE_OF_STYLE = "<style></style>"
FONT_FACE = re.compile(r"@font-face\s*\{.*?\}\n?", re.DOTALL)
router = APIRouter()

DEFAULT = "30d"
MAX_BARS = 10
# A page type with fewer pages says nothing about what pages of its type bring.
MIN_PAGES = 5


@router.get("/report")
async def show_report(
    request: Request, caller: Viewer, console: ConsoleContext, period: str = DEFAULT
) -> Response:
    values = await report_values(caller, console, get_period(period))
    values |= {"is_download": False, "periods": PERIODS.values()}
    return console.fragment(request, caller, "report.html", **values)


@router.get("/report/download")
async def download_report(
    request: Request, caller: Viewer, console: ConsoleContext, period: str = DEFAULT
) -> Response:
    """The same with its styles inside, without links into this installation and without scripts."""
    values = await report_values(caller, console, get_period(period), with_links=False)
    template = console.templates.get_template("report.html")
    html = template.render(is_download=True, caller=caller, role=caller.role, **values)
    # Our own styles are put in after rendering, because templates escape everything.
    style = FONT_FACE.sub("", console.assets.read("css/console.css"))
    response = respond_html(request, html.replace(PLACE_OF_STYLE, f"<style>{style}</style>"))
    name = f"scrapersky-report-{datetime.now(UTC):%Y-%m-%d}.html"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


async def report_values(
    caller: Caller, console: Console, period: Period, *, with_links: bool = True
) -> dict[str, Any]:
    query = OverviewQuery(caller.engine, caller.actor.tenant_id)
    tenant_id = caller.actor.tenant_id
    lists = await console.recent.get(
        ("lists", period.name, tenant_id, None), lambda: query.lists(period.span)
    )
    figures = await console.recent.get(("flow", tenant_id, None), query.flow)
    steps = flow_steps(figures) if with_links else [_without_links(step) for step in flow_steps(figures)]
    throughput = await query.throughput(period.span)
    credits = await CreditQuery(caller.engine, tenant_id).report(period.days)
    pay = _pages_that_pay(await query.page_yield(), await query.contacts_by_page_type(), with_links)
    confidence = await query.confidence()
    report = ReportFigures(
        period=period.title.lower(),
        lists=lists,
        steps=steps,
        done=sum(row[1] for row in throughput),
        failed=sum(row[2] for row in throughput),
        dead_letters=sum(stage.failed for stage in await StageQuery(caller.engine).statuses()),
        slowest=await _slowest_stage(caller),
        best_page_type=max(((bar.number, bar.name) for bar in pay.rows), default=None),
        results=_results(confidence),
        credits=credits["total"],
    )
    return {
        "period": period,
        "written_at": datetime.now(UTC),
        "sentences": write_sentences(report),
        "tiles": make_tiles(lists, period),
        "flow": flow(steps),
        **throughput_values(throughput, replace(period, fine_step=period.step)),
        "pay": pay,
        "confidence": _confidence(confidence),
        "credits": credits,
        "credit_days": _credit_days(credits),
    }


def _without_links(step: Step) -> Step:
    return replace(step, href="", losses=tuple(replace(loss, href="") for loss in step.losses))


def _pages_that_pay(read: list[dict[str, Any]], contacts: dict[str, int], with_links: bool) -> Bars:
    """Contacts for every hundred pages that were read, by page type."""
    paying = [
        (row["page_type"], 100 * contacts.get(row["page_type"], 0) / row["read"], row["read"])
        for row in read
        if row["read"] >= MIN_PAGES
    ]
    paying = sorted(paying, key=lambda row: -row[1])[:MAX_BARS]
    return bars(
        [(show_page_type(name), round(number, 1)) for name, number, _ in paying],
        "Contacts for every 100 pages read, by page type",
        headers=("Page type", "Contacts per 100 pages"),
        hrefs=[f"/pages?page_type={name}" for name, _, _ in paying] if with_links else [],
        notes=[f"of {pages:,} read" for _, _, pages in paying],
    )


def show_page_type(name: str) -> str:
    return name.removesuffix("_root").replace("_", " ").capitalize()


def _results(confidence: list[dict[str, Any]]) -> dict[str, int]:
    results: Counter[str] = Counter()
    for row in confidence:
        results[row["result"]] += row["number"]
    return dict(results)


def _confidence(rows: list[dict[str, Any]]) -> Columns:
    """A histogram by tenth; valid addresses stand below, all other contacts above them."""
    valid, others = [0] * CONFIDENCE_STEPS, [0] * CONFIDENCE_STEPS
    for row in rows:
        (valid if row["result"] == "valid" else others)[row["step"]] += row["number"]
    names = [f"{place * 10} %" for place in range(CONFIDENCE_STEPS)]
    drawn = list(zip(names, valid, others, strict=True))
    label = f"{sum(valid):,} contacts with a valid address and {sum(others):,} others, by confidence"
    headers = ("Confidence from", "Valid address", "Others")
    return columns(drawn, label, headers=headers, ticks=CONFIDENCE_STEPS)


def _credit_days(credits: dict[str, Any]) -> Columns:
    days = sorted(credits["days"], key=lambda row: row["day"])
    rows = [(f"{row['day']:%-d %b}", row["spent"], 0) for row in days]
    return columns(rows, f"{credits['total']:,} credits spent", headers=("Day", "Credits", ""))


async def _slowest_stage(caller: Caller) -> tuple[str, float, float] | None:
    """The stage whose p95 is highest, with its p50 and p95 in milliseconds."""
    durations = await StatisticsQuery(caller.engine).durations()
    measured = [
        (high, low, STAGE_TITLES[name])
        for name, buckets in durations.items()
        if name in STAGE_TITLES
        and (high := quantile(buckets, 0.95)) is not None
        and (low := quantile(buckets, 0.5)) is not None
    ]
    if not measured:
        return None
    high, low, title = max(measured)
    return title, low, high
