"""Explains in one sentence why a domain has no contacts, with the command that helps."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import case, desc, func, select, text

from scrapersky import tables
from scrapersky.declarations import IMPORT_SITEMAP, READ_METADATA, READ_PAGE, RUN_JOB, SUBMIT_DOMAIN, statuses
from scrapersky.log import pluralize
from scrapersky.queries.read_model import Query, in_array
from scrapersky.storage.contacts import BOILERPLATE

# The worker of the calling command has ended, or is about to.
OTHER_LIVE_WORKERS = text("""
SELECT count(*) FROM workers
WHERE heartbeat_at > now() - interval '1 minute' AND (pid <> :pid OR machine <> :machine)
""")
DISALLOWED = "disallowed by robots.txt"


@dataclass(frozen=True, slots=True)
class Gates:
    """The steps that run without a person's decision."""

    sitemap_analysis: bool = True
    sitemap_import: bool = True
    page_reading: bool = True


@dataclass(frozen=True, slots=True)
class Explanation:
    """`reason` is for machines, `text` for people; `command` is what helps, if anything does."""

    reason: str
    text: str
    command: str = ""
    next_try: datetime | None = None

    def __str__(self) -> str:
        text = self.text.strip().rstrip(".")
        if self.next_try:
            text += f"; will be tried again after {self.next_try.astimezone():%H:%M:%S %Z}"
        return f"{text}; {self.command}" if self.command else text


@dataclass(frozen=True, slots=True)
class DomainExplanation:
    """A domain without contacts and the reason."""

    domain: str
    reason: str
    error: str
    explanation: str
    next_try: datetime | None
    pages: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class ExplanationQuery(Query):
    async def without_contacts(
        self, ids: Sequence[UUID], *, ended: str = "", gates: Gates | None = None
    ) -> list[DomainExplanation]:
        """Those of these domains that have no contact of their own, each with the reason.

        `ended` says why the caller's run ended early: "interrupted" or "timed_out".
        """
        if not ids:
            return []
        others = {"pid": os.getpid(), "machine": platform.node()}
        is_worked = bool(await self.scalar(OTHER_LIVE_WORKERS, others))
        explanations = []
        for fact in await self.rows(_facts(ids)):
            why = explain(fact, ended, gates or Gates(), is_worked=is_worked)
            error = why.text.rstrip(".")
            explanations.append(
                DomainExplanation(fact.domain, why.reason, error, str(why), why.next_try, fact.pages_read)
            )
        return explanations


def explain(fact: Any, ended: str, gates: Gates, *, is_worked: bool) -> Explanation:
    """The reason that matters most, checked from the first step of the pipeline to the last."""
    again = f"retry now: scrapersky find {fact.domain}"
    if fact.curation in statuses.EXCLUDED:
        select_it = f"scrapersky domain curate selected {fact.domain}"
        return Explanation(
            fact.curation.lower(), f"the domain is {fact.curation}", f"to read it: {select_it}"
        )
    status, vocabulary = fact.status, READ_METADATA.statuses
    if status == vocabulary.failed:
        return Explanation(_kind_of(fact.error), fact.error, again)
    if status is None:
        return Explanation(
            "gate", "the domain was stored but not queued", f"to read it: {again.partition(': ')[2]}"
        )
    if status != vocabulary.done and fact.paused_until:
        return _paused(fact)
    if status != vocabulary.done:
        return _unfinished(fact, ended, fact.error or fact.backoff_reason, fact.due_at, is_worked=is_worked)
    if fact.place_error:
        # The domain is parked or for sale.
        return Explanation("parked", fact.place_error)
    return _below(fact, ended, gates, again, is_worked=is_worked)


def _kind_of(error: str) -> str:
    if DISALLOWED in error:
        return "robots"
    return "blocked" if error.startswith("blocked") else "failed"


def _paused(fact: Any) -> Explanation:
    return Explanation("waiting", "a person has paused its host", next_try=fact.paused_until)


def _unfinished(
    fact: Any, ended: str, error: str | None, due: datetime | None, *, is_worked: bool
) -> Explanation:
    """Work that is still queued: retried by the running workers, or by the same command."""
    resume = f"scrapersky find {fact.domain}"
    if is_worked:
        return Explanation(ended or "waiting", error or "the work is not finished", next_try=due)
    if error:
        late = "; the time limit was reached" if ended == "timed_out" else ""
        return Explanation(ended or "waiting", f"{error.rstrip('.')}{late}", f"retry now: {resume}")
    if ended == "timed_out":
        return Explanation(ended, "the time limit was reached before it was read", f"to resume: {resume}")
    return Explanation(ended or "waiting", "interrupted before it was read", f"to resume: {resume}")


def _below(fact: Any, ended: str, gates: Gates, again: str, *, is_worked: bool) -> Explanation:
    """The home page was read: the state of the sitemaps and pages."""
    name, resume = fact.domain, f"to resume: scrapersky find {fact.domain}"
    left = fact.pages_open + fact.sitemaps_open + fact.jobs_open
    if left and fact.paused_until:
        return _paused(fact)
    if left and (fact.page_wait_error or not is_worked):
        if fact.pages_open and fact.page_wait_error:
            why = f"{_pages(fact.pages_open)} not read yet: {fact.page_wait_error.rstrip('.')}"
            return _unfinished(fact, ended, why, fact.pages_due, is_worked=is_worked)
        cause = "the time limit was reached" if ended == "timed_out" else "interrupted"
        waiting = _pages(fact.pages_open) if fact.pages_open else "its sitemaps"
        return Explanation(ended or "waiting", f"{cause} with {waiting} left to read", resume)
    if left:
        return Explanation("waiting", f"{_pages(fact.pages_open)} left to read", next_try=fact.pages_due)
    if not gates.page_reading and fact.pages_unread:
        choose = f"scrapersky page curate selected --domain {name} --status none --yes"
        waits = f"{_pages(fact.pages_unread)} waiting for a decision (AUTO_PAGE_READING is off)"
        return Explanation("gate", waits, f"to read them: {choose}")
    if not gates.sitemap_import and fact.sitemaps_unread and not fact.pages_read:
        choose = f"scrapersky sitemap curate selected --domain {name} --yes"
        unread = pluralize(fact.sitemaps_unread, "sitemap")
        waits = f"{unread} waiting for a decision (SITEMAP_AUTO_IMPORT is off)"
        return Explanation("gate", waits, f"to import them: {choose}")
    return _read(fact, gates, again)


def _read(fact: Any, gates: Gates, again: str) -> Explanation:
    """Everything that is read automatically was read."""
    name = fact.domain
    if fact.needs_browser:
        return Explanation(
            "browser",
            "the pages are empty without JavaScript and need a browser",
            f"to read them: set BROWSER_ENABLED=true, then scrapersky domain reset {name}"
            f" && scrapersky page curate selected --domain {name} --yes && scrapersky find {name}",
        )
    if fact.pages_disallowed and fact.pages_disallowed >= fact.pages_failed - fact.pages_disallowed:
        return Explanation(
            "robots",
            f"robots.txt disallows {_pages(fact.pages_disallowed)}; no contacts on {_pages(fact.pages_read)}",
        )
    if fact.pages_failed and not fact.pages_read:
        return Explanation(
            "failed", f"{_pages(fact.pages_failed)} could not be read: {fact.page_error}", again
        )
    if not gates.sitemap_analysis and fact.analysis is None:
        choose = f"scrapersky domain curate selected {name}"
        return Explanation(
            "gate",
            f"no contacts on {_pages(fact.pages_read)}; sitemaps wait for a decision"
            " (AUTO_SITEMAP_ANALYSIS is off)",
            f"to look for more pages: {choose}",
        )
    none = f"no contacts on {_pages(fact.pages_read)}" if fact.pages_read else "no pages found"
    if fact.stop_reason and "budget" in fact.stop_reason:
        return Explanation(
            "budget", f"{none}; stopped because {fact.stop_reason}", "raise PAGE_BUDGET_PER_DOMAIN"
        )
    if fact.stop_reason:
        none += f"; stopped because {fact.stop_reason}"
    if fact.pages_unread:
        choose = f"scrapersky page curate selected --domain {name} --status none --yes"
        more = f"{none}; {_pages(fact.pages_unread)} of low priority not read automatically"
        return Explanation("not_read", more, f"to read them: {choose}, then scrapersky find {name}")
    if fact.job_error:
        return Explanation("failed", f"{none}; sitemaps could not be read: {fact.job_error}", again)
    return Explanation("no_contacts" if fact.pages_read else "no_pages", none)


def _pages(number: int) -> str:
    return pluralize(number, "page")


def _facts(ids: Sequence[UUID]) -> Any:
    domains, contacts, hosts = tables.domains, tables.contacts.c, tables.hosts
    jobs = tables.jobs.c
    queue, analysis = READ_METADATA, SUBMIT_DOMAIN
    pages, sitemaps = _page_facts(domains), _sitemap_facts(domains)
    own = select(contacts.id).where(
        contacts.domain_id == domains.c.id, ~contacts.tags.contains([BOILERPLATE])
    )
    mine = select(jobs.error).where(jobs.domain_id == domains.c.id)
    open_jobs = select(func.count()).where(
        jobs.domain_id == domains.c.id,
        jobs.status.in_((RUN_JOB.statuses.queued, RUN_JOB.statuses.processing)),
    )
    return (
        select(
            domains.c.domain,
            domains.c.sitemap_curation_status.label("curation"),
            domains.c[queue.status].label("status"),
            domains.c[queue.error].label("error"),
            domains.c[queue.column("due_at")].label("due_at"),
            domains.c[analysis.status].label("analysis"),
            domains.c[analysis.error].label("place_error"),
            (domains.c.domain_metadata["needs_browser"].astext == "true").label("needs_browser"),
            hosts.c.backoff_reason,
            case((hosts.c.paused_until > func.now(), hosts.c.paused_until)).label("paused_until"),
            mine.where(jobs.status == RUN_JOB.statuses.failed)
            .order_by(desc(jobs.id))
            .limit(1)
            .scalar_subquery()
            .label("job_error"),
            open_jobs.scalar_subquery().label("jobs_open"),
            *pages.c,
            *sitemaps.c,
        )
        .select_from(domains)
        .outerjoin(hosts, hosts.c.host == domains.c.host)
        .join(pages, pages.c.pages_read.is_not(None))
        .join(sitemaps, sitemaps.c.sitemaps_open.is_not(None))
        .where(in_array(domains.c.id, ids), ~own.exists())
        .order_by(domains.c.domain)
    )


def _page_facts(domains: Any) -> Any:
    columns, queue = tables.pages.c, READ_PAGE
    status, error, due = columns[queue.status], columns[queue.error], columns[queue.column("due_at")]
    failed, waits = (
        status == queue.statuses.failed,
        status.in_((queue.statuses.queued, queue.statuses.processing)),
    )
    return (
        select(
            func.count().filter(status == queue.statuses.done).label("pages_read"),
            func.count().filter(waits).label("pages_open"),
            func.count().filter(failed).label("pages_failed"),
            func.count().filter(failed, error.contains(DISALLOWED)).label("pages_disallowed"),
            func.count().filter(status.is_(None)).label("pages_unread"),
            func.mode().within_group(error).filter(failed).label("page_error"),
            func.mode().within_group(error).filter(waits, error.is_not(None)).label("page_wait_error"),
            func.min(due).filter(waits).label("pages_due"),
            func.max(columns.filtered_reason).label("stop_reason"),
        )
        .where(columns.tenant_id == domains.c.tenant_id, columns.domain_id == domains.c.id)
        .lateral("p")
    )


def _sitemap_facts(domains: Any) -> Any:
    columns, queue = tables.sitemap_files.c, IMPORT_SITEMAP
    status = columns[queue.status]
    waits = status.in_((queue.statuses.queued, queue.statuses.processing))
    return (
        select(
            func.count().filter(waits).label("sitemaps_open"),
            func.count().filter(status.is_(None)).label("sitemaps_unread"),
        )
        .where(columns.tenant_id == domains.c.tenant_id, columns.domain_id == domains.c.id)
        .lateral("s")
    )
