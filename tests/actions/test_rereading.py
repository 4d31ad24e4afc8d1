"""Kept pages are read again without a request: queued by an action, read from the database by the stage."""

from __future__ import annotations

from hashlib import sha256
from types import SimpleNamespace
from uuid import uuid4

import pytest
from sqlalchemy import insert, select

from fakes import FakeWeb, tools
from scrapersky.actions.lines import Who
from scrapersky.actions.rereading import reread
from scrapersky.engine.database import Database
from scrapersky.engine.stage import Item
from scrapersky.errors import NoSuchRow
from scrapersky.settings import Settings
from scrapersky.stages.read_page import run
from scrapersky.tables import Domain, Page, PageBody, table_of
from scrapersky.tables.saving import ContactSeen
from scrapersky.tools import packed
from scrapersky.tools.bodies import Bodies

SETTINGS = Settings()
WHO = Who(SETTINGS.default_tenant_id, SETTINGS.scheduler_system_user_id)
BODY = b"<html><body><h1>Contact</h1><p>Write to anna@linden-bakery-demo.com</p></body></html>"


@pytest.fixture
async def page_id(db):
    """A page that was read and is kept."""
    domain, page = uuid4(), uuid4()
    shared = {"tenant_id": WHO.tenant_id}
    url = "https://linden-bakery-demo.com/contact"
    async with db.begin() as connection:
        await connection.execute(
            insert(Domain).values(
                id=domain, domain="linden-bakery-demo.com", host="linden-bakery-demo.com", **shared
            )
        )
        await connection.execute(
            insert(Page).values(
                id=page,
                domain_id=domain,
                host="linden-bakery-demo.com",
                url=url,
                page_processing_status="Complete",
                **shared,
            )
        )
        await connection.execute(
            insert(PageBody).values(
                page_id=page,
                body=packed(BODY),
                content_hash=sha256(BODY).digest(),
                final_url=url,
                content_type="text/html",
                status_code=200,
                size_bytes=len(BODY),
                **shared,
            )
        )
    return page


async def test_kept_pages_are_queued_to_be_read_again(db, page_id):
    assert await reread(db, WHO, domain="Linden-Bakery-demo.com") == 1
    assert await reread(db, WHO) == 0, "a page that is queued already is not queued twice"

    pages = table_of(Page).c
    async with db.connect() as connection:
        row = (await connection.execute(select(pages.page_processing_status, pages.additional_json))).one()
    assert row.page_processing_status == "Queued"
    assert row.additional_json["reread"] is True


async def test_an_unknown_domain_is_said_to_be_unknown(db):
    with pytest.raises(NoSuchRow, match="nowhere"):
        await reread(db, WHO, domain="nowhere-demo.com")


async def test_the_stage_reads_what_is_kept_and_asks_nobody(db, page_id):
    web = FakeWeb()
    kit = tools(web, bodies=Bodies(Database(db)))
    known = {"reread": True, "content_hash": sha256(BODY).hexdigest()}

    done = await run(_item(page_id, known), kit)

    contacts = [row for row in done.rows if isinstance(row, ContactSeen)]
    assert [one.email for one in contacts] == ["anna@linden-bakery-demo.com"]
    assert "reread" not in done.fields["additional_json"]
    assert not web.asked


async def test_a_page_that_is_not_kept_any_more_is_fetched_whole(db):
    """Its time was over while it waited: to say "unchanged" would leave it unread, an error for ever."""
    url = "https://linden-bakery-demo.com/contact"
    web = FakeWeb({url: BODY})
    kit = tools(web, bodies=Bodies(Database(db)))

    done = await run(_item(uuid4(), {"reread": True, "etag": '"old"'}), kit)

    assert (web.asked, web.validators) == ([url], [(None, None)])
    assert [row.email for row in done.rows if isinstance(row, ContactSeen)] == ["anna@linden-bakery-demo.com"]
    assert "reread" not in done.fields["additional_json"]


def _item(page_id, known):
    row = SimpleNamespace(
        url="https://linden-bakery-demo.com/contact",
        domain_id=uuid4(),
        host="linden-bakery-demo.com",
        priority_level=1,
        scraped_content={"emails": []},
        additional_json=known,
    )
    return Item(page_id, WHO.tenant_id, row, 1, 0, 0, 3, "linden-bakery-demo.com")
