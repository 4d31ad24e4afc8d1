"""A page parsed once: text, lines, links, head and structured data."""

from scrapersky.extract.html.document import Document, parse_document

__all__ = ["Document", "parse_document"]
