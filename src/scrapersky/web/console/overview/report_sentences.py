"""The report in ten plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.overview import ListFigures
from scrapersky.web.console.charts import Loss, Step, show_share
from scrapersky.web.html import show_duration, show_number

VALID, PHONE_ONLY = "valid", "phone only"


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """`slowest` is a stage with its p50 and p95, `best_page_type` contacts per 100 pages and the type."""

    period: str
    lists: Mapping[str, ListFigures]
    steps: Sequence[Step]
    done: int
    failed: int
    dead_letters: int
    slowest: tuple[str, float, float] | None
    best_page_type: tuple[float, str] | None
    results: Mapping[str, int]
    credits: int


def write_sentences(report: ReportFigures) -> list[str]:
    return [
        _added(report),
        _websites(report),
        _contacts(report),
        _losses(report),
        _work(report),
        _dead_letters(report),
        _speed(report),
        _pages(report),
        _heap(report),
        f"{_count(report.credits, 'credit')} spent at paid services in the {report.period}.",
    ]


def _added(report: ReportFigures) -> str:
    added = {name: sum(figures.added) for name, figures in report.lists.items()}
    numbers = [_of(added[name], name) for name in ("business", "domain", "page", "contact")]
    return f"In the {report.period}, {', '.join(numbers[:-1])} and {numbers[-1]} were added."


def _websites(report: ReportFigures) -> str:
    steps = {step.name: step.number for step in report.steps}
    total, with_website = steps["Businesses"], steps["With website"]
    share = show_share(with_website, total)
    return (
        f"Of {show_number(total)} businesses, {show_number(with_website)} ({share}) have a website of their"
        f" own, and {show_number(steps['Reachable'])} of these websites were reached."
    )


def _contacts(report: ReportFigures) -> str:
    steps = {step.name: step.number for step in report.steps}
    share = show_share(steps["Contact found"], steps["Businesses"])
    return (
        f"{show_number(steps['Contact found'])} businesses ({share}) have a contact, and"
        f" {show_number(steps['Verified'])} have an e-mail address that was verified."
    )


def _losses(report: ReportFigures) -> str:
    losses = [(loss.number, step.name, loss) for step in report.steps for loss in step.losses if loss.number]
    if not losses:
        return "No business was lost on the way."
    number, step, loss = max(losses, key=_loss_size)
    return f"Most businesses stop after “{step}”: {show_number(number)} {loss.name}."


def _loss_size(loss: tuple[int, str, Loss]) -> int:
    return loss[0]


def _work(report: ReportFigures) -> str:
    share = show_share(report.failed, report.done + report.failed)
    return f"{_count(report.done, 'row')} processed and {show_number(report.failed)} failed ({share})."


def _dead_letters(report: ReportFigures) -> str:
    if not report.dead_letters:
        return "No row has failed permanently."
    return f"{show_number(report.dead_letters)} rows have failed permanently and wait as dead letters."


def _speed(report: ReportFigures) -> str:
    if report.slowest is None:
        return "Nothing was processed in the last hour."
    title, low, high = report.slowest
    return (
        f"The slowest stage of the last hour was “{title}”: half of its rows took {show_duration(low)} or"
        f" less, and 95 % took {show_duration(high)} or less."
    )


def _pages(report: ReportFigures) -> str:
    if report.best_page_type is None:
        return "No page has been read yet."
    number, name = report.best_page_type
    return f"Pages of the type “{name}” pay best: {show_number(number)} contacts for every 100 pages read."


def _heap(report: ReportFigures) -> str:
    heaps = {name: figures.to_review for name, figures in report.lists.items()}
    name = max(heaps, key=lambda each: heaps[each])
    if not heaps[name]:
        return "Everything has been decided."
    total = show_number(sum(heaps.values()))
    return f"{total} rows wait for a decision; the biggest heap is {_of(heaps[name], name)}."


def _of(number: int, entity: str) -> str:
    return f"{show_number(number)} {entity if number == 1 else ENTITIES[entity].plural}"


def _count(number: int, noun: str) -> str:
    return f"{show_number(number)} {noun} was" if number == 1 else f"{show_number(number)} {noun}s were"
