"""Stores everything that a flush of one stage brought, in the order in which rows depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.outcome import FailureNote
from scrapersky.engine.stage import Item
from scrapersky.storage.contacts import ContactSeen, ListedContact, save_contacts, save_listed
from scrapersky.storage.failures import save_failures
from scrapersky.storage.limits import files_within, hold_domains, pages_within
from scrapersky.storage.pages import PageList, save_pages
from scrapersky.storage.upserts import (
    LinkSitemapsToJob,
    Update,
    Upsert,
    save_changes,
    save_new,
    save_sitemaps_of_jobs,
)


async def save(connection: AsyncConnection, rows: Sequence[tuple[Item, Any]]) -> int:
    """What the engine calls with the rows of items that are still ours."""
    new = [(item, row) for item, row in rows if isinstance(row, Upsert)]
    contacts = [(item, row) for item, row in rows if isinstance(row, ContactSeen)]
    listed = [(item, row) for item, row in rows if isinstance(row, ListedContact)]
    pages = [(item, row) for item, row in rows if isinstance(row, PageList)]
    changes = [(item, row) for item, row in rows if isinstance(row, Update)]
    jobs = [item for item, row in rows if isinstance(row, LinkSitemapsToJob)]
    await save_failures(connection, [(item, row) for item, row in rows if isinstance(row, FailureNote)])
    await hold_domains(connection, rows)
    total = await save_new(connection, await files_within(connection, new)) if new else 0
    total += await save_pages(connection, await pages_within(connection, pages)) if pages else 0
    total += await save_contacts(connection, contacts) if contacts else 0
    total += await save_listed(connection, listed) if listed else 0
    await save_changes(connection, changes)
    await save_sitemaps_of_jobs(connection, jobs)
    return total
