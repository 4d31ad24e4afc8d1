"""`scrapersky business`: Businesses: places with their details."""

from __future__ import annotations

from scrapersky.cli.entities import entity_group

business = entity_group("business", "Businesses: places with their details.")
