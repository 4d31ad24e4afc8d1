"""Bodies that a domain has sent before: a site that says the same under every address is read once."""

from __future__ import annotations

from collections import OrderedDict
from uuid import UUID

REMEMBERED = 50_000


class Repeats:
    """What this process has read of late; a page that another process reads again only costs time."""

    def __init__(self) -> None:
        self._first: OrderedDict[tuple[UUID, bytes], UUID] = OrderedDict()

    def is_repeat(self, domain_id: UUID, digest: bytes, page_id: UUID) -> bool:
        """Whether another page of the domain had this very body; the first is remembered."""
        first = self._first.setdefault((domain_id, digest), page_id)
        if len(self._first) > REMEMBERED:
            self._first.popitem(last=False)
        return first != page_id
