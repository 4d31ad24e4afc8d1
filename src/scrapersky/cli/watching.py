"""Live progress on stderr: one line that changes on a terminal, one line every ten seconds elsewhere."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import click

from scrapersky.wording import counted

EVERY_SECONDS = 10.0
# The stage that brings the contacts, which most of the time is spent on.
MATTERS = "read_page"


class Watcher:
    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._last = -EVERY_SECONDS
        self._width = 0

    def show(self, counts: dict[str, dict[str, int]], seconds: float) -> None:
        if self._quiet or (not self._live and monotonic() - self._last < EVERY_SECONDS):
            return
        self._last = monotonic()
        if not self._live:
            click.echo(progress_line(counts, seconds), err=True)
            return
        width = shutil.get_terminal_size((110, 24)).columns - 1
        line = progress_line(counts, seconds, width)
        click.echo("\r" + line.ljust(min(self._width, width)), err=True, nl=False)
        self._width = len(line)

    def say(self, line: str) -> None:
        """A line of its own, at once, whatever else is shown."""
        self.end()
        self._width = 0
        click.echo(line, err=True)

    def end(self) -> None:
        if self._live and self._width:
            click.echo("", err=True)


def progress_line(counts: dict[str, dict[str, int]], seconds: float, width: int | None = None) -> str:
    """What each stage did and has left. Where it is too long, stages that are through are left out first."""
    kept = {name: _told(name, one) for name, one in counts.items() if any(one.values())}
    through = [name for name in kept if not counts[name].get("open")]
    spare = [name for name in (*through, *kept) if name != MATTERS]
    head = f"{seconds:5.0f} s  "
    line = head + "  ".join(kept.values())
    while width is not None and len(line) > width and spare and len(kept) > 1:
        kept.pop(spare.pop(0), None)
        line = f"{head}…  " + "  ".join(kept.values())
    return line if width is None else line[:width]


def result_line(summary: dict[str, Any], output: Path | None) -> str:
    """What a run came to, in one sentence; contacts are counted as they are listed and written."""
    told = [counted(summary["contacts"], "contact"), f"{counted(summary['pages'], 'page')} read"]
    if summary["later"]:
        told.append(f"{counted(summary['later'], 'row')} to be tried later")
    line = ", ".join(told) + f" in {summary['seconds']} s"
    if output:
        line += f"; written to {output}"
    if summary["boilerplate"]:
        line += (
            f"; not counted: {counted(summary['boilerplate'], 'contact')} shared by many sites (boilerplate)"
        )
    return line


def _told(name: str, one: dict[str, int]) -> str:
    text = f"{name} {one.get('done', 0)}"
    if one.get("open"):
        text += f"+{one['open']}"
    return text + (f" ({one['failed']} failed)" if one.get("failed") else "")
