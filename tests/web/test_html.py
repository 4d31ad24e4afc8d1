"""Templates: nothing is put into a page unescaped, and odd values are shown plainly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import Request
from jinja2 import UndefinedError

from scrapersky.web.assets import load_assets
from scrapersky.web.html import (
    make_templates,
    respond_html,
    safe_link,
    show_age,
    show_day,
    show_number,
    show_query,
)

TEMPLATES = make_templates(load_assets())
ODD: list[Any] = ["", "x" * 10_000, '<script>alert("1")</script>', "שלום עולם", "a\u202eb", "0", 0, -1, None]


@pytest.mark.parametrize("value", ODD, ids=lambda value: str(value)[:12])
def test_a_part_takes_any_value_without_breaking_the_page(value: Any) -> None:
    calls = (
        "pill(v)", "pill(v, v)", "tile(v, v, v)", "copy(v, v)", "field('n', v, value=v, hint=v, error=v)",
        "confirm(v, '/x', v, fields={'a': v})", "priority(v)", "icon('x', v)",
    )  # fmt: skip
    for call in calls:
        page = TEMPLATES.from_string(
            '{% import "parts.html" as parts %}{{ parts.' + call + " }}", template_class=None
        )
        html = page.render(v=value)
        assert "<script" not in html, call
        assert 'alert("' not in html, call


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        TEMPLATES.from_string("{{ missing }}").render()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a", "https://example.com/a"),
        ("mailto:a@example.com", "mailto:a@example.com"),
        ("javascript:alert(1)", ""),
        ("JavaScript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("//evil.example", ""),
        ("http://[", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_only_harmless_links_are_links(url: str | None, expected: str) -> None:
    assert safe_link(url) == expected


def test_numbers_have_groups_that_never_break() -> None:
    assert show_number(1_234_567) == "1\u202f234\u202f567"
    assert show_number(12.345) == "12.3"
    assert show_number(None) == "–"


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(seconds=12), "12\u202fs"),
        (timedelta(minutes=4), "4\u202fmin"),
        (timedelta(hours=3), "3\u202fh"),
        (timedelta(days=20), "20\u202fd"),
        (timedelta(days=800), "800\u202fd"),
        (timedelta(seconds=-50), "0\u202fs"),
    ],
)
def test_ages_have_one_unit(age: timedelta, expected: str) -> None:
    assert show_age(datetime.now(UTC) - age) == expected


def test_moments_are_in_utc() -> None:
    assert show_day(datetime(2026, 11, 3, 9, 5, tzinfo=UTC)) == "3 Nov 2026 09:05 UTC"
    assert show_day(None) == show_age(None) == "–"


def test_a_query_keeps_repeated_values_and_drops_empty_ones() -> None:
    assert show_query({"type": ["a", "b"], "q": "x y"}, q=None) == "?type=a&type=b"
    assert show_query({"q": "a&b=<c>"}) == "?q=a%26b%3D%3Cc%3E"
    assert show_query({}) == "?"


@pytest.mark.parametrize(("accepted", "is_compressed"), [("gzip, br", True), ("identity", False)])
def test_long_pages_are_compressed_if_the_browser_takes_that(accepted: str, is_compressed: bool) -> None:
    request = Request({"type": "http", "headers": [(b"accept-encoding", accepted.encode())]})
    response = respond_html(request, "<p>" + "word " * 1_000)
    assert (response.headers.get("content-encoding") == "gzip") is is_compressed
    assert int(response.headers["content-length"]) == len(response.body)
    assert "content-encoding" not in respond_html(request, "<p>short").headers
