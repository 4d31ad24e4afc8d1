"""`scrapersky contact`: Contacts: list, show, decide, validate again."""

from __future__ import annotations

from scrapersky.cli.entities import entity_group

contact = entity_group("contact", "Contacts: list, show, decide, validate again.")
