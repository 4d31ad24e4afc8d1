"""One canonical form for URLs: idempotent, never raising, by the rules of a browser (D16)."""

from time import process_time

import can_ada
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import (
    MAX_URL,
    canonical_url,
    host_of,
    path_depth,
    same_site,
    trap_reason,
)

BASE = "https://example.com/a/b?x=1"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://EXAMPLE.com:443/A", "https://example.com/A"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        ("https://example.com/a#frag", "https://example.com/a"),
        ("https://example.com/a?utm_source=x&b=2&utm_medium=y", "https://example.com/a?b=2"),
        ("https://example.com/a?b=2&a=1", "https://example.com/a?b=2&a=1"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a/", "https://example.com/a/"),
        ("https://example.com/a;jsessionid=0A1B?c=d", "https://example.com/a?c=d"),
        ("https://example.com/?gclid=1&fbclid=2", "https://example.com/"),
        ("https://münchen.de/straße", "https://xn--mnchen-3ya.de/stra%C3%9Fe"),
        (" \thttps://example.com/a\n", "https://example.com/a"),
        ("https://exa\nmple.com/a b", "https://example.com/a%20b"),
        ("https:\\\\example.com\\x", ""),
        ("/c", "https://example.com/c"),
        ("c", "https://example.com/a/c"),
        ("?y=2", "https://example.com/a/b?y=2"),
        ("//other.com/x", "https://other.com/x"),
        ("../../../x", "https://example.com/x"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
    ],
)
def test_a_link_has_one_canonical_form(text, canonical):
    if canonical:
        assert canonical_url(text, base=BASE) == canonical
    else:
        assert canonical_url(text) == ""


@pytest.mark.parametrize(
    ("text", "base", "reason"),
    [
        ("", BASE, "empty"),
        (" \t", BASE, "empty"),
        ("/x", "", "relative without a base"),
        ("javascript:alert(1)", BASE, "scheme"),
        ("mailto:a@b.de", BASE, "scheme"),
        ("tel:+4930", "", "scheme"),
        ("data:text/html,x", BASE, "scheme"),
        ("file:///etc/passwd", BASE, "scheme"),
        ("https://user:pass@example.com/", "", "user name in the URL"),
        ("http://[::1", BASE, "not a URL"),
        ("http://exa mple.com/", "", "not a URL"),
        ("http://example.com:99999/", "", "not a URL"),
        ("https://example.com/" + "a" * MAX_URL, "", "too long"),
        ("a" * 1_000_000, BASE, "too long"),
        ("/x", "not a base", "not a URL"),
    ],
)
def test_what_cannot_be_fetched_has_a_reason(text, base, reason):
    assert read_url(text, base=base) == ("", reason)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a",
        "https://sub.example.co.uk/a-b/c_d.html",
        "https://example.com/..a/b",
        "https://example.com/a/.b",
        "https://example.com//a",
        "https://xn--mnchen-3ya.de/a",
        "https://a--b.com/x",
        "http://127.0.0.1/x",
        "http://1.2.3.com/",
        "https://example.com/a%2eb",
        "https://example.com/~x/(y)!$*+,=:@-",
        "https://-example.com/",
        "https://example.com/A/B",
        "https://ex.ample.museum/",
    ],
)
def test_the_short_way_agrees_with_the_parser(text):
    parsed = can_ada.parse(text)
    parsed.hash = ""
    assert canonical_url(text) == parsed.href


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("https://example.com/", "http://www.example.com:8080/x", True),
        ("https://shop.example.com/", "https://example.com/", True),
        ("https://a.github.io/", "https://b.github.io/", False),
        ("https://example.com/", "https://example.org/", False),
        ("http://127.0.0.1/", "http://127.0.0.1:99/", True),
        ("http://127.0.0.1/", "http://127.0.0.2/", False),
        ("http://localhost/", "http://www.localhost/", True),
        ("", "", False),
        ("not a url", "not a url", False),
    ],
)
def test_one_rule_says_what_is_on_the_same_site(one, other, expected):  # SM-08
    assert same_site(one, other) is expected


@pytest.mark.parametrize(
    ("url", "sign"),
    [
        ("https://e.com/" + "a/" * 21, "segments"),
        ("https://e.com/x/y/x/z/x/", "repeats"),
        ("https://e.com/calendar/2024-05", "calendar"),
        ("https://e.com/events/2024/05/01/", "calendar"),
        ("https://e.com/?replytocom=5", "replytocom"),
        ("https://e.com/p?add-to-cart=5", "add-to-cart"),
        ("https://e.com/?" + "&".join(f"f{n}=1" for n in range(13)), "parameters"),
        ("https://e.com/?" + "&".join("f=1" for _ in range(9)), "parameters"),
        ("https://e.com/2024/01/01/hello", ""),
        ("https://e.com/kontakt", ""),
        ("https://e.com/a/a/b", ""),
    ],
)
def test_endless_spaces_are_recognised(url, sign):
    found = trap_reason(url)
    assert (sign in found) if sign else found == ""


def test_a_page_has_a_depth():
    assert [path_depth(url) for url in ("https://e.com/", "https://e.com/a/b/", "no url")] == [0, 2, 0]
    assert host_of("https://EXAMPLE.com./x") == "example.com"


PIECES = (
    *(
        "http://",
        "https:",
        "//",
        "example.com",
        "/",
        "..",
        ".",
        "?",
        "#",
        "utm_source=x",
        "&",
        "=",
        "%2e",
        "%",
    ),
    *(";jsessionid=1", "ü", " ", "\\", "@", ":", "80", "xn--", "[", "]", "\x00", "\ud800", "a", "+"),
)
PARTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def check_url(text, base):
    url, reason = read_url(text, base=base)
    assert bool(url) != bool(reason)
    trap_reason(text)
    path_depth(text)
    host_of(text)
    if url:
        assert read_url(url) == (url, "")
        assert read_url(url, base=BASE) == (url, "")
        assert url.startswith(("http://", "https://"))
        assert "#" not in url
        assert url.isascii()
        assert len(url) <= MAX_URL
        assert canonical_url(url + "#x") == url


BASES = st.sampled_from(["", BASE, "https://example.com/x/?y", "nonsense"])


@given(st.one_of(st.text(max_size=200), PARTS), BASES)
@settings(max_examples=400, deadline=None)
def test_the_canonical_form_is_its_own(text, base):  # D16
    check_url(text, base)


@pytest.mark.reliability
@given(st.one_of(st.text(max_size=300), PARTS), BASES)
@settings(max_examples=10_000, deadline=None)
def test_the_canonical_form_is_its_own_in_ten_thousand_cases(text, base):  # D16
    check_url(text, base)


@pytest.mark.timed
@pytest.mark.parametrize("piece", ["a.", "a/", "..-", "-", "%2e/", "utm_a=1&", ";jsessionid=", "xn--"])
def test_reading_a_url_takes_linear_time(piece):
    def seconds(size):
        text = "https://" + piece * (size // len(piece))
        return min(_timed(text) for _ in range(5))

    def _timed(text):
        started = process_time()
        for _ in range(20):
            read_url(text)
        return process_time() - started

    assert seconds(8_000) < 8 * max(seconds(2_000), 0.0005)
