"""How a command runs: settings first, errors as one clear line, the right exit code, data on stdout alone."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
import orjson

from scrapersky.cli.program import tell
from scrapersky.errors import ActionError, ScraperSkyError
from scrapersky.log import redacted
from scrapersky.wording import local_time

if TYPE_CHECKING:
    from scrapersky.settings import Settings

T = TypeVar("T")
WRONG_SETTINGS, UNREACHABLE = 2, 6
EXIT_OF_STATUS = {404: 3, 409: 7, 422: 2}

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


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
    """Print a line that may hold the text of strangers."""
    click.echo(printable(str(message)), err=err)


def echo_fields(row: Mapping[str, Any], *, width: int = 28) -> None:
    """One row for people, a field a line; empty ones are left out."""
    for name, value in row.items():
        if value not in (None, [], {}, ""):
            value = local_time(value) if isinstance(value, datetime) else value
            # A line break inside a value must not look like the next field.
            echo(f"{name:<{width}} {value}".replace("\n", "\n" + " " * (width + 1)))


def fail(message: str, code: int) -> NoReturn:
    for line in redacted(message).splitlines():
        tell(printable(line))
    raise SystemExit(code)


def settings_or_exit(*, warn: bool = True, **options: Any) -> Settings:
    """The settings, with a command's options in place of some of them; warnings go to stderr."""
    from scrapersky.settings import WrongSettings, changed_settings, load_settings, settings_warnings

    try:
        settings = load_settings()
        given = {name: value for name, value in options.items() if value is not None}
        settings = changed_settings(settings, given) if given else settings
    except WrongSettings as error:
        fail(str(error), error.exit_code)
    _check_egress(settings)
    for line in [*settings_warnings(settings), *_copied(settings)] if warn else ():
        tell(f"warning: {line}")
    return settings


def _check_egress(settings: Settings) -> None:
    """Refuse settings that would send connections to nonsense or, unasked, to a private host."""
    given = {"ALERT_WEBHOOK_URL": settings.alert_webhook_url, "ALERT_SLACK_URL": settings.alert_slack_url}
    webhooks = {name: secret.get_secret_value() for name, secret in given.items() if secret is not None}
    if not (webhooks or settings.egress_allow or settings.connect_to):
        return
    from scrapersky.fetch.egress.settings_check import check_egress_settings

    if problems := check_egress_settings(settings.egress_allow, settings.connect_to, webhooks):
        fail("\n".join(problems), WRONG_SETTINGS)


def _copied(settings: Settings) -> list[str]:
    """Says once that a copied checkout does not share the data of the one it was copied from."""
    from scrapersky.embedded import default_data_folder

    if settings.database_address or settings.data_folder:
        return []
    chosen = default_data_folder()
    if chosen.copied_from is None:
        return []
    return [
        f"this checkout is a copy of {chosen.copied_from}, which keeps its data; this one has its own in "
        f"{chosen.path}"
    ]


def explained(call: Callable[[], T]) -> T:
    """Run something; what goes wrong is told in one line, with the exit code that belongs to it."""
    try:
        return call()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except ActionError as error:
        fail(str(error), EXIT_OF_STATUS.get(error.status, 1))
    except ScraperSkyError as error:
        fail(str(error), getattr(error, "exit_code", 1))
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more can be written, not even at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except Exception as error:
        from scrapersky.engine.database import is_transient

        if is_transient(error):
            fail(f"The database cannot be reached: {_why(error)}", UNREACHABLE)
        raise


def _why(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def run(main: Callable[[Settings], Awaitable[T]]) -> T:
    """Load the settings and run `main` with them in a loop of its own."""
    settings = settings_or_exit()

    async def inner() -> T:
        return await main(settings)

    return explained(lambda: asyncio.run(inner()))


def echo_json(value: Any) -> None:
    # The keys of a database row are SQLAlchemy's own kind of text.
    text = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    click.echo(_UNSAFE_IN_JSON.sub(_as_json_escape, text))


def _as_json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def echo_rows(rows: Iterable[dict[str, Any]], *, as_json: bool, columns: tuple[str, ...] = ()) -> None:
    """A list: JSON Lines for machines, an aligned table for people."""
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
