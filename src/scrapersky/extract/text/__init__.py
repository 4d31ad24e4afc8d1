"""Cleaning, searching and recognising plain text."""

from scrapersky.extract.text.cleanup import clean_text, one_line

__all__ = ["clean_text", "one_line"]
