"""`scrapersky page`: Pages: add, list, decide, reset, run."""

from __future__ import annotations

from scrapersky.cli.adding import add_command
from scrapersky.cli.entities import entity_group
from scrapersky.cli.rereading import reread

page = entity_group("page", "Pages: add, list, decide, reset, run.")

page.add_command(add_command("page"))
page.add_command(reread)
