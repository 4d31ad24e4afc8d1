"""Pages wait in memory to be saved, but never too many of them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

from fakes import FakeWeb, context, item, rows_of, urlset
from scrapersky.stage_context.memory_limit import MemoryLimit
from scrapersky.stages import import_sitemap
from scrapersky.storage import PageList

MAP = "https://lune.co.uk/sitemap.xml"


def pages() -> PageList:
    return PageList(uuid4(), "lune.co.uk", [])


async def test_who_brings_more_waits_until_the_pages_are_gone() -> None:
    limit, held = MemoryLimit(10), pages()
    limit.hold(held, 10)
    waiting = asyncio.create_task(limit.wait())

    await asyncio.sleep(0.2)
    assert not waiting.done()
    del held
    await asyncio.wait_for(waiting, 2)

    assert limit.held == 0


async def test_nobody_waits_for_ever() -> None:
    limit, held = MemoryLimit(10, max_wait=timedelta(seconds=0.1)), pages()
    limit.hold(held, 11)

    await asyncio.wait_for(limit.wait(), 5)

    assert limit.held == 11


async def test_the_pages_of_a_sitemap_count_until_they_are_let_go() -> None:
    row = {"domain_id": uuid4(), "url": MAP, "depth": 0, "job_id": None, "created_by": None}
    row |= {"max_urls": None, "max_pages": None, "additional_json": {}}
    given = context(FakeWeb({MAP: urlset("https://lune.co.uk/a", "https://lune.co.uk/b")}))

    done = await import_sitemap.run(item("lune.co.uk", **row), given)

    assert (given.memory_limit.held, len(rows_of(done, PageList)[0].pages)) == (2, 2)
    del done
    assert given.memory_limit.held == 0
