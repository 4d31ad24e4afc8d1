"""Postal addresses of a page."""

from scrapersky.extract.addresses.extractor import find_addresses

__all__ = ["find_addresses"]
