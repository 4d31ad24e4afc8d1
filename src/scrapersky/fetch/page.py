"""What a fetch brings back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrapersky.fetch.http.headers import media_type


@dataclass(frozen=True, slots=True)
class Hop:
    """One request on the way: what was asked, what was answered, and what robots.txt said about it."""

    url: str
    status: int
    robots: Permission | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether robots.txt allows a URL, why, and how old the copy is that says so."""

    allowed: bool
    reason: str
    age_seconds: int = 0
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: the last hop's status and headers, and the body decoded and within its limit."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    # The body went on beyond the limit, or the answer was partial.
    truncated: bool = False
    hops: tuple[Hop, ...] = ()
    milliseconds: int = 0
    from_tier: str = "direct"
    robots: Permission | None = None
    credits: int = 0
    requested_url: str = field(default="")
    # What was wrong with the compression of a body that could be read all the same.
    damage: str = ""

    @property
    def not_modified(self) -> bool:
        return self.status == 304

    @property
    def media_type(self) -> str:
        return media_type(self.headers)

    @property
    def etag(self) -> str | None:
        return self.headers.get("ETag")

    @property
    def last_modified(self) -> str | None:
        return self.headers.get("Last-Modified")

    def with_body(self, body: bytes, *, truncated: bool, milliseconds: int, damage: str = "") -> Page:
        # Written out, because `replace` takes three times as long and this is done for every page.
        return Page(
            self.url,
            self.status,
            self.headers,
            body,
            self.truncated or truncated,
            self.hops,
            milliseconds,
            self.from_tier,
            self.robots,
            self.credits,
            self.requested_url,
            damage or self.damage,
        )
