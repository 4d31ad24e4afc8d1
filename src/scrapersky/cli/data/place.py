"""Places as sources list them: list, show, curate, reset, run."""

from __future__ import annotations

from scrapersky.cli.rows import row_group

place = row_group("place", __doc__)
