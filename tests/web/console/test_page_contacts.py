"""View contacts: what was read on a page, in groups with counts, quotes, time and credits."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from operation_lab import add_rows

HTMX = {"HX-Request": "true"}
CONTENT: dict[str, Any] = {
    "emails": [
        {"value": "ada@shop.example", "quote": "write to ada@shop.example", "confidence": 0.97},
        {"value": "hello@shop.example", "quote": "mailto:hello@shop.example", "kind": "role"},
    ],
    "phones": [{"value": "+15035550142", "quote": "Call +1 503 555 0142", "confidence": 0.9}],
    "addresses": [],
    "socials": [{"value": "https://x.com/shop", "quote": "https://x.com/shop", "network": "x"}],
    "people": [{"value": "Ada Lindqvist", "role": "Dentist", "email": "ada@shop.example"}],
    "extraction_timestamp": "2026-11-17T01:52:00+00:00",
    "credits": 10,
}


async def add_page(db: AsyncEngine, **values: Any) -> Any:
    row = {"page_processing_status": "Complete", "scraped_content": CONTENT, **values}
    [page] = await add_rows(db, "page", 1, url="https://shop.example/contact", **row)
    return page


@pytest.mark.req("R077")
async def test_completed_pages_have_the_button(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    page = await add_page(db)
    [other] = await add_rows(db, "page", 1)
    html = (await console.get("/pages")).text
    assert f'href="/pages/{page}/contacts" data-contacts' in html
    assert f"/pages/{other}/contacts" not in html


@pytest.mark.req("R078", "R079", "R080", "R081", "R251")
async def test_the_dialog_has_everything(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    page = await add_page(db)
    html = unescape((await console.get(f"/pages/{page}/contacts", headers=HTMX)).text)
    assert html.lstrip().startswith("<dialog")
    assert re.search(r"<h2[^>]*>Contacts on .*https://shop\.example/contact", html)
    for heading in ("E-mails (2)", "Phone numbers (1)", "Addresses (0)", "Social profiles (1)"):
        assert heading in html
    assert "none found" in html
    values = ("ada@shop.example", "hello@shop.example", "+15035550142", "https://x.com/shop")
    for value in values:
        assert f'data-copy="{value}"' in html
        assert f'type="checkbox" class="no-print" value="{value}"' in html
    assert "<q>write to ada@shop.example</q>" in html
    assert "Ada Lindqvist, Dentist" in html
    assert "Read 17 Nov 2026 01:52 UTC" in html
    assert "10 ScraperAPI credits used" in html
    for button in ("Select all", "Copy selected", "Copy all e-mails", "Open page", "Close"):
        assert button in html


async def test_without_scripts_it_is_a_page(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    page = await add_page(db)
    html = (await console.get(f"/pages/{page}/contacts")).text
    assert "<html" in html
    assert "ada@shop.example" in html


async def test_a_page_that_was_not_read_says_so(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page] = await add_rows(db, "page", 1)
    html = (await console.get(f"/pages/{page}/contacts", headers=HTMX)).text
    assert html.count("none found") == 4
    assert "Not read yet" in html


async def test_foreign_text_stays_text(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    attack = "<img src=x onerror=alert(1)>"
    content = {"emails": [{"value": attack, "quote": attack}], "socials": [{"value": "javascript:alert(1)"}]}
    page = await add_page(db, scraped_content=content)
    html = (await console.get(f"/pages/{page}/contacts", headers=HTMX)).text
    assert "<img" not in html
    assert 'href="javascript' not in html


async def test_the_contacts_of_another_page_are_not_found(console: httpx.AsyncClient) -> None:
    answer = await console.get("/pages/00000000-0000-4000-8000-000000000000/contacts")
    assert answer.status_code == 404
