"""Bodies that a domain has sent before: a site that says the same under every address is read once."""

from __future__ import annotations

from collections import OrderedDict
from urllib.parse import urlsplit
from uuid import UUID

REMEMBERED = 50_000


class DuplicateBodies:
    """What this process has read of late; a page that another process reads again only costs time."""

    def __init__(self) -> None:
        self._first: OrderedDict[tuple[UUID, bytes], tuple[UUID, str]] = OrderedDict()

    def is_repeat(self, domain_id: UUID, digest: bytes, page_id: UUID, url: str) -> bool:
        """Whether another page of the domain had this very body under an address that is no worse."""
        key = (domain_id, digest)
        known, address = self._first.setdefault(key, (page_id, url))
        if len(self._first) > REMEMBERED:
            self._first.popitem(last=False)
        if known != page_id and _is_proper(url, address):
            known = page_id
            self._first[key] = (page_id, url)
        return known != page_id


def _is_proper(url: str, other: str) -> bool:
    """Whether `url` is the page itself and `other` a variant: `/` and `/?page=2`, `/a` and `/a?ref=b`."""
    one, two = urlsplit(url), urlsplit(other)
    if one.path.strip("/"):
        is_variant = bool(two.query) and one.path == two.path
    else:
        is_variant = bool(two.query or two.path.strip("/"))
    return is_variant and not one.query
