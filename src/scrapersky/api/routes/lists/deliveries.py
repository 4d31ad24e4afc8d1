"""Deliveries: contacts on their way to a destination, and what became of them."""

from __future__ import annotations

from scrapersky.api.lists import list_router
from scrapersky.queries.rows.entities import DELIVERY

router = list_router(DELIVERY, "/deliveries")
