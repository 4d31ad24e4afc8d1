"""Where places come from: one module for each source, one small protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapersky.sources.csv_file import CSVSource
from scrapersky.sources.source import ListedPlace, Source

if TYPE_CHECKING:
    from scrapersky.fetch.client import Fetcher

__all__ = ["CSVSource", "ListedPlace", "Source", "make_sources"]


def make_sources(fetcher: Fetcher) -> dict[str, Source]:
    """Every source by the name that a search gives; a new source is registered here."""
    return {"csv": CSVSource()}
