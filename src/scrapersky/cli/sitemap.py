"""`scrapersky sitemap`: Sitemap files: add, list, decide, reset, run."""

from __future__ import annotations

from scrapersky.cli.adding import add_command
from scrapersky.cli.entities import entity_group
from scrapersky.cli.scanning import continue_import, scan

sitemap = entity_group("sitemap", "Sitemap files: add, list, decide, reset, run.")

sitemap.add_command(add_command("sitemap"))

sitemap.add_command(continue_import)
sitemap.add_command(scan)
