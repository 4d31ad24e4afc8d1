"""Extract contacts from stored pages, one JSON line per page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click
import orjson

from scrapersky.cli.exit_codes import PART_FAILED
from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.results import Hints
from scrapersky.log import pluralize

_KINDS = ("emails", "phones", "addresses", "socials", "people")


class _BadLine(Exception):
    """A line of the input is invalid."""


@click.command()
@click.option(
    "--in",
    "source",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON Lines that name the pages.",
)
@click.option(
    "--out",
    "target",
    required=True,
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="JSON Lines with what was found.",
)
@click.pass_context
def pages(ctx: click.Context, source: Path, target: Path) -> None:
    """Extract contacts from stored pages, one JSON line per page.

    A line is {"id", "path", "country"?, "site_domain"?, "url"?}; paths are relative to the file or to the
    working directory. An invalid line gives a line with its error, and the exit code is 5.
    """
    with source.open("rb") as lines, target.open("wb") as out:
        done, failed = _read_lines(lines, source.parent, out)
    click.echo(f"{pluralize(done, 'page')} read, {pluralize(failed, 'line')} failed", err=True)
    if failed:
        ctx.exit(PART_FAILED)


def _read_lines(lines: BinaryIO, folder: Path, out: BinaryIO) -> tuple[int, int]:
    """Read the page of every line; an invalid line affects no other."""
    done = failed = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        entry: dict[str, Any] = {}
        try:
            entry = _parse_line(line)
            record = prediction(entry["id"], _read_page_of(entry, folder))
            done += 1
        except _BadLine as error:
            record = {"id": entry.get("id"), "line": number, "error": str(error)}
            failed += 1
        out.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    return done, failed


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _BadLine(f"not JSON: {error}") from error
    if not isinstance(entry, dict):
        raise _BadLine("not a JSON object")
    for key in ("id", "path"):
        if not isinstance(entry.get(key), str) or not entry[key]:
            raise _BadLine(f'"{key}" is missing or not a text')
    for key in ("country", "site_domain", "url"):
        if entry.get(key) is not None and not isinstance(entry[key], str):
            raise _BadLine(f'"{key}" is not a text')
    country = entry.get("country")
    if country and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise _BadLine('"country" is not a two-letter code')
    return entry


def _read_page_of(entry: dict[str, Any], folder: Path) -> PageReading:
    """Read the page that a line names, with the line's hints."""
    path = folder / entry["path"]
    if not path.is_file():
        path = Path(entry["path"])
    try:
        body = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _BadLine(f"cannot read the page: {getattr(error, 'strerror', None) or error}") from error
    hints = Hints(entry.get("country") or None, entry.get("site_domain") or None, entry.get("url") or "")
    return read_page(body, hints)


def prediction(page_id: str, reading: PageReading) -> dict[str, Any]:
    """A reading as one line: plain values for scoring, and the findings whole as evidence."""
    meta = reading.metadata
    return {
        "id": page_id,
        "emails": [email.address for email in reading.emails],
        "phones": [phone.e164 for phone in reading.phones],
        "addresses": [
            {
                "text": address.text,
                "street": address.street,
                "postcode": address.postcode,
                "city": address.city,
                "country": address.country,
            }
            for address in reading.addresses
        ],
        "socials": [social.url for social in reading.socials],
        "people": [
            {"name": person.name, "role": person.role, "email": person.email, "phone": person.phone}
            for person in reading.people
        ],
        "page_type": reading.page_type.kind if reading.page_type else None,
        "meta": {
            "title": meta.title or "",
            "description": meta.meta_description or "",
            "html_lang": reading.document.lang or "",
            "wordpress": meta.is_wordpress,
            "wp_version": meta.wordpress_version,
            "elementor": meta.has_elementor,
            "elementor_version": meta.elementor_version,
            "favicon": meta.favicon_url,
        },
        "country": reading.country,
        "truncated": reading.truncated,
        "evidence": {kind: [asdict(finding) for finding in getattr(reading, kind)] for kind in _KINDS},
        "refused_emails": [asdict(refused) for refused in reading.refused_emails],
    }
