"""Stores what stages found, set by set, in the engine's own transaction; nobody's decision is undone."""

from scrapersky.tables.saving.contacts import ContactSeen, ListedContact, Seen
from scrapersky.tables.saving.pages import PageList, PageListed
from scrapersky.tables.saving.rows import Change, New, SitemapsOfJob
from scrapersky.tables.saving.save import save

__all__ = [
    "Change", "ContactSeen", "ListedContact", "New", "PageList", "PageListed", "Seen", "SitemapsOfJob",
    "save",
]  # fmt: skip
