"""The figures of one crawl, and the rows of several that were measured in turn."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.crawl_stand import pages_of
from bench.results import Row
from scrapersky_demo.evaluation import Contact, score
from scrapersky_demo.server.request_log import Request
from scrapersky_demo.truth import Truth

# A crawl is judged when it had so many of its pages, or of all contacts, because what comes after
# is waiting for hosts that never answer.
MOST = 0.95
# Ours divided by the peer's, by what is compared.
GOALS = {
    ("right contacts a CPU-second", "scrapy"): "goal at least 3.5",
    ("right contacts a CPU-second", "crawlee"): "goal at least 5",
    ("pages/s to 95 % of its pages", "scrapy"): "goal at least 2",
    ("CPU of the whole job", "scrapy"): "goal at most 0.55",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What one crawl came to; times are seconds since its processes were started, None is never."""

    pages: float
    requests: float
    right: float
    precision: float
    recall: float
    cpu: float
    database_cpu: float
    transactions: float
    peak_mib: float
    first_request: float
    pages_95: float
    contacts_95: float | None
    site_95: float | None
    seconds: float
    is_complete: float

    @property
    def speed(self) -> float:
        return self.pages * MOST / self.pages_95


def figures_of(result: Mapping[str, Any], requests: Sequence[Request], truth: Truth) -> Figures:
    """`result` is what a crawler found, with the moments, and what it used."""
    began, pages = result["began"], pages_of(list(requests))
    names = {alias: domain for domain, known in truth.domains.items() for alias in (domain, *known.aliases)}
    judged = score([found[:2] for found in result["found"]], truth)
    false, moments = set(judged.false), _first_moments(result["found"], names)
    right = {contact: at - began for contact, at in moments.items() if contact not in false}
    findable = judged.right + len(judged.missing)
    first_request: dict[str, float] = {}
    for one in requests:
        first_request.setdefault(names.get(one.host, one.host), one.start - began)
    first_contact: dict[str, float] = {}
    for (domain, _), at in right.items():
        first_contact[domain] = min(at, first_contact.get(domain, at))
    waits = [at - first_request[domain] for domain, at in first_contact.items() if domain in first_request]
    return Figures(
        pages=len(pages),
        requests=len(requests),
        right=judged.right,
        precision=judged.precision,
        recall=judged.recall,
        cpu=result["cpu"],
        database_cpu=result["database_cpu"],
        transactions=result["transactions"],
        peak_mib=result["peak"],
        first_request=min(first_request.values(), default=0.0),
        pages_95=_at([one.end - began for one in pages], len(pages)) or 1.0,
        contacts_95=_at(right.values(), findable),
        site_95=_at(waits, len(waits)),
        seconds=result["ended"] - began,
        is_complete=result["is_complete"],
    )


def _first_moments(found: Sequence[tuple[str, str, float]], names: Mapping[str, str]) -> dict[Contact, float]:
    """When each contact was there first, under the names that the truth has for domains."""
    moments: dict[Contact, float] = {}
    for domain, value, at in found:
        contact = (names.get(domain.lower(), domain.lower()), value.lower())
        moments[contact] = min(at, moments.get(contact, at))
    return moments


def _at(moments: Any, number: int) -> float | None:
    """The moment at which 95 % of this number had come."""
    ordered = sorted(moments)
    return ordered[int(number * MOST)] if int(number * MOST) < len(ordered) else None


def rows_of(results: Mapping[str, Sequence[Figures]], world: str) -> list[Row]:
    """The medians of each crawler, the most telling first, and those of ours against the peers'."""
    rows = []
    compared: dict[str, dict[str, float]] = {}
    for who, runs in results.items():
        one = _median(runs)
        compared[who] = _compared(one)
        rows += _rows(who, one, compared[who], runs)
    ours = compared.get("ours", {})
    for who, theirs in compared.items() if ours else ():
        if who != "ours":
            rows += [
                Row(f"{what}, ours against", who, ours[what] / value, "x", GOALS.get((what, who), ""))
                for what, value in theirs.items()
                if value
            ]
    return [Row(f"{row.what}; {world}", row.who, row.value, row.unit, row.note) for row in rows]


def _median(runs: Sequence[Figures]) -> Figures:
    columns = {name: [asdict(run)[name] for run in runs] for name in asdict(runs[0])}
    return Figures(
        **{
            name: None if None in values else statistics.median(values)  # type: ignore[misc]
            for name, values in columns.items()
        }
    )


def _compared(one: Figures) -> dict[str, float]:
    cpu, pages = one.cpu + one.database_cpu, max(one.pages, 1)
    return {
        "right contacts a CPU-second": one.right / cpu,
        "right contacts a request": one.right / max(one.requests, 1),
        "CPU of the whole job": cpu,
        "CPU a request": 1000 * cpu / max(one.requests, 1),
        "CPU a page": 1000 * cpu / pages,
        "pages/s to 95 % of its pages": one.speed,
        "right contacts a second": one.right / one.seconds,
    }


UNITS = {"CPU of the whole job": "s", "CPU a request": "ms", "CPU a page": "ms"}


def _rows(who: str, one: Figures, compared: Mapping[str, float], runs: Sequence[Figures]) -> Iterator[Row]:
    pages = max(one.pages, 1)
    speeds = sorted(run.speed for run in runs)
    shares = f"{1000 * one.database_cpu / pages:.2f} ms of the database"
    notes = {
        "right contacts a CPU-second": f"{one.right:.0f} contacts",
        "CPU a page": shares if one.database_cpu else "",
        "pages/s to 95 % of its pages": f"{one.pages:.0f} pages, {speeds[0]:.0f} to {speeds[-1]:.0f}",
        "right contacts a second": f"{one.seconds:.1f} s in all"
        + ("" if one.is_complete == 1 else ", not complete"),
        "right contacts a request": f"{one.requests:.0f} requests",
    }
    for what, value in compared.items():
        yield Row(what, who, value, UNITS.get(what, ""), notes.get(what, ""))
    yield Row("95 % of the contacts that can be found are stored", who, one.contacts_95, "s", _never(one))
    yield Row("a site's first request to its first contact, p95", who, one.site_95, "s")
    if one.transactions:
        yield Row("transactions a page", who, one.transactions / pages)
    yield Row("precision", who, one.precision)
    yield Row("recall", who, one.recall)
    yield Row("start to first request", who, one.first_request, "s")
    yield Row("largest process", who, one.peak_mib, "MiB")


def _never(one: Figures) -> str:
    return "never finds so many" if one.contacts_95 is None else ""
