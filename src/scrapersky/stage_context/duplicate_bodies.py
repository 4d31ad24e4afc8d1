"""Bodies that a domain has sent before: a site with one body under many addresses is read once."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import UUID

from cachetools import LRUCache

MAX_BODIES = 50_000


class DuplicateBodies:
    """Remembers what this process has read; a page that another process has read only costs time."""

    def __init__(self) -> None:
        self._first: LRUCache[tuple[UUID, bytes], tuple[UUID, str]] = LRUCache(MAX_BODIES)

    def is_duplicate(self, domain_id: UUID, digest: bytes, page_id: UUID, url: str) -> bool:
        """Whether another page of the domain had the same body under an equally good or better URL."""
        key = (domain_id, digest)
        first_id, first_url = self._first.setdefault(key, (page_id, url))
        if first_id != page_id and _is_variant(first_url, of=url):
            first_id = page_id
            self._first[key] = (page_id, url)
        return first_id != page_id


def _is_variant(url: str, *, of: str) -> bool:
    """Whether `of` is the page itself and `url` a variant: `/` and `/?page=2`, `/a` and `/a?ref=b`."""
    page, variant = urlsplit(of), urlsplit(url)
    if page.path.strip("/"):
        is_variant = bool(variant.query) and page.path == variant.path
    else:
        is_variant = bool(variant.query or variant.path.strip("/"))
    return is_variant and not page.query
