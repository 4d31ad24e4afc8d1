"""Pages: lists, and single pages with their contacts."""

from __future__ import annotations

from scrapersky.api.lists import list_router
from scrapersky.api.row_models import item_model
from scrapersky.queries.rows.entities import ENTITIES

router = list_router(
    ENTITIES["page"],
    "/pages",
    domain=(str, "The domain of the page."),
    contacts=(list[item_model(ENTITIES["contact"])], "The contacts that were read on the page."),  # type: ignore[misc]
)
