"""What a benchmark measured, as a table, and docs/results.md, where the newest results stand first."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results.md"
HEADER = """# Results

Written by `make bench` and `make quality ARGS=--keep`, newest first, with date, machine and command; never
edited by hand. Figures of different runs come from machines in different moods: compare ratios within a run.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; a value of None says that it could not be measured, and `note` says why."""

    what: str
    who: str
    value: float | str | None
    unit: str = ""
    note: str = ""


def keep(
    part: str, rows: Sequence[Row], argv: Sequence[str], *, target: str = "bench", command: str = ""
) -> None:
    """Put the results of one run on top of docs/results.md."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    shown_command = command or make_command(part, argv, target)
    section = f"## {part}, {now}\n\n`{shown_command}` · {machine()}\n\n{table(rows)}\n"
    before = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else HEADER
    older = before[before.index("\n## ") + 1 :] if "\n## " in before else ""
    PAGE.write_text(f"{HEADER}\n{section}\n{older}".rstrip() + "\n", encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    lines = ["| What | Who | Value | Unit | Note |", "|---|---|--:|---|---|"]
    lines += [f"| {row.what} | {row.who} | {shown(row.value)} | {row.unit} | {row.note} |" for row in rows]
    return "\n".join(lines)


def shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def make_command(part: str, argv: Sequence[str], target: str) -> str:
    arguments = [part, "--", *argv] if argv else [part]
    return f'make {target} ARGS="{shlex.join(arguments)}"'


def machine() -> str:
    """The machine in one line: cores, processor, system, Python, and the commit that was measured."""
    cores = len(os.sched_getaffinity(0))
    asked = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    commit = asked.stdout.strip() or "no commit"
    return f"{cores} cores, {processor()}, {system()}, Python {platform.python_version()}, {commit}"


def system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
