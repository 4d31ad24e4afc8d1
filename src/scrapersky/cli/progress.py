"""Live progress on stderr: one line that changes on a terminal, one line every ten seconds elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky.queries.progress import StageProgress

Counts = Mapping[str, "StageProgress"]

INTERVAL_SECONDS = 10.0
# The stage that finds the contacts takes most of the time, so it is always shown.
MAIN_STAGE = "read_page"


class ProgressDisplay:
    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._last = -INTERVAL_SECONDS
        self._width = 0

    def show(self, counts: Counts, seconds: float) -> None:
        if self._quiet or (not self._live and monotonic() - self._last < INTERVAL_SECONDS):
            return
        self._last = monotonic()
        if not self._live:
            click.echo(progress_line(counts, seconds), err=True)
            return
        width = shutil.get_terminal_size((110, 24)).columns - 1
        line = progress_line(counts, seconds, width)
        click.echo("\r" + line.ljust(min(self._width, width)), err=True, nl=False)
        self._width = len(line)

    def interrupt(self, line: str) -> None:
        """Print a line of its own at once, between two of progress."""
        self.end()
        self._width = 0
        click.echo(line, err=True)

    def end(self) -> None:
        if self._live and self._width:
            click.echo("", err=True)


def progress_line(counts: Counts, seconds: float, width: int | None = None) -> str:
    """What each stage has done and has left; where it is too long, finished stages are dropped first."""
    parts = {name: _stage_part(name, stage) for name, stage in counts.items() if not stage.is_empty}
    finished = [name for name in parts if not counts[name].open]
    droppable = [name for name in (*finished, *parts) if name != MAIN_STAGE]
    elapsed = f"{seconds:5.0f} s  "
    line = elapsed + "  ".join(parts.values())
    while width is not None and len(line) > width and droppable and len(parts) > 1:
        parts.pop(droppable.pop(0), None)
        line = f"{elapsed}…  " + "  ".join(parts.values())
    return line if width is None else line[:width]


def _stage_part(name: str, stage: StageProgress) -> str:
    text = f"{name} {stage.done}"
    if stage.open:
        text += f"+{stage.open}"
    return text + (f" ({stage.failed} failed)" if stage.failed else "")


def result_line(summary: Mapping[str, Any], output: Path | None) -> str:
    """The result of a run in one sentence; contacts are counted as they are listed and written."""
    parts = [pluralize(summary["contacts"], "contact"), f"{pluralize(summary['pages'], 'page')} read"]
    if summary["later"]:
        parts.append(f"{pluralize(summary['later'], 'row')} to be tried later")
    line = ", ".join(parts) + f" in {summary['seconds']} s"
    if output:
        line += f"; written to {output}"
    if summary["boilerplate"]:
        shared = pluralize(summary["boilerplate"], "contact")
        line += f"; not counted: {shared} shared by many sites (boilerplate)"
    return line
