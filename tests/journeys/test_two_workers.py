"""Two workers at the same hosts: what one learned of a host's wishes, the other keeps to."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo_lab import lab, well
from scrapersky.actions.submissions import submit_domains

pytestmark = pytest.mark.usefixtures("both_modes")


async def test_the_crawl_delay_of_a_host_holds_for_the_whole_fleet(database_url: str, tmp_path: Path) -> None:
    """Each worker has a memory of its own, so the pause must be known to the database (B13)."""
    world = well(11, 80)
    slow = [name for name, one in world.truth().domains.items() if one.crawl_delay >= 0.5][:4]
    # One row per visit, so that a host changes hands as often as possible.
    async with lab(database_url, world, tmp_path, ROWS_PER_HOST="1") as found:
        await submit_domains(found.engine, found.who, slow)
        async with found.working(), found.working():
            await found.over()

        assert {request.host for request in found.server.log} >= set(slow)
        found.manners_are_kept()
