"""Environment variables that look like misspelled settings: reported, because they change nothing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from scrapersky.settings.model import Settings

MOST_EDITS = 2
# In a name as short as HOST or PORT two letters make another word (HOME, POST).
SHORT_NAME = 8
# Set by systems and shells, never meant for us.
OF_THE_SYSTEM = frozenset({"HOME", "HOST", "HOSTS", "HOSTNAME", "PATH", "POST", "SHELL", "USER", "LOGNAME"})


def misspelled_names(names: Iterable[str]) -> list[str]:
    """One line for each name that is within two letters of a setting and is none itself."""
    settings = [name.upper() for name in Settings.model_fields]
    known = {*settings, *(f"{name}_FILE" for name in settings), *OF_THE_SYSTEM}
    return [
        f"{name} is not a setting: did you mean {near}?"
        for name in sorted(set(names) - known)
        if (near := _nearest(name.upper(), settings))
    ]


def _nearest(name: str, settings: list[str]) -> str | None:
    close = [
        (edits, setting)
        for setting in settings
        if _may_be_near(name, setting)
        and (edits := edit_distance(name, setting)) <= (1 if len(setting) < SHORT_NAME else MOST_EDITS)
    ]
    return min(close)[1] if close else None


def _may_be_near(name: str, setting: str) -> bool:
    """Quick and never wrong to refuse: two edits leave at least one of five pieces as it was."""
    if abs(len(name) - len(setting)) > MOST_EDITS:
        return False
    ends = [len(setting) * part // 5 for part in range(6)]
    return any(setting[start:end] in name for start, end in pairwise(ends))


def edit_distance(one: str, other: str) -> int:
    """Letters to add, drop, change or swap with their neighbour to make `other` of `one`."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        before, last = last, row
    return last[-1]
