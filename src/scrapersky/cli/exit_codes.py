"""The exit codes of all commands, as `scrapersky --help` lists them."""

from __future__ import annotations

FAILED = 1
INVALID_USAGE = 2
NOT_FOUND = 3
NOT_ALLOWED = 4
PART_FAILED = 5
UNAVAILABLE = 6
CONFLICT = 7
INTERRUPTED = 130
