"""Environment variables that look like misspelled settings: reported, because they change nothing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from scrapersky.declarations import DECLARATIONS
from scrapersky.settings.model import Settings

MAX_EDITS = 2
# In a name as short as HOST or PORT two letters make another word (HOME, POST).
SHORT_NAME = 8
_PREFIXES = [stage.compat.settings_prefix for stage in DECLARATIONS]
# Settings that had another name in development versions: the hint names the new one.
RENAMED = {
    "BATCH_FLOOR_ROWS": "MIN_BATCH_ROWS",
    "CIRCUIT_REST_SECONDS": "CIRCUIT_OPEN_SECONDS",
    "CRAWL_DELAY_CAP_SECONDS": "MAX_CRAWL_DELAY_SECONDS",
    "DISK_FREE_LEAST_MIB": "MIN_FREE_DISK_MIB",
    "DISK_FREE_LEAST_PERCENT": "MIN_FREE_DISK_PERCENT",
    "FETCH_CONNECTIONS": "FETCH_MAX_CONNECTIONS",
    "FETCH_REDIRECTS": "FETCH_MAX_REDIRECTS",
    "FINISH_MILLISECONDS": "WRITE_DELAY_MILLISECONDS",
    "FINISH_ROWS": "WRITE_BATCH_ROWS",
    "FRUITLESS_PAGES": "STOP_AFTER_EMPTY_PAGES",
    "HEADER_FIELDS": "MAX_HEADER_FIELDS",
    "HEADER_FIELD_KIB": "MAX_HEADER_FIELD_KIB",
    "HEADER_TOTAL_KIB": "MAX_HEADERS_KIB",
    "HOST_ERRORS_BEFORE_REST": "HOST_ERRORS_BEFORE_BACKOFF",
    "HOST_REST_FACTOR": "HOST_BACKOFF_FACTOR",
    "HOST_REST_MINUTES": "HOST_BACKOFF_MINUTES",
    "PAGE_BODY_KIB": "MAX_PAGE_KIB",
    "PARSE_CPU_SECONDS": "PARSER_CPU_SECONDS",
    "PARSE_MEMORY_MIB": "PARSER_MEMORY_MIB",
    "POLL_CEILING_MILLISECONDS": "POLL_MAX_MILLISECONDS",
    "POLL_FLOOR_MILLISECONDS": "POLL_MIN_MILLISECONDS",
    "READING_PROCESSES": "PARSER_PROCESSES",
    "RETRY_CAP_MINUTES": "RETRY_MAX_MINUTES",
    "ROBOTS_CACHE_HOURS": "ROBOTS_CACHE_TTL_HOURS",
    "SITEMAP_BODY_KIB": "MAX_SITEMAP_KIB",
    "SLOW_FACTOR": "SLOW_STAGE_FACTOR",
    "STOP_GRACE_SECONDS": "SHUTDOWN_GRACE_SECONDS",
    "URL_LENGTH": "MAX_URL_LENGTH",
    "ALERT_QUIET_MINUTES": "ALERT_RESOLVE_AFTER_MINUTES",
    **{f"{prefix.upper()}_AT_ONCE": f"{prefix.upper()}_CONCURRENCY" for prefix in _PREFIXES},
}
# Set by systems and shells, never meant for us.
OF_THE_SYSTEM = frozenset({"HOME", "HOST", "HOSTS", "HOSTNAME", "PATH", "POST", "SHELL", "USER", "LOGNAME"})


def misspelled_names(names: Iterable[str]) -> list[str]:
    """One line for each name that is within two letters of a setting or was the name of one."""
    settings = [name.upper() for name in Settings.model_fields]
    known = {*settings, *(f"{name}_FILE" for name in settings), *OF_THE_SYSTEM}
    return [
        f"{name} is not a setting: did you mean {near}?"
        for name in sorted(set(names) - known)
        if (near := RENAMED.get(name) or _nearest(name.upper(), settings))
    ]


def _nearest(name: str, settings: list[str]) -> str | None:
    close = [
        (edits, setting)
        for setting in settings
        if _may_be_near(name, setting)
        and (edits := edit_distance(name, setting)) <= (1 if len(setting) < SHORT_NAME else MAX_EDITS)
    ]
    return min(close)[1] if close else None


def _may_be_near(name: str, setting: str) -> bool:
    """Quick and never wrong to refuse: two edits leave at least one of five pieces as it was."""
    if abs(len(name) - len(setting)) > MAX_EDITS:
        return False
    ends = [len(setting) * part // 5 for part in range(6)]
    return any(setting[start:end] in name for start, end in pairwise(ends))


def edit_distance(word: str, other: str) -> int:
    """Letters to add, drop, change or swap with their neighbour to turn `word` into `other`."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, expected in enumerate(other, 1):
            edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != expected))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == expected:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        before, last = last, row
    return last[-1]
