"""Hosts and URLs in one canonical form."""

from scrapersky.extract.urls.canonical import read_url
from scrapersky.extract.urls.hosts import read_host

__all__ = ["read_host", "read_url"]
