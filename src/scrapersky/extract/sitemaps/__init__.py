"""Sitemaps and feeds: where they are and what they list."""

from scrapersky.extract.sitemaps.reader import SitemapEntry, SitemapReader

__all__ = ["SitemapEntry", "SitemapReader"]
