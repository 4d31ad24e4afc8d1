"""`add`: domains, sitemaps and pages from arguments, a file or standard input; an answer for every line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.changing import who_of
from scrapersky.cli.running import echo, echo_json, echo_rows, explained, json_option, run

if TYPE_CHECKING:
    from scrapersky.actions.submission_input import Submission
    from scrapersky.settings import Settings

INVALID, PART_FAILED = 2, 5
READ_AT_ONCE = 1 << 16
NOTES_SHOWN = 10


encoding_option = click.option(
    "--encoding", default="", help="Encoding of the file, such as cp1250 or shift_jis [default: guessed]."
)


def add_command(kind: str) -> click.Command:
    """The command that adds rows of one kind."""

    @click.command("add")
    @click.argument("items", nargs=-1)
    @click.option(
        "--file", "file", type=click.Path(dir_okay=False, allow_dash=True), help="CSV or one per line."
    )
    @click.option("--column", default="", help="Where they stand in the file: a heading, or a number from 1.")
    @encoding_option
    @click.option("--preview", is_flag=True, help="Show how the file would be read; store nothing.")
    @click.option(
        "--queue/--no-queue", default=True, show_default=True, help="Process them, or only store them."
    )
    @json_option
    def add(
        items: tuple[str, ...],
        file: str | None,
        column: str,
        encoding: str,
        preview: bool,
        queue: bool,
        as_json: bool,
    ) -> None:
        """Add rows; says new, known or invalid for each line. `-` reads standard input."""
        source = "-" if items == ("-",) else file
        if bool(source) == bool(items and items != ("-",)):
            raise click.UsageError("Give items, or --file, or - for standard input.")
        if (column or preview or encoding) and not source:
            raise click.UsageError("--column, --encoding and --preview are for files.")
        if source and preview:
            tell_preview(kind, source, column, encoding, as_json=as_json)
            return

        async def main(settings: Settings) -> Submission:
            from scrapersky.actions import submissions
            from scrapersky.database import open_database

            submit = {
                "domain": submissions.submit_domains,
                "sitemap": submissions.submit_sitemaps,
                "page": submissions.submit_pages,
            }[kind]
            who = who_of(settings)
            async with open_database(settings) as engine:
                if source:
                    options = submissions.SubmissionOptions(
                        auto_queue=queue, lead_source=submissions.IMPORTED
                    )
                    chunks = file_chunks(source)
                    return await submissions.import_csv(
                        engine, who, kind, chunks, options, column=column, encoding=encoding
                    )
                return await submit(engine, who, items, submissions.SubmissionOptions(auto_queue=queue))

        tell_submission(run(main), as_json=as_json)

    return add


def file_chunks(path: str) -> Iterator[bytes]:
    """The bytes of a file, or of standard input."""
    if path == "-":
        yield from iter(lambda: sys.stdin.buffer.read(READ_AT_ONCE), b"")
        return
    try:
        with Path(path).open("rb") as file:
            yield from iter(lambda: file.read(READ_AT_ONCE), b"")
    except OSError as error:
        raise click.FileError(path, error.strerror) from None


def tell_preview(kind: str, source: str, column: str, encoding: str, *, as_json: bool) -> None:
    """How the file would be read, and its first lines; no database is needed."""
    from scrapersky.actions.submission_input import shown
    from scrapersky.actions.submissions import preview_csv

    preview = explained(lambda: preview_csv(kind, file_chunks(source), column=column, encoding=encoding))
    read_from = ", ".join(preview.mapping.values())
    echo(f"{preview.assumed}, divided by {preview.delimiter!r}, read from {read_from}", err=True)
    lines = [{"line": one.number, "value": shown(one.text), "reason": one.problem} for one in preview.lines]
    echo_rows(lines, as_json=as_json)
    tell_notes(preview.notes)


def tell_notes(notes: list[tuple[int, str]]) -> None:
    """Lines of a file that were passed over or read with replacements; the first few."""
    for number, note in sorted(notes)[:NOTES_SHOWN]:
        echo(f"line {number}: {note}", err=True)
    if len(notes) > NOTES_SHOWN:
        click.echo(f"... and {len(notes) - NOTES_SHOWN} more such lines", err=True)


def tell_submission(submission: Submission, *, as_json: bool) -> None:
    """Every line for machines; for people the bad ones and the counts. Nothing good at all is an error."""
    counts = submission.counts
    if as_json:
        for line in submission.lines:
            echo_json(line.as_dict())
    else:
        few = submission.lines if len(submission.lines) <= 20 else [
            line for line in submission.lines if line.status in ("invalid", "platform")
        ]  # fmt: skip
        rows = [
            {"line": one.number, "value": one.value, "status": one.status, "reason": one.reason}
            for one in few
        ]
        if rows:
            echo_rows(rows, as_json=False)
        if submission.mapping:
            echo(f"read from {', '.join(submission.mapping.values())}, as {submission.encoding}", err=True)
    tell_notes(submission.notes)
    told = ", ".join(
        f"{counts[word]} {word}" for word in ("new", "known", "invalid", "platform") if counts[word]
    )
    click.echo(f"{told or 'nothing given'}; {counts['queued']} queued", err=True)
    bad = counts["invalid"] + counts["platform"]
    if bad:
        raise SystemExit(INVALID if bad == counts["lines"] else PART_FAILED)
