"""Stores the rows that stages return, in bulk and in the engine's transaction; curation is never reset."""

from scrapersky.storage.contacts import ContactUpsert, ListedContact, SightingRow
from scrapersky.storage.deliveries import AutomaticDelivery
from scrapersky.storage.pages import ListedPage, PageList
from scrapersky.storage.saver import save
from scrapersky.storage.upserts import LinkSitemapsToJob, MarkSearchStored, Update, Upsert

__all__ = [
    "AutomaticDelivery",
    "ContactUpsert",
    "LinkSitemapsToJob",
    "ListedContact",
    "ListedPage",
    "MarkSearchStored",
    "PageList",
    "SightingRow",
    "Update",
    "Upsert",
    "save",
]  # fmt: skip
