"""Technologies that a site is built with."""

from scrapersky.extract.technologies.extractor import find_technologies

__all__ = ["find_technologies"]
