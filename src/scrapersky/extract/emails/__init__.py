"""E-mail addresses of a page."""

from scrapersky.extract.emails.extractor import find_emails

__all__ = ["find_emails"]
