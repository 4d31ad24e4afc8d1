"""From domains to contacts: submits them, runs the pipeline here, prints what it found and why not more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.lead_score import score_leads
from scrapersky.actions.resumption import resume_domains
from scrapersky.actions.submission_input import LineResult, Submission
from scrapersky.actions.submissions import submit_domains
from scrapersky.cli.exit_codes import FAILED, INTERRUPTED, PART_FAILED
from scrapersky.cli.output import echo, echo_json, echo_message, echo_rows
from scrapersky.cli.progress import ProgressDisplay, result_line
from scrapersky.cli.runtime import current_actor
from scrapersky.database import open_database
from scrapersky.declarations.stages import AUTO_PAGE_READING, AUTO_SITEMAP_ANALYSIS, SITEMAP_AUTO_IMPORT
from scrapersky.destinations.contact_file import write_contacts
from scrapersky.destinations.contact_format import ExportOptions
from scrapersky.errors import InvalidInput
from scrapersky.log import pluralize
from scrapersky.processes.pipeline_run import RunProgress, follow, interactive_settings, running_pipeline
from scrapersky.processes.shutdown import announced_shutdown
from scrapersky.queries import ProgressQuery
from scrapersky.queries.contacts import ContactQuery, own_contacts
from scrapersky.queries.explanations import DomainExplanation, ExplanationQuery, Gates
from scrapersky.settings import Settings
from scrapersky.wiring import build_log, open_gates, open_rechecks

REASONS_SHOWN = 20
COLUMNS = ("domain", "email", "phone_number", "name", "job_title", "source_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindOptions:
    timeout_seconds: float
    output: Path | None
    style: ExportOptions
    as_json: bool
    quiet: bool


async def find(
    settings: Settings,
    lines: Sequence[str],
    options: FindOptions,
    stop: asyncio.Event,
    force: asyncio.Event,
) -> int:
    """Find the contacts of the domains on these lines; gives the exit code."""
    settings = interactive_settings(settings)
    display = ProgressDisplay(quiet=options.quiet or options.as_json)
    shutdown = announced_shutdown(stop, display.interrupt, settings.shutdown_grace_seconds)
    async with shutdown as workers, open_database(settings, migrated=True) as engine:
        actor = await current_actor(settings, engine)
        submission = await submit_domains(engine, actor, lines)
        ids = _domain_ids(submission)
        await resume_domains(engine, actor, ids)

        progress, queries = RunProgress(), ProgressQuery(engine)
        # What became of single rows is explained at the end; errors of the engine itself are logged.
        log = build_log(settings, exclude=("item_processed",))
        async with running_pipeline(settings, engine, log, force=force) as pipeline:
            workers.append(pipeline.worker)
            async for progress in follow(
                pipeline, lambda: queries.of_domains(ids), stop, timeout_seconds=options.timeout_seconds
            ):
                display.show(progress.counts, progress.seconds)

        await score_leads(engine)
        explanations = await _explain_domains(engine, settings, ids, progress)
        stream = ContactQuery(engine).stream(actor.tenant_id, domain_ids=ids)
        contacts, boilerplate = own_contacts([contact async for contact in stream])
        async with open_rechecks(settings) as rechecks:
            contacts = await rechecks.refresh(engine, actor.tenant_id, contacts)
    if options.output:
        await asyncio.to_thread(write_contacts, options.output, contacts, options.style)
    display.end()
    summary = _summary(ids, contacts, boilerplate, progress)
    if options.as_json:
        _print_json(contacts, summary, progress, explanations)
    else:
        _print_table(contacts, summary, progress, explanations, options.output)
    return _exit_code(submission, summary, progress)


def _domain_ids(submission: Submission) -> list[UUID]:
    """The domains of the run; lines that are none are explained at once."""
    for line in _rejected(submission):
        echo(f"line {line.number}: {line.value}: {line.reason}", err=True)
    if not submission.ids:
        raise InvalidInput("None of the lines is a domain.")
    return submission.ids


def _rejected(submission: Submission) -> list[LineResult]:
    return [line for line in submission.lines if line.id is None and line.status != "known"]


async def _explain_domains(
    engine: AsyncEngine, settings: Settings, ids: Sequence[UUID], progress: RunProgress
) -> list[DomainExplanation]:
    """Why domains gave no contacts."""
    is_open = open_gates(settings)
    gates = Gates(
        sitemap_analysis=AUTO_SITEMAP_ANALYSIS.setting in is_open,
        sitemap_import=SITEMAP_AUTO_IMPORT.setting in is_open,
        page_reading=AUTO_PAGE_READING.setting in is_open,
    )
    ended = "interrupted" if progress.interrupted else "timed_out" if progress.timed_out else ""
    return await ExplanationQuery(engine).without_contacts(ids, ended=ended, gates=gates)


def _summary(
    ids: Sequence[UUID], contacts: list[dict[str, Any]], boilerplate: int, progress: RunProgress
) -> dict[str, Any]:
    return {
        "domains": len(ids),
        "with_contacts": len({contact["domain"] for contact in contacts}),
        "contacts": len(contacts),
        "boilerplate": boilerplate,
        "pages": progress.done("read_page"),
        "later": progress.later,
        "seconds": round(progress.seconds, 1),
    }


def _print_json(
    contacts: list[dict[str, Any]],
    summary: dict[str, Any],
    progress: RunProgress,
    explanations: list[DomainExplanation],
) -> None:
    for contact in contacts:
        echo_json(contact)
    ended = {"interrupted": progress.interrupted, "timed_out": progress.timed_out}
    echo_json(summary | ended | {"without_contacts": [domain.as_dict() for domain in explanations]})


def _print_table(
    contacts: list[dict[str, Any]],
    summary: dict[str, Any],
    progress: RunProgress,
    explanations: list[DomainExplanation],
    output: Path | None,
) -> None:
    if contacts:
        echo_rows(contacts, as_json=False, columns=COLUMNS)
    for domain in explanations[:REASONS_SHOWN]:
        echo_message(f"{domain.domain}: {domain.explanation}")
    if len(explanations) > REASONS_SHOWN:
        echo(f"... and {len(explanations) - REASONS_SHOWN} more without contacts", err=True)
    if progress.timed_out:
        echo("The time limit was reached. Run the same command to resume.", err=True)
    domains = f"{pluralize(summary['domains'], 'domain')}, {summary['with_contacts']} with contacts"
    echo(f"{domains}; {result_line(summary, output)}", err=True)


def _exit_code(submission: Submission, summary: dict[str, Any], progress: RunProgress) -> int:
    if progress.interrupted:
        return INTERRUPTED
    if not summary["contacts"]:
        return FAILED
    complete = summary["with_contacts"] == summary["domains"] and not _rejected(submission)
    return 0 if complete and not progress.timed_out else PART_FAILED
