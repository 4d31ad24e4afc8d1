"""Print the version."""

from __future__ import annotations

import platform

import click

from scrapersky import __version__
from scrapersky.cli.options import json_option
from scrapersky.cli.output import echo_json


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the version."""
    if as_json:
        echo_json({"version": __version__, "python": platform.python_version()})
    else:
        click.echo(f"scrapersky {__version__}")
