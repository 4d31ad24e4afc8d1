"""`scrapersky domain`: Websites: add, list, decide, reset, run."""

from __future__ import annotations

from scrapersky.cli.adding import add_command
from scrapersky.cli.entities import entity_group

domain = entity_group("domain", "Websites: add, list, decide, reset, run.")

domain.add_command(add_command("domain"))
