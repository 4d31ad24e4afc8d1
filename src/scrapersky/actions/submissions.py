"""Submit domains, sitemaps and pages, as lines or as a CSV file: one path, an answer for every line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.submission_input import (
    InputLine,
    LineResult,
    Preview,
    Submission,
    parse_csv,
    parse_lines,
    preview_lines,
    shown,
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
NO_SITEMAP = "does not look like a sitemap, such as https://example.com/sitemap.xml"
SITEMAP_SIGNS = ("sitemap", ".xml", ".txt", ".gz", ".rss", ".atom", "feed")


@dataclass(frozen=True, slots=True)
class SubmissionOptions:
    """`auto_queue` is the same on every way in; without it the rows wait for a person.

    `lab_suffixes` are endings that a laboratory allows, `priority` the rank of submitted pages (1 to 3).
    """

    auto_queue: bool = True
    lead_source: str = SUBMITTED
    lab_suffixes: Collection[str] = ()
    priority: int | None = None


DEFAULTS = SubmissionOptions()


@dataclass(frozen=True, slots=True)
class SubmissionKind:
    """One kind of line: how it is read, how rows of it are stored, how its column is called in files."""

    read: Callable[[str, SubmissionOptions], RowSpec | LineResult]
    store: Callable[..., Awaitable[None]]
    headings: dict[str, str]


async def submit_domains(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    return await _submit(engine, actor, parse_lines(lines), KINDS["domain"], options)


async def submit_sitemaps(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    """Sitemap files by address; a domain that is not there yet is created, not queued."""
    return await _submit(engine, actor, parse_lines(lines), KINDS["sitemap"], options)


async def submit_pages(
    engine: AsyncEngine, actor: Actor, lines: str | Iterable[str], options: SubmissionOptions = DEFAULTS
) -> Submission:
    """Pages by address; a page that somebody names is read, whatever its type."""
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
    """Domains, sitemaps or pages out of a CSV file, with or without a row of headings.

    `column` says where they stand, by heading or number, where the headings do not. Without an `encoding` it
    is guessed.
    """
    chosen = _kind(kind)
    parsed = parse_csv(chunks, chosen.headings, column, encoding)
    options = options or SubmissionOptions(lead_source=IMPORTED)
    submission = await _submit(engine, actor, parsed.lines, chosen, options)
    submission.mapping, submission.encoding, submission.notes = parsed.mapping, parsed.assumed, parsed.notes
    return submission


def preview_csv(kind: str, chunks: Iterable[bytes], *, column: str = "", encoding: str = "") -> Preview:
    """How `import_csv` would understand the file."""
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
    """Stores the good lines batch by batch, one transaction each; a second run changes nothing more."""
    if options.priority is not None and not 1 <= options.priority <= 3:
        raise InvalidInput(f"Invalid priority {options.priority}; expected 1, 2 or 3")
    submission, first_lines = Submission(), dict[tuple[str, str], LineResult]()
    again: list[tuple[LineResult, LineResult]] = []
    for start in range(0, len(lines), BATCH):
        fresh: list[tuple[LineResult, RowSpec]] = []
        for line in lines[start : start + BATCH]:
            result, wanted = _read(line, kind, options)
            submission.lines.append(result)
            if wanted is None:
                continue
            earlier = first_lines.setdefault(wanted.key, result)
            if earlier is result:
                fresh.append((result, wanted))
            else:
                again.append((result, earlier))
        if fresh:
            await kind.store(
                engine, actor, fresh, auto_queue=options.auto_queue, lead_source=options.lead_source
            )
    for result, earlier in again:
        result.status, result.id = "known", earlier.id
        result.reason = f"the same as line {earlier.number}"
    return submission


def _read(
    line: InputLine, kind: SubmissionKind, options: SubmissionOptions
) -> tuple[LineResult, RowSpec | None]:
    result = LineResult(line.number, shown(line.text), "invalid", line.problem)
    if line.problem:
        return result, None
    found = kind.read(line.text, options)
    if isinstance(found, LineResult):
        found.number, found.value = result.number, result.value
        return found, None
    return result, found


def _refused(reading: HostReading) -> LineResult:
    return LineResult(0, "", "platform" if reading.platform else "invalid", reading.reason)


def _domain(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading = read_host(text, lab_suffixes=options.lab_suffixes)
    return RowSpec(reading.host, reading.registrable) if reading.ok else _refused(reading)


def _address(text: str, options: SubmissionOptions) -> tuple[HostReading, str]:
    """The domain of an address and the address in canonical form; read strictly first, so both agree."""
    reading = read_host(text, lab_suffixes=options.lab_suffixes)
    if not reading.ok:
        return reading, ""
    line = text.strip()
    url = read_url(line if "://" in line else f"https://{line}")
    return reading, url.url


def _sitemap(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading, url = _address(text, options)
    if not reading.ok:
        return _refused(reading)
    path = url.lower().partition("://")[2].partition("/")[2]
    if not any(sign in path for sign in SITEMAP_SIGNS):
        return LineResult(0, "", "invalid", NO_SITEMAP)
    return RowSpec(reading.host, reading.registrable, url)


def _page(text: str, options: SubmissionOptions) -> RowSpec | LineResult:
    reading, url = _address(text, options)
    if not reading.ok:
        return _refused(reading)
    if not url:
        return LineResult(0, "", "invalid", "not an address of a page")
    kind = classify_url(url)
    priority = options.priority or kind.priority
    return RowSpec(
        reading.host, reading.registrable, url, kind.page_type, kind.confidence, priority, path_depth(url)
    )


KINDS: dict[str, SubmissionKind] = {
    "domain": SubmissionKind(_domain, store_domains, DOMAIN_HEADINGS),
    "sitemap": SubmissionKind(_sitemap, store_sitemaps, SITEMAP_HEADINGS),
    "page": SubmissionKind(_page, store_pages, PAGE_HEADINGS),
}
