"""What tests of stages put in the place of the world: a web of a few pages, and rows without a database."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from scrapersky.destinations import DeliveryPayload
from scrapersky.engine.stage import Item
from scrapersky.fetch.dns.mx_lookup import UNREACHABLE, MailServers
from scrapersky.fetch.errors import PermanentHTTPError
from scrapersky.fetch.limits import PAGE, SITEMAP, Limits
from scrapersky.fetch.page import Page, Permission
from scrapersky.sandbox import InProcessParser
from scrapersky.settings import Settings
from scrapersky.sources import ListedPlace
from scrapersky.stage_context import GATE_SETTINGS, HandOver, StageContext, StageLimits
from scrapersky.stage_context.email_checker import EmailChecker
from scrapersky.stage_context.page_fetcher import PageFetcher

TENANT: uuid.UUID = Settings.model_fields["default_tenant_id"].default
USER: uuid.UUID = Settings.model_fields["scheduler_system_user_id"].default
HTML = "text/html; charset=utf-8"


def page(body: bytes | str = b"", *, url: str = "", status: int = 200, kind: str = HTML, **more: Any) -> Page:
    data = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": kind, **more.pop("headers", {})}
    return Page(url, status, headers, data, robots=Permission(True, "no rule"), **more)


class FakeStream:
    """A body in small pieces, as it comes from the network."""

    def __init__(self, answer: Page, *, piece: int = 1_000) -> None:
        self.page, self.truncated, self._piece = answer, answer.truncated, piece
        self.damage = answer.damage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.page.body), self._piece):
            yield self.page.body[start : start + self._piece]


@dataclass
class FakeWeb:
    """A door behind which there are exactly these answers; an exception among them is raised.

    `named` are the sitemaps of robots.txt, `closed` why it cannot be read, `seconds` what a page takes.
    """

    answers: Mapping[str, Page | Exception | str | bytes] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    closed: Exception | None = None
    seconds: float = 0.0
    asked: list[str] = field(default_factory=list)
    validators: list[tuple[str | None, str | None]] = field(default_factory=list)

    def _answer(self, url: str) -> Page:
        self.asked.append(url)
        found = self.answers.get(url, PermanentHTTPError(404))
        if isinstance(found, Exception):
            raise found
        if not isinstance(found, Page):
            found = page(found)
        return found if found.url else replace(found, url=url)

    async def get(
        self,
        url: str,
        *,
        limits: Limits = PAGE,
        etag: str | None = None,
        last_modified: str | None = None,
        held_host: str | None = None,
    ) -> Page:
        self.validators.append((etag, last_modified))
        await asyncio.sleep(self.seconds)
        return self._answer(url)

    @asynccontextmanager
    async def stream(
        self, url: str, *, limits: Limits = SITEMAP, held_host: str | None = None
    ) -> AsyncIterator[Any]:
        yield FakeStream(self._answer(url))

    async def permission(self, url: str, *, held_host: str | None = None) -> Permission:
        if self.closed:
            raise self.closed
        return Permission(True, "no rule", sitemaps=self.named)


@dataclass
class FakeSource:
    """Knows these places; asking it for more brings the whole record."""

    places: Sequence[ListedPlace] = ()
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        self.asked.append((kind, location, params))
        return self.places

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        return next(one for one in self.places if one.place_id == place_id)


@dataclass
class FakeBudget:
    """Says why to stop, or that it is worth going on."""

    reason: str | None = None
    asked: int = 0

    async def exhausted(self, domain_id: uuid.UUID, *, ignore_empty_pages: bool = False) -> str | None:
        self.asked += 1
        return None if ignore_empty_pages and "no new contact" in str(self.reason) else self.reason

    def record(
        self, domain_id: uuid.UUID, page_id: uuid.UUID, contacts: Iterable[str | None], *, is_ordinary: bool
    ) -> None:
        """What pages show changes nothing here."""


@dataclass
class FakeDNS:
    answer: MailServers = UNREACHABLE

    async def lookup(self, domain: str) -> MailServers:
        return self.answer


@dataclass
class FakePayloads:
    payload: DeliveryPayload

    async def load(self, *ids: uuid.UUID | None, external_id: str | None = None) -> DeliveryPayload:
        return self.payload


@dataclass
class FakeDestination:
    got: list[DeliveryPayload] = field(default_factory=list)

    async def deliver(self, payload: DeliveryPayload) -> str:
        self.got.append(payload)
        return f"contact-{len(self.got)}"


class Row:
    """The columns a stage reads; one that it does not declare is not there."""

    def __init__(self, **columns: Any) -> None:
        self.__dict__ |= columns


def item(host: str | None = None, *, id: Any = None, **columns: Any) -> Item:
    """A claimed row."""
    return Item(id or uuid.uuid4(), TENANT, Row(host=host, **columns), 1, 0, 0, 3, host)


def context(
    web: FakeWeb | None = None,
    *,
    budget: FakeBudget | None = None,
    settings: Mapping[str, Any] | None = None,
    schemes: tuple[str, ...] = ("https", "http"),
    **more: Any,
) -> StageContext:
    """The context of a stage, all of it fakes; `settings` changes gates and limits by their names."""
    changes = dict(settings or {})
    is_open = {gate: changes.pop(gate, Settings.model_fields[gate].default) for gate in GATE_SETTINGS}
    reads_all_pages = changes.pop("read_all_pages", False)
    return StageContext(
        system_user_id=USER,
        limits=StageLimits(**changes),
        handover=HandOver(
            frozenset(gate for gate in GATE_SETTINGS if is_open[gate]), reads_all_pages=reads_all_pages
        ),
        fetch=PageFetcher(web or FakeWeb(), schemes=schemes),
        parser=InProcessParser(),
        budget=budget or FakeBudget(),
        **({"mail": EmailChecker(FakeDNS()), "payloads": None, "sender": None, "page_bodies": None} | more),
    )


def rows_of(done: Any, kind: Any) -> list[Any]:
    """The rows of one kind that a stage gave back; for New and Change, those for a table."""
    if isinstance(kind, type):
        return [row for row in done.rows if isinstance(row, kind)]
    return [row for row in done.rows if getattr(row, "table", None) is kind]


def urlset(*urls: str, more: str = "") -> bytes:
    """A sitemap of these URLs."""
    entries = "".join(f"<url><loc>{url}</loc>{more}</url>" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    ).encode()


def index(*urls: str) -> bytes:
    """A sitemap of these sitemaps."""
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'
    ).encode()
