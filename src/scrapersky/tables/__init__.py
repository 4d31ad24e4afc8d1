"""The tables, one file each, and the words in them."""

from scrapersky.tables.row import Row

metadata = Row.metadata

__all__ = ["Row", "metadata"]
