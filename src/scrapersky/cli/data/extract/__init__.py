"""Run the extractors on files; no database is needed."""

from __future__ import annotations

from scrapersky.cli.lazy import LazyGroup, Section

extract = LazyGroup("extract", help=__doc__, sections=[Section("Commands", (__name__,), first=("pages",))])
