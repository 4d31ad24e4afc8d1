"""Stores the rows of a batch, in the order in which they depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.outcome import FailureNote
from scrapersky.engine.stage import Item
from scrapersky.storage.contacts import ContactUpsert, ListedContact, save_contacts, save_listed_contacts
from scrapersky.storage.deliveries import AutomaticDelivery, save_automatic_deliveries
from scrapersky.storage.failures import save_failures
from scrapersky.storage.limits import limit_pages, limit_sitemap_files, lock_domains
from scrapersky.storage.pages import PageList, save_pages
from scrapersky.storage.suppression_filter import drop_suppressed
from scrapersky.storage.upserts import (
    LinkSitemapsToJob,
    MarkSearchStored,
    Update,
    Upsert,
    link_sitemaps,
    mark_searches_stored,
    save_updates,
    save_upserts,
)


async def save(connection: AsyncConnection, rows: Sequence[tuple[Item, Any]]) -> int:
    """Called by the engine with the rows of items whose lease is still held."""
    rows = await drop_suppressed(connection, rows)
    upserts = [(item, row) for item, row in rows if isinstance(row, Upsert)]
    contacts = [(item, row) for item, row in rows if isinstance(row, ContactUpsert)]
    listed = [(item, row) for item, row in rows if isinstance(row, ListedContact)]
    pages = [(item, row) for item, row in rows if isinstance(row, PageList)]
    updates = [(item, row) for item, row in rows if isinstance(row, Update)]
    automatic = [(item, row) for item, row in rows if isinstance(row, AutomaticDelivery)]
    jobs = [item for item, row in rows if isinstance(row, LinkSitemapsToJob)]
    await save_failures(connection, [(item, row) for item, row in rows if isinstance(row, FailureNote)])
    await lock_domains(connection, rows)
    total = await save_upserts(connection, await limit_sitemap_files(connection, upserts)) if upserts else 0
    total += await save_pages(connection, await limit_pages(connection, pages)) if pages else 0
    total += await save_contacts(connection, contacts) if contacts else 0
    total += await save_listed_contacts(connection, listed) if listed else 0
    total += await save_automatic_deliveries(connection, automatic) if automatic else 0
    await save_updates(connection, updates)
    await link_sitemaps(connection, jobs)
    await mark_searches_stored(connection, [item for item, row in rows if isinstance(row, MarkSearchStored)])
    return total
