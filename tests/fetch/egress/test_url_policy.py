"""Which URLs may be asked for: one reading of each, or none (B2, B4, DOM-08 to DOM-13)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from special_addresses import LOOPBACK
from yarl import URL

from scrapersky.fetch.egress.test_overrides import parse_egress_allow
from scrapersky.fetch.egress.url_policy import URLPolicy
from scrapersky.fetch.errors import BadRedirect, BadURL

POLICY = URLPolicy()

ODD = [
    "file:///etc/passwd",
    "gopher://example.com/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "data:text/html,x",
    "ws://example.com/",
    "//example.com",
    "example.com",
    "",
    "http://",
    "http:///",
    "http://example.com:22/",
    "http://example.com:8080/",
    "https://example.com:0/",
    "http://example.com:99999/",
    "http://ex%2fample.com/",
    "http://exa mple.com/",
    "http://example.com/\ud800",
    "http://example.com/\x7f",
    "http://example.com/" + "a" * 2048,
    "http://" + "a." * 200 + "com/",
    "a" * 1_000_000,
]


@pytest.mark.parametrize("text", LOOPBACK + ODD)
def test_a_url_that_leads_astray_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(BadURL) as caught:
        POLICY.check(text)
    assert str(caught.value)


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/a/../b?q=1#part", "https://example.com/b?q=1"),
        ("http://münchen.de/ü", "http://xn--mnchen-3ya.de/%C3%BC"),
        ("http://my_host.example.com/", "http://my_host.example.com/"),
        ("http://example.com/a b", "http://example.com/a%20b"),
        ("http://example.com/a%2Fb?x=%5C&y=\\", "http://example.com/a%2Fb?x=%5C&y=\\"),
        ("http://example.com./", "http://example.com./"),
    ],
)
def test_an_ordinary_url_passes_in_its_canonical_form(text: str, href: str) -> None:
    assert POLICY.check(text).href == href


@given(
    st.text(max_size=60),
    st.sampled_from(["", "http://", "https://", "http://a.example/", "http://a.example@"]),
)
def test_what_passes_is_read_alike_by_the_http_client(text: str, prefix: str) -> None:
    try:
        checked = POLICY.check(prefix + text)
    except BadURL:
        return
    again = URL(checked.href, encoded=True)
    assert (again.scheme, again.raw_host, again.port) == (checked.scheme, checked.host, checked.port)
    assert POLICY.check(checked.href).href == checked.href


@pytest.mark.parametrize(
    "location",
    [
        None,
        "",
        "  ",
        "file:///etc/passwd",
        "data:,x",
        "gopher://x/",
        "ftp://x/",
        "javascript:alert(1)",
        "\\\\host\\x",
        "/\\host",
        "http:\\\\host",
        "//user@host/",
        "http://u:p@b.example/",
        "http://127.0.0.1/",
        "//127.0.0.1/",
        "http://[::1",
        "http://b.example:22/",
        "/x\r\nSet-Cookie: a=b",
        "/" + "x" * 100000,
        "http://0x7f.1/",
        "https:127.0.0.1/",
        "http://%31.example/",
        "http://",
        "//",
    ],
)
def test_a_redirect_astray_is_refused(location: str | None) -> None:
    with pytest.raises(BadRedirect):
        POLICY.redirect("http://a.example/page", location)


@pytest.mark.parametrize(
    ("location", "href"),
    [
        ("/x", "http://a.example/x"),
        ("x y", "http://a.example/dir/x%20y"),
        ("//b.example/", "http://b.example/"),
        ("?q", "http://a.example/dir/page?q"),
        ("https://b.example/#f", "https://b.example/"),
        ("/caf\udcc3\udca9", "http://a.example/caf%C3%A9"),
        ("/caf\udce9", "http://a.example/caf%E9"),
    ],
)
def test_an_ordinary_redirect_is_joined_to_its_page(location: str, href: str) -> None:
    assert POLICY.redirect("http://a.example/dir/page", location).href == href


def test_allowed_addresses_and_ports_are_accepted() -> None:
    url_policy = URLPolicy(egress_allow=parse_egress_allow("127.0.0.1:8080"))

    assert url_policy.check("http://127.0.0.1:8080/").port == 8080
    assert url_policy.check("http://shop.example:8080/").authority == "shop.example:8080"
    with pytest.raises(BadURL):
        url_policy.check("http://127.0.0.1/")
    with pytest.raises(BadURL):
        url_policy.check("http://127.0.0.2:8080/")
