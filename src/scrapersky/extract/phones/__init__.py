"""Phone numbers of a page."""

from scrapersky.extract.phones.extractor import find_phones

__all__ = ["find_phones"]
