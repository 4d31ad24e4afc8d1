"""Live progress on stderr: one line that changes on a terminal, one line every ten seconds elsewhere."""

from __future__ import annotations

import shutil
import sys
from time import monotonic

import click

EVERY_SECONDS = 10.0


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
        parts = [_told(name, one) for name, one in counts.items() if any(one.values())]
        line = f"{seconds:5.0f} s  " + "  ".join(parts)
        if not self._live:
            click.echo(line, err=True)
            return
        width = shutil.get_terminal_size((110, 24)).columns - 1
        click.echo("\r" + line[:width].ljust(self._width), err=True, nl=False)
        self._width = min(len(line), width)

    def say(self, line: str) -> None:
        """A line of its own, at once, whatever else is shown."""
        self.end()
        self._width = 0
        click.echo(line, err=True)

    def end(self) -> None:
        if self._live and self._width:
            click.echo("", err=True)


def _told(name: str, one: dict[str, int]) -> str:
    text = f"{name} {one.get('done', 0)}"
    if one.get("open"):
        text += f"+{one['open']}"
    return text + (f" ({one['failed']} failed)" if one.get("failed") else "")
