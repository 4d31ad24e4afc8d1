"""What a page and its site say about themselves."""

from scrapersky.extract.metadata.page_metadata import SiteMetadata, read_page_metadata
from scrapersky.extract.metadata.site_metadata import read_site_metadata

__all__ = ["SiteMetadata", "read_page_metadata", "read_site_metadata"]
