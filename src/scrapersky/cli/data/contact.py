"""Contacts: list, show, curate, reset; run validates again."""

from __future__ import annotations

from scrapersky.cli.rows import row_group

contact = row_group("contact", __doc__)
