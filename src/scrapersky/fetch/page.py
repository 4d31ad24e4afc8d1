"""The result of a fetch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrapersky.fetch.http.headers import media_type


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a fetch: its URL, its status, and the decision of robots.txt."""

    url: str
    status: int
    robots: Permission | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether robots.txt allows a URL, why, and the age of the copy."""

    allowed: bool
    reason: str
    age_seconds: int = 0
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A response: status and headers of the last hop, and the decoded body within its limit."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    # The body exceeded the limit, or the response was partial.
    truncated: bool = False
    hops: tuple[Hop, ...] = ()
    milliseconds: int = 0
    from_tier: str = "direct"
    robots: Permission | None = None
    credits: int = 0
    requested_url: str = field(default="")
    # A defect of the compression of a body that could still be decoded.
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
        # `replace` would take three times as long, and this runs for every page.
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
