"""Options for files of contacts: the format by the name of the file, checked before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from scrapersky.destinations.contact_files import FileStyle
    from scrapersky.destinations.writing import Format

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}

excel_option = click.option(
    "--excel", is_flag=True, help="CSV that Excel opens as it is: a byte order mark, phone numbers as text."
)
separator_option = click.option(
    "--separator",
    type=click.Choice(list(SEPARATORS)),
    default="comma",
    show_default=True,
    help="Between the cells of CSV; Excel expects the semicolon in many countries.",
)


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that writes CSV."""
    return excel_option(separator_option(command))


def style_of(
    output: Path | None,
    *,
    chosen: Format | None = None,
    excel: bool = False,
    separator: str = "comma",
    formula_safe: bool = True,
) -> FileStyle:
    """How the file is written; a usage error when its name or place will not do."""
    from scrapersky.destinations.contact_files import FileStyle, check_output, format_of
    from scrapersky.errors import DestinationError

    try:
        form = format_of(output, chosen)
        if output is not None:
            check_output(output)
    except DestinationError as error:
        raise click.BadParameter(str(error), param_hint="'-o' / '--output'") from None
    if form != "csv" and (excel or separator != "comma"):
        raise click.UsageError("--excel and --separator are for CSV.")
    return FileStyle(form, formula_safe, excel, SEPARATORS[separator])
