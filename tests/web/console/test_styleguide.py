"""The styleguide shows every part, so that a change of one is seen."""

from __future__ import annotations

import re
from importlib.resources import files

import httpx

from scrapersky.declarations import DECLARATIONS, statuses

PARTS = (files("scrapersky.web") / "templates" / "parts.html").read_text(encoding="utf-8")
PAGE = (files("scrapersky.web") / "templates" / "styleguide.html").read_text(encoding="utf-8")
# `confirm` posts; the page shows its look without a form that would.
NOT_CALLED = {"confirm"}


def test_every_part_is_on_the_page() -> None:
    macros = set(re.findall(r"macro (\w+)\(", PARTS))
    assert len(macros) >= 9
    assert {name for name in macros if f"parts.{name}(" not in PAGE} <= NOT_CALLED


async def test_every_status_is_shown_in_both_themes(console: httpx.AsyncClient) -> None:
    page = (await console.get("/styleguide")).text
    light, dark = page.split('data-theme="light"')[1].split('data-theme="dark"')
    words = {*statuses.CURATION, *(word for stage in DECLARATIONS for word in stage.statuses.all)}
    for half in (light, dark):
        for word in words:
            assert f"</svg>{word}</span>" in half, word
        assert half.count("<svg") > 50
        assert "<dialog open" in half


async def test_it_changes_nothing(console: httpx.AsyncClient) -> None:
    page = (await console.get("/styleguide")).text.split("<main")[1]
    assert 'method="post"' not in page
    assert "style=" not in page
