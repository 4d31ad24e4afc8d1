"""`stage run` drains its queue or says what is left; `… run ID` works on exactly the named rows."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import create_async_engine

from product import change
from scrapersky import tables
from scrapersky.cli.filter_options import SEARCHED
from scrapersky.queries.rows.entities import ENTITIES

Sky = Callable[..., Result]
SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://%s/contact</loc></url></urlset>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = SITEMAP % str(self.headers["Host"]).encode() if "sitemap" in self.path else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def web(sky: Sky) -> Iterator[Sky]:
    """The command line on a machine where every name leads to one small site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    port = server.server_port
    given = {
        "EGRESS_ALLOW": f"127.0.0.1:{port}",
        "CONNECT_TO": f"*:80:127.0.0.1:{port}",
        "HOST_DELAY_MILLISECONDS": "200",
        "ROWS_PER_HOST": "1",
    }
    yield lambda *arguments, **more: sky(*arguments, **given, **more)
    server.shutdown()
    server.server_close()


def add(sky: Sky, *urls: str) -> None:
    for url in urls:
        added = sky("sitemap", "add", url)
        assert added.exit_code == 0, added.output


def states(told: Callable[..., Any]) -> dict[str, str]:
    rows = told("sitemap", "list")
    return {row["url"]: row["sitemap_import_status"] for row in (rows if isinstance(rows, list) else [rows])}


def put_first(database_url: str, *hosts: str) -> None:
    """Let the rows of these hosts be due for longer than anything that is run by hand."""

    async def main() -> None:
        engine = create_async_engine(database_url)
        old = datetime.now(UTC) - timedelta(days=30)
        await change(
            engine, tables.sitemap_files, tables.sitemap_files.c.host.in_(hosts), sitemap_import_due_at=old
        )
        values = {"next_allowed_at": old, "import_sitemap_waiting_since": old}
        await change(engine, tables.hosts, tables.hosts.c.host.in_(hosts), **values)
        await engine.dispose()

    asyncio.run(main())


def postpone(database_url: str, **values: Any) -> None:
    async def main() -> None:
        engine = create_async_engine(database_url)
        await change(engine, tables.sitemap_files, tables.sitemap_files.c.url.contains("later"), **values)
        await engine.dispose()

    asyncio.run(main())


@pytest.mark.req("R216", "R217")
def test_a_named_row_is_worked_and_no_other(web: Sky, told: Callable[..., Any], database_url: str) -> None:
    urls = [f"http://shop-{name}.com/sitemap.xml" for name in "abc"]
    add(web, *urls)
    put_first(database_url, "shop-a.com", "shop-b.com")
    assert set(states(told).values()) == {"Queued"}
    row = told("sitemap", "list", "--domain", "shop-c.com")
    ran = web("sitemap", "run", row["id"])
    assert ran.exit_code == 0, ran.output
    assert "Complete" in ran.stdout
    assert states(told) == {urls[0]: "Queued", urls[1]: "Queued", urls[2]: "Complete"}
    shown = web("sitemap", "list", "--domain", "shop-c.com").stdout
    assert "Complete" in shown
    assert "Queued" not in shown


@pytest.mark.req("R217", "R220")
def test_a_stage_is_drained_even_when_its_host_has_to_be_waited_for(
    web: Sky, told: Callable[..., Any]
) -> None:
    add(web, *(f"http://shop-a.com/sitemap-{n}.xml" for n in range(4)))
    ran = web("stage", "run", "import_sitemap")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("import_sitemap: 4 done, 0 failed")
    assert set(states(told).values()) == {"Complete"}
    assert "left" not in ran.stderr


def test_what_is_left_is_said_with_its_reason(web: Sky, database_url: str) -> None:
    add(web, "http://shop-a.com/sitemap.xml", "http://shop-b.com/sitemap-later.xml")
    postpone(database_url, sitemap_import_due_at=datetime.now(UTC) + timedelta(hours=1))
    assert web("stage", "pause", "import_sitemap", "--reason", "lunch").exit_code == 0
    paused = web("stage", "run", "import_sitemap")
    assert "0 done" in paused.stdout
    assert "2 rows are left: the stage is paused (lunch)" in paused.stderr
    assert "stage resume import_sitemap" in paused.stderr
    assert web("stage", "resume", "import_sitemap").exit_code == 0
    limited = web("stage", "run", "import_sitemap", "--limit", "1")
    assert "1 done" in limited.stdout
    assert "1 row is left: the limit is reached" in limited.stderr
    later = web("stage", "run", "import_sitemap")
    assert "0 done" in later.stdout
    assert "1 row is left: waiting for a retry, a snooze or the host; the next is due at" in later.stderr


def test_a_rejected_row_that_is_run_is_said_to_be_rejected(web: Sky) -> None:
    add(web, "http://shop-a.com/sitemap.xml")
    url = "http://shop-a.com/sitemap.xml"
    assert web("sitemap", "curate", "rejected", url).exit_code == 0
    ran = web("sitemap", "run", url)
    assert "is Rejected and was not processed" in ran.stderr


def test_the_help_names_every_column_that_is_searched() -> None:
    words = {
        "formatted_address": "address",
        "full_address": "address",
        "business_name": "name",
        "url": "URL",
    }
    words |= {"website_url": "website", "email": "e-mail address", "phone_number": "phone number"}
    for name, entity in ENTITIES.items():
        listed = SEARCHED[name].replace(" or ", ", ").split(", ")
        assert [words.get(column, column) for column in entity.search_columns] == [
            word.removesuffix(" name") if name == "domain" else word for word in listed
        ]
