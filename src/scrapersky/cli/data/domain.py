"""Websites: add, list, show, curate, reset, run."""

from __future__ import annotations

from scrapersky.cli.rows import row_group
from scrapersky.cli.submissions import add_verb

domain = row_group("domain", __doc__)
add_verb(domain, "domain")
