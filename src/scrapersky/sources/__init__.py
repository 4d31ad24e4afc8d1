"""Where places come from: one file each, one small protocol."""

from scrapersky.sources.csv_file import CSVSource
from scrapersky.sources.source import Found, Source

__all__ = ["CSVSource", "Found", "Source"]
