"""Social network profiles of an organisation."""

from scrapersky.extract.socials.extractor import find_socials

__all__ = ["find_socials"]
