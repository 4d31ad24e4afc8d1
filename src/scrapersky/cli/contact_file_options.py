"""Options of commands that write files of contacts; the format follows from the name of the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import all_options
from scrapersky.errors import DestinationError

if TYPE_CHECKING:
    from scrapersky.destinations import contact_file, contact_format
    from scrapersky.destinations.contact_format import ExportOptions, FileFormat
else:
    contact_file = lazy_module("scrapersky.destinations.contact_file")
    contact_format = lazy_module("scrapersky.destinations.contact_format")

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}

csv_options = all_options(
    click.option(
        "--excel",
        is_flag=True,
        help="CSV that Excel opens as it is: a byte order mark, phone numbers as text.",
    ),
    click.option(
        "--separator",
        type=click.Choice(list(SEPARATORS)),
        default="comma",
        show_default=True,
        help="Separator of CSV cells; Excel expects the semicolon in many countries.",
    ),
)


def check_file_style(
    output: Path | None,
    *,
    chosen: FileFormat | None = None,
    excel: bool = False,
    separator: str = "comma",
    formula_safe: bool = True,
) -> ExportOptions:
    """How the file will be written; a usage error when its name or folder is unsuitable."""
    try:
        form = contact_file.detect_format(output, chosen)
        if output is not None:
            contact_file.check_output(output)
    except DestinationError as error:
        raise click.BadParameter(str(error), param_hint="'-o' / '--output'") from None
    if form != "csv" and (excel or separator != "comma"):
        raise click.UsageError("--excel and --separator are for CSV.")
    return contact_format.ExportOptions(form, formula_safe, excel, SEPARATORS[separator])
