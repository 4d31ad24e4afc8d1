"""Submits domains, sitemaps and pages as lines or CSV files, with a result for every line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.installation.quotas import require_queue_room
from scrapersky.actions.submission_input import (
    InputLine,
    LineResult,
    Preview,
    Submission,
    display_value,
    parse_csv,
    parse_lines,
    preview_lines,
)
from scrapersky.actions.submission_rows import RowSpec, store_domains, store_pages, store_sitemaps
from scrapersky.errors import InvalidInput
from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.urls import read_host, read_url
from scrapersky.extract.urls.canonical import path_depth
from scrapersky.extract.urls.hosts import HostReading
from scrapersky.sources.csv.headings import DOMAIN_HEADINGS, PAGE_HEADINGS, SITEMAP_HEADINGS

BATCH = 2_000
SUBMITTED, IMPORTED = "direct_submission", "csv_import"
NOT_A_SITEMAP = "does not look like a sitemap, such as https://example.com/sitemap.xml"
SITEMAP_HINTS = ("sitemap", ".xml", ".txt", ".gz", ".rss", ".atom", "feed")


@dataclass(frozen=True, slots=True)
class SubmissionOptions:
    """Without `auto_queue` the rows wait for a person.

    `lab_suffixes` are domain suffixes that test overrides allow, `priority` that of submitted pages (1 to 3).
    """

    auto_queue: bool = True
    lead_source: str = SUBMITTED
    lab_suffixes: Collection[str] = ()
    priority: int | None = None


DEFAULTS = SubmissionOptions()


@dataclass(frozen=True, slots=True)
class SubmissionKind:
    """How lines of one kind are parsed and stored, and the headings of their column in files."""

    parse: Callable[[str, SubmissionOptions], RowSpec | LineResult]
    store: Callable[..., Awaitable[None]]
    headings: dict[str, str]


async def submit_domains(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    return await _submit(engine, actor, parse_lines(lines), KINDS["domain"], options)


async def submit_sitemaps(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    """Submit sitemaps by URL; a missing domain is created but not queued."""
    return await _submit(engine, actor, parse_lines(lines), KINDS["sitemap"], options)


async def submit_pages(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    """Submit pages by URL; a submitted page is read whatever its type."""
    return await _submit(engine, actor, parse_lines(lines), KINDS["page"], options)


async def import_csv(
    engine: AsyncEngine,
    actor: Actor,
    kind: str,
    chunks: Iterable[bytes],
    options: SubmissionOptions | None = None,
    *,
    column: str = "",
    encoding: str = "",
) -> Submission:
    """Submit the domains, sitemaps or pages of a CSV file, with or without headings.

    `column` selects their column by heading or number. Without an `encoding` it is detected.
    """
    chosen = _kind(kind)
    # In a thread, because a large file takes seconds.
    parsed = await asyncio.to_thread(parse_csv, chunks, chosen.headings, column, encoding)
    options = options or SubmissionOptions(lead_source=IMPORTED)
    submission = await _submit(engine, actor, parsed.lines, chosen, options)
    submission.mapping, submission.encoding, submission.notes = parsed.mapping, parsed.assumed, parsed.notes
    return submission


def preview_csv(kind: str, chunks: Iterable[bytes], *, column: str = "", encoding: str = "") -> Preview:
    """How `import_csv` would parse the file."""
    return preview_lines(chunks, _kind(kind).headings, column, encoding)


def _kind(name: str) -> SubmissionKind:
    if name not in KINDS:
        raise InvalidInput(f"Invalid kind {name!r}; expected one of {', '.join(KINDS)}")
    return KINDS[name]


async def _submit(
    engine: AsyncEngine,
    actor: Actor,
    lines: list[InputLine],
    kind: SubmissionKind,
    options: SubmissionOptions,
) -> Submission:
    """Store the valid lines, one transaction per batch; submitting them again changes nothing."""
    if options.priority is not None and not 1 <= options.priority <= 3:
        raise InvalidInput(f"Invalid priority {options.priority}; expected 1, 2 or 3")
    if options.auto_queue:
        await require_queue_room(engine, actor.tenant_id, len(lines))
    submission, first_lines = Submission(), dict[tuple[str, str], LineResult]()
    repeated: list[tuple[LineResult, LineResult]] = []
    for start in range(0, len(lines), BATCH):
        rows: list[tuple[LineResult, RowSpec]] = []
        for line in lines[start : start + BATCH]:
            result, spec = _parse(line, kind, options)
            submission.lines.append(result)
            if spec is None:
                continue
            earlier = first_lines.setdefault(spec.key, result)
            if earlier is result:
                rows.append((result, spec))
            else:
                repeated.append((result, earlier))
        if rows:
            await kind.store(
                engine, actor, rows, auto_queue=options.auto_queue, lead_source=options.lead_source
            )
    for result, earlier in repeated:
        result.status, result.id = "known", earlier.id
        result.reason = f"the same as line {earlier.number}"
    return submission


def _parse(
    line: InputLine, kind: SubmissionKind, options: SubmissionOptions
) -> tuple[LineResult, RowSpec | None]:
    result = LineResult(line.number, display_value(line.text), "invalid", line.problem)
    if line.problem:
        return result, None
    parsed = kind.parse(line.text, options)
    if isinstance(parsed, LineResult):
        parsed.number, parsed.value = result.number, result.value
        return parsed, None
    return result, parsed


def _invalid(reading: HostReading) -> LineResult:
    return LineResult(0, "", "platform" if reading.platform else "invalid", reading.reason)


def _parse_domain(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading = read_host(text, lab_suffixes=options.lab_suffixes)
    return RowSpec(reading.host, reading.registrable) if reading.ok else _invalid(reading)


def _parse_url(text: str, options: SubmissionOptions) -> tuple[HostReading, str]:
    """The domain of a URL and the URL in canonical form; the host is parsed first, so both agree."""
    reading = read_host(text, lab_suffixes=options.lab_suffixes)
    if not reading.ok:
        return reading, ""
    line = text.strip()
    url = read_url(line if "://" in line else f"https://{line}")
    return reading, url.url


def _parse_sitemap(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading, url = _parse_url(text, options)
    if not reading.ok:
        return _invalid(reading)
    path = url.lower().partition("://")[2].partition("/")[2]
    if not any(hint in path for hint in SITEMAP_HINTS):
        return LineResult(0, "", "invalid", NOT_A_SITEMAP)
    return RowSpec(reading.host, reading.registrable, url)


def _parse_page(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading, url = _parse_url(text, options)
    if not reading.ok:
        return _invalid(reading)
    if not url:
        return LineResult(0, "", "invalid", "not the URL of a page")
    kind = classify_url(url)
    priority = options.priority or kind.priority
    return RowSpec(
        reading.host, reading.registrable, url, kind.page_type, kind.confidence, priority, path_depth(url)
    )


KINDS: dict[str, SubmissionKind] = {
    "domain": SubmissionKind(_parse_domain, store_domains, DOMAIN_HEADINGS),
    "sitemap": SubmissionKind(_parse_sitemap, store_sitemaps, SITEMAP_HEADINGS),
    "page": SubmissionKind(_parse_page, store_pages, PAGE_HEADINGS),
}
