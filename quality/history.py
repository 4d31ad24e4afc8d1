"""The figures of every run that was kept, read back from docs/results.md."""

from __future__ import annotations

import re

from quality.tables import NOTHING, table

_RUN = re.compile(r"^## quality, (?P<day>\S+) (?P<time>\S+) UTC\n(?P<body>.*?)(?=^## |\Z)", re.M | re.S)
_ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<who>[^|]+) \| (?P<value>[\d.]+) \|", re.M)
_PAGES = "shared labelled pages"
# The columns, and the row of a run that each shows.
COLUMNS = {
    **{
        name: (f"{name.lower()}, F1", _PAGES)
        for name in ("Emails", "Phones", "Addresses", "Socials", "People")
    },
    "Hidden": ("hidden emails, F1", _PAGES),
    "Role": ("role", _PAGES),
    "Bound": ("bound", _PAGES),
    "Phones, no hints": ("phones, F1", f"{_PAGES}, no hints"),
    "Addresses, no hints": ("addresses, F1", f"{_PAGES}, no hints"),
    "URLs": ("type of URL", _PAGES),
    "Formats": ("address formats", _PAGES),
}


def render(results: str) -> str:
    """A table with a row for each run, the newest first, of the text of docs/results.md."""
    rows = []
    for run in _RUN.finditer(results):
        values = {(row["what"], row["who"]): float(row["value"]) for row in _ROW.finditer(run["body"])}
        cells = (values.get(key) for key in COLUMNS.values())
        shown = (NOTHING if cell is None else f"{cell:.3f}" for cell in cells)
        rows.append((f"{run['day']} {run['time']}", *shown))
    return table(("Run (UTC)", *COLUMNS), rows)
