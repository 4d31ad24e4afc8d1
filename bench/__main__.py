"""Runs the parts of the benchmark that are named, or all of them, and keeps what they measured.

A part is a module of this folder with

    def main(argv: list[str]) -> list[bench.results.Row]

`argv` is what stands after `--` on the command line. Each row says what was measured, on whom, and the
figure: `Row(what="drain, 2 processes", who="ours", value=22000, unit="items/s", note="median of 3")`. A
ratio is a row too (unit "x"). Peers are measured in the same run, interleaved with ours; a peer that is not
installed is a row with the value None and a note, never a guess. A part prints its progress and keeps no
file of its own.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

from bench.results import keep, table

PARTS = (
    "engine",
    "extraction",
    "sitemaps",
    "imports",
    "operations",
    "lists",
    "quotas",
    "console",
    "crawl",
    "overture",
)


def main(arguments: list[str]) -> int:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    named, rest = arguments[:cut], arguments[cut + 1 :]
    unknown = [part for part in named if part not in PARTS]
    if unknown:
        print(f"No such part: {', '.join(unknown)}. There are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    failed = [part for part in named or PARTS if not run(part, rest, required=bool(named))]
    return 1 if failed else 0


def run(part: str, argv: list[str], *, required: bool) -> bool:
    if importlib.util.find_spec(f"bench.{part}") is None:
        print(f"{part}: there is no bench/{part}.py yet", file=sys.stderr)
        return not required
    rows = importlib.import_module(f"bench.{part}").main(argv)
    print(table(rows))
    keep(part, rows, argv)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
