"""Type and priority of a page by its URL, link text and title."""

from scrapersky.extract.pagetypes.classifier import PageType, classify_url
from scrapersky.extract.pagetypes.sitemap_pages import classify_listed_url

__all__ = ["PageType", "classify_listed_url", "classify_url"]
