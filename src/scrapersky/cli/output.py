"""What commands print: data on stdout alone, messages on stderr, nothing that a terminal would obey."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NoReturn

import click
import orjson

from scrapersky.cli.program import with_program_name
from scrapersky.log import redact

# Control characters that JSON lets through, and marks that turn the direction of text.
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """The text with everything that a terminal would obey or hide written out, such as \\x1b or \\u202e."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _written_out(c) for c in text)


def _written_out(c: str) -> str:
    return " " if unicodedata.category(c) == "Zs" else c.encode("unicode_escape").decode()


def echo(message: object = "", *, err: bool = False) -> None:
    """Print a line that may hold text from the web."""
    click.echo(printable(str(message)), err=err)


def echo_message(text: str) -> None:
    """Print a line on stderr; commands in it can be typed as they stand."""
    echo(with_program_name(text), err=True)


def echo_fields(row: Mapping[str, Any], *, width: int = 28) -> None:
    """One row, one field per line; empty fields are left out."""
    for name, value in row.items():
        if value not in (None, [], {}, ""):
            value = local_time(value) if isinstance(value, datetime) else value
            if isinstance(value, list) and all(isinstance(part, str) for part in value):
                value = "\n".join(value)
            # A line break inside a value must not look like the next field.
            echo(f"{name:<{width}} {value}".replace("\n", "\n" + " " * (width + 1)))


def fail(message: str, code: int) -> NoReturn:
    """Print an error and end the program with this exit code."""
    for line in redact(message).splitlines():
        echo_message(line)
    raise SystemExit(code)


def echo_json(value: Any) -> None:
    # The keys of a database row are SQLAlchemy's own kind of text.
    text = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    click.echo(_UNSAFE_IN_JSON.sub(_as_json_escape, text))


def _as_json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def echo_rows(rows: Iterable[dict[str, Any]], *, as_json: bool, columns: tuple[str, ...] = ()) -> None:
    """Rows as JSON Lines or as an aligned table."""
    listed = list(rows)
    if as_json:
        for row in listed:
            echo_json(row)
        return
    if not listed:
        click.echo("none", err=True)
        return
    names = columns or tuple(listed[0])
    cells = [[_cell(row.get(name)) for name in names] for row in listed]
    widths = [max([len(name), *(len(line[i]) for line in cells)]) for i, name in enumerate(names)]
    for line in [list(names), *cells]:
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return local_time(value)
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else " " for c in text)[:60]


def local_time(moment: datetime) -> str:
    """A moment in the time zone of this machine, with its name."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %Z}"
