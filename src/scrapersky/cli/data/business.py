"""Businesses (places with details): list, show, curate, reset, run."""

from __future__ import annotations

from scrapersky.cli.rows import row_group

business = row_group("business", __doc__)
