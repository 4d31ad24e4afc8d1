"""Options for files of contacts: the format by the name of the file, checked before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from scrapersky.destinations.contact_format import ExportOptions, FileFormat

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
    chosen: FileFormat | None = None,
    excel: bool = False,
    separator: str = "comma",
    formula_safe: bool = True,
) -> ExportOptions:
    """How the file is written; a usage error when its name or place will not do."""
    from scrapersky.destinations.contact_file import check_output, detect_format
    from scrapersky.destinations.contact_format import ExportOptions
    from scrapersky.errors import DestinationError

    try:
        form = detect_format(output, chosen)
        if output is not None:
            check_output(output)
    except DestinationError as error:
        raise click.BadParameter(str(error), param_hint="'-o' / '--output'") from None
    if form != "csv" and (excel or separator != "comma"):
        raise click.UsageError("--excel and --separator are for CSV.")
    return ExportOptions(form, formula_safe, excel, SEPARATORS[separator])
