"""`scrapersky place`: Places as sources listed them."""

from __future__ import annotations

from scrapersky.cli.entities import entity_group

place = entity_group("place", "Places as sources listed them.")
