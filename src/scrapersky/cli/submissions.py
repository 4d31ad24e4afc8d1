"""The verb `add`: domains, sitemaps and pages from arguments, a file or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.exit_codes import INVALID_USAGE, PART_FAILED
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import encoding_option
from scrapersky.cli.output import echo, echo_json, echo_rows

if TYPE_CHECKING:
    from scrapersky import database
    from scrapersky.actions import submission_input, submissions
    from scrapersky.actions.submission_input import Submission
    from scrapersky.cli import runtime
    from scrapersky.settings import Settings
else:
    submission_input = lazy_module("scrapersky.actions.submission_input")
    submissions = lazy_module("scrapersky.actions.submissions")
    runtime = lazy_module("scrapersky.cli.runtime")
    database = lazy_module("scrapersky.database")

CHUNK_BYTES = 1 << 16
NOTES_SHOWN = 10
LINES_SHOWN = 20


def add_verb(group: click.Group, kind: str) -> None:
    """Give the group of one kind of row the verb `add`."""

    @command(group)
    @click.argument("items", nargs=-1)
    @click.option(
        "--file", "file", type=click.Path(dir_okay=False, allow_dash=True), help="CSV, or one per line."
    )
    @click.option("--column", default="", help="Column of the file: a heading, or a number from 1.")
    @encoding_option
    @click.option("--dry-run", is_flag=True, help="Show how the file would be read; store nothing.")
    @click.option(
        "--queue/--no-queue", default=True, show_default=True, help="Process the rows, or only store them."
    )
    async def add(
        settings: Settings,
        items: tuple[str, ...],
        file: str | None,
        column: str,
        encoding: str,
        dry_run: bool,
        queue: bool,
        as_json: bool,
    ) -> int:
        """Add rows, one per line; each is new, known or invalid. `-` reads standard input."""
        source = "-" if items == ("-",) else file
        if bool(source) == bool(items and items != ("-",)):
            raise click.UsageError("Pass items, --file FILE, or - for standard input.")
        if (column or dry_run or encoding) and not source:
            raise click.UsageError("--column, --encoding and --dry-run are for files.")
        if source and dry_run:
            _print_preview(kind, source, column, encoding, as_json=as_json)
            return 0
        async with database.open_database(settings) as engine:
            actor = await runtime.current_actor(settings, engine)
            if source:
                options = submissions.SubmissionOptions(auto_queue=queue, lead_source=submissions.IMPORTED)
                submission = await submissions.import_csv(
                    engine, actor, kind, file_chunks(source), options, column=column, encoding=encoding
                )
            else:
                options = submissions.SubmissionOptions(auto_queue=queue)
                submit = {
                    "domain": submissions.submit_domains,
                    "sitemap": submissions.submit_sitemaps,
                    "page": submissions.submit_pages,
                }[kind]
                submission = await submit(engine, actor, items, options)
        return _print_submission(submission, as_json=as_json)


def file_chunks(path: str) -> Iterator[bytes]:
    """The bytes of a file, or of standard input."""
    if path == "-":
        yield from iter(lambda: sys.stdin.buffer.read(CHUNK_BYTES), b"")
        return
    try:
        with Path(path).open("rb") as file:
            yield from iter(lambda: file.read(CHUNK_BYTES), b"")
    except OSError as error:
        raise click.FileError(path, error.strerror) from None


def _print_preview(kind: str, source: str, column: str, encoding: str, *, as_json: bool) -> None:
    """How the file would be read, and its first lines."""
    preview = submissions.preview_csv(kind, file_chunks(source), column=column, encoding=encoding)
    columns = ", ".join(preview.mapping.values())
    echo(f"{preview.assumed}, separated by {preview.delimiter!r}, read from {columns}", err=True)
    lines = [
        {"line": line.number, "value": submission_input.display_value(line.text), "reason": line.problem}
        for line in preview.lines
    ]
    echo_rows(lines, as_json=as_json)
    print_notes(preview.notes)


def print_notes(notes: list[tuple[int, str]]) -> None:
    """Lines of a file that were skipped or read with replacements; the first few."""
    for number, note in sorted(notes)[:NOTES_SHOWN]:
        echo(f"line {number}: {note}", err=True)
    if len(notes) > NOTES_SHOWN:
        echo(f"... and {len(notes) - NOTES_SHOWN} more such lines", err=True)


def _print_submission(submission: Submission, *, as_json: bool) -> int:
    """Every line as JSON; as a table all of a few lines, else the bad ones. Gives the exit code."""
    if as_json:
        for line in submission.lines:
            echo_json(line.as_dict())
    else:
        _print_lines(submission)
    print_notes(submission.notes)
    counts = submission.counts
    words = [f"{counts[word]} {word}" for word in ("new", "known", "invalid", "platform") if counts[word]]
    echo(f"{', '.join(words) or 'no lines'}; {counts['queued']} queued", err=True)
    bad = counts["invalid"] + counts["platform"]
    return 0 if not bad else INVALID_USAGE if bad == counts["lines"] else PART_FAILED


def _print_lines(submission: Submission) -> None:
    lines = submission.lines
    if len(lines) > LINES_SHOWN:
        lines = [line for line in lines if line.status in ("invalid", "platform")]
    if lines:
        rows = [
            {"line": line.number, "value": line.value, "status": line.status, "reason": line.reason}
            for line in lines
        ]
        echo_rows(rows, as_json=False)
    if submission.mapping:
        columns = ", ".join(submission.mapping.values())
        echo(f"read from {columns}, as {submission.encoding}", err=True)
