"""Stores what stages found, set by set, in the engine's own transaction; nobody's decision is undone."""

from scrapersky.storage.contacts import ContactSeen, ListedContact, Seen
from scrapersky.storage.pages import ListedPage, PageList
from scrapersky.storage.saver import save
from scrapersky.storage.upserts import LinkSitemapsToJob, Update, Upsert

__all__ = [
    "ContactSeen",
    "LinkSitemapsToJob",
    "ListedContact",
    "ListedPage",
    "PageList",
    "Seen",
    "Update",
    "Upsert",
    "save",
]  # fmt: skip
