"""The country that a page speaks from."""

from scrapersky.extract.country.detector import detect_country

__all__ = ["detect_country"]
