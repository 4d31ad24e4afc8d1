"""Pages wait in memory to be saved, but never too many of them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

from fakes import FakeWeb, item, rows_of, tools, urlset
from scrapersky.stage_context.memory_limit import MemoryLimit
from scrapersky.stages import import_sitemap
from scrapersky.storage import PageList

MAP = "https://lune.co.uk/sitemap.xml"


def pages() -> PageList:
    return PageList(uuid4(), "lune.co.uk", [])


async def test_who_brings_more_waits_until_the_pages_are_gone() -> None:
    room, held = MemoryLimit(10), pages()
    room.hold(held, 10)
    waiting = asyncio.create_task(room.wait())

    await asyncio.sleep(0.2)
    assert not waiting.done()
    del held
    await asyncio.wait_for(waiting, 2)

    assert room.held == 0


async def test_nobody_waits_for_ever() -> None:
    room, held = MemoryLimit(10, longest=timedelta(seconds=0.1)), pages()
    room.hold(held, 11)

    await asyncio.wait_for(room.wait(), 5)

    assert room.held == 11


async def test_the_pages_of_a_sitemap_count_until_they_are_let_go() -> None:
    row = {"domain_id": uuid4(), "url": MAP, "depth": 0, "job_id": None, "created_by": None}
    given = tools(FakeWeb({MAP: urlset("https://lune.co.uk/a", "https://lune.co.uk/b")}))

    done = await import_sitemap.run(item("lune.co.uk", **row, additional_json={}), given)

    assert (given.room.held, len(rows_of(done, PageList)[0].pages)) == (2, 2)
    del done
    assert given.room.held == 0
