"""Headers are hostile input: whatever they contain, nothing breaks or is injected (HTTP-10, HTTP-11)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.errors import StartupError
from scrapersky.fetch.http.headers import MAX_WAIT, conditional_headers, media_type, parse_retry_after
from scrapersky.fetch.limits import FetchOptions, user_agent_for

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("1.5", 1.5),
        ("9" * 5000, 86_400),
        ("86401", 86_400),
        ("Sun, 15 Nov 2026 12:02:00 GMT", 120),
        ("Sunday, 15-Nov-26 12:02:00 GMT", 120),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
    ],
)
def test_a_pause_is_honoured_up_to_a_day(value: str, seconds: float) -> None:
    assert parse_retry_after(value, now=NOW) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "-1",
        "1e9",
        "garbage",
        "nan",
        "inf",
        "٣",
        "Fri, 31 Dec 9999999 23:59:59 GMT",
        "Mon, 99 Foo 2026",
    ],
)
def test_a_pause_that_makes_no_sense_is_no_pause(value: str | None) -> None:
    assert parse_retry_after(value, now=NOW) is None


@given(
    st.text(max_size=80)
    | st.from_regex(r"[A-Z][a-z]{2}, \d{1,3} [A-Z][a-z]{2} \d{1,9} \d\d:\d\d:\d\d .{0,9}")
)
def test_a_pause_is_none_or_between_nothing_and_a_day(value: str) -> None:
    wait = parse_retry_after(value, now=NOW)
    assert wait is None or timedelta(0) <= wait <= MAX_WAIT


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("text/html; charset=utf-8", "text/html"),
        ("TEXT/HTML;", "text/html"),
        ("../../x", ""),
        ("x" * 100_000, ""),
        ("", ""),
        ("text/html; charset=", "text/html"),
    ],
)
def test_a_media_type_is_plain_or_nothing(value: str, kind: str) -> None:
    assert media_type({"Content-Type": value}) == kind


def test_a_stored_validator_cannot_smuggle_a_header() -> None:
    assert conditional_headers('"a"\r\nX: y', "Sun, 15 Nov 2026 12:00:00 GMT\n") == {}
    assert conditional_headers('W/"a"', None) == {"If-None-Match": 'W/"a"'}


def test_the_user_agent_is_honest_and_names_a_contact() -> None:
    assert user_agent_for("ops@example.com") == "ScraperSky/0.1 (+mailto:ops@example.com)"
    assert user_agent_for("https://example.com/bot").endswith("(+https://example.com/bot)")


@pytest.mark.parametrize(
    "agent", ["", "Mozilla/5.0", "X (+a@b.example)\r\nX: y", "x" * 190 + "ops@example.com", "ü a@b.example"]
)
def test_a_bad_user_agent_stops_the_start(agent: str) -> None:
    with pytest.raises(StartupError):
        FetchOptions(agent)
