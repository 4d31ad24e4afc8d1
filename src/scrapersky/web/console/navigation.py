"""The pages that the frame links to, in their order, with the key that leads there after `g`."""

from __future__ import annotations

from dataclasses import dataclass

from scrapersky.declarations import statuses
from scrapersky.queries.rows.entities import ENTITIES


@dataclass(frozen=True, slots=True)
class Entry:
    """A page. `entity` is the list behind it; its number of undecided rows stands beside the name."""

    name: str
    path: str
    icon: str
    key: str
    entity: str = ""

    @property
    def first_view(self) -> str:
        """What a first visit opens: the rows that nobody has decided about."""
        entity = ENTITIES.get(self.entity)
        return self.path if entity is None else f"{self.path}?{entity.curation_column}={statuses.NEW}"


PIPELINE = (
    Entry("Searches", "/searches", "telescope", "r", "search"),
    Entry("Places", "/places", "map-pin", "p", "place"),
    Entry("Businesses", "/businesses", "store", "b", "business"),
    Entry("Domains", "/domains", "globe", "d", "domain"),
    Entry("Sitemaps", "/sitemaps", "network", "s", "sitemap"),
    Entry("Pages", "/pages", "file-text", "a", "page"),
    Entry("Contacts", "/contacts", "contact", "c", "contact"),
    Entry("Deliveries", "/deliveries", "send", "e", "delivery"),
)
OPERATE = (
    Entry("Overview", "/", "house", "o"),
    Entry("Jobs", "/jobs", "briefcase", "j"),
    Entry("Stages", "/stages", "layers", "t"),
    Entry("Matches", "/matches", "link", "m"),
    Entry("Dead letters", "/dead-letters", "circle-alert", "l"),
    Entry("Activity", "/activity", "history", "y"),
    Entry("Views and rules", "/views", "bookmark", "v"),
    Entry("Schedules", "/schedules", "clock", "u"),
    Entry("System", "/system", "heart-pulse", "h"),
    Entry("Settings", "/settings", "settings", "x"),
)
# The address of each list by its entity.
LISTS = {entry.entity: entry.path for entry in PIPELINE}
