"""In interval mode a run of a product stage takes its batch size of queued rows, the oldest first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from demo_lab import Lab, lab, well
from product import add_domain, add_job, add_pages, add_sitemaps, ago, until
from scrapersky.declarations import DECLARATIONS

PREFIXES = {stage.name: (stage, stage.compat.settings_prefix.upper()) for stage in DECLARATIONS}


async def add_rows(found: Lab, stage: str) -> None:
    """Five queued rows, each of its own host; the later they are added, the longer they have waited."""
    queue, _ = PREFIXES[stage]
    for number in range(5):
        host = f"h{number}.example"
        given: dict[str, Any] = {
            queue.status: queue.statuses.queued,
            queue.column("due_at"): ago(minutes=number + 1),
            "host": host,
        }
        if stage in ("read_metadata", "submit_domain"):
            await add_domain(found.engine, host, **{"status": None, **given})
        elif stage == "discover_sitemaps":
            await add_job(found.engine, "sitemap", result_data={"domain": host, "max_pages": 5}, **given)
        else:
            await (add_sitemaps if stage == "import_sitemap" else add_pages)(found.engine, 1, **given)


@pytest.mark.req("R106", "R131", "R140", "R147", "R167")
@pytest.mark.parametrize(
    "stage", ["read_metadata", "submit_domain", "discover_sitemaps", "import_sitemap", "read_page"]
)
async def test_a_run_takes_the_batch_size_oldest_first(database_url: str, tmp_path: Path, stage: str) -> None:
    queue, prefix = PREFIXES[stage]
    figures = {
        "MODE": "interval",
        "INTERVAL_MINUTES": "1440",
        "MISFIRE_GRACE_SECONDS": "86400",
        "BATCH_SIZE": "2",
    }
    given = {f"{prefix}_{name}": value for name, value in figures.items()}
    query = f"SELECT host FROM {queue.table} WHERE {queue.column('lease_seq')} > 0 ORDER BY 1"

    async with lab(database_url, well(3, 2), tmp_path, **given) as found:
        await add_rows(found, stage)

        async def taken() -> list[str]:
            return [row.host for row in await found.rows(query)]

        async def two_are_taken() -> bool:
            return len(await taken()) >= 2

        async with found.working(stage):
            await until(two_are_taken, seconds=30)
            await asyncio.sleep(1)
        assert await taken() == ["h3.example", "h4.example"]
