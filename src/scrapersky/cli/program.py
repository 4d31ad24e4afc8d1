"""The program's name as it can be typed here: texts say `scrapersky …`, people see what works for them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click

from scrapersky import checkout
from scrapersky.cli.lazy import LazyGroup

NAME = "scrapersky"
COMPLETING = "_SCRAPERSKY_COMPLETE"
COMMAND = re.compile(r"(?<![\w./-])scrapersky (?=[a-z])")


@cache
def program() -> str:
    """`scrapersky` where the shell finds this very copy under that name, else the path of its command."""
    installed = Path(sys.prefix) / "bin" / NAME
    place = checkout()
    own = place / NAME if place and (place / NAME).is_file() else installed
    on_path = shutil.which(NAME)
    if not own.is_file() or (
        on_path and os.path.realpath(on_path) in map(os.path.realpath, (own, installed))
    ):
        return NAME
    return f"./{NAME}" if own.parent == Path.cwd() else shlex.quote(str(own))


def with_program_name(text: str) -> str:
    """The text with every command in it as it can be typed here."""
    return COMMAND.sub(lambda _: f"{program()} ", text)


class Formatter(click.HelpFormatter):
    """Help whose examples can be copied."""

    def write_text(self, text: str) -> None:
        super().write_text(with_program_name(text))


class Program(LazyGroup):
    """The whole command line, called by the name that works here."""

    def main(self, args: Any = None, prog_name: str | None = None, **more: Any) -> Any:  # type: ignore[override]
        click.Context.formatter_class = Formatter
        # Completion scripts need the plain name: shells look a path up by its last part.
        chosen = prog_name or (NAME if os.environ.get(COMPLETING) else program())
        return super().main(args, prog_name=chosen, complete_var=COMPLETING, **more)
