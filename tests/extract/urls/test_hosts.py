"""Every form of a domain gives one key or a reason (R117, R233; RELIABILITY 3.1 and D16)."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.hosts import politeness_key, registrable_domain, unicode_host

LONG_LABEL = "a" * 64
LONG_NAME = ".".join(["a" * 60] * 5)
MANY_LABELS = ".".join(["a"] * 128)


@pytest.mark.parametrize(
    "text",
    [
        "HTTPS://WWW.Example.COM.:443/path?q#f",
        "example.com",
        "EXAMPLE.com ",
        "http://example.com/",
        "www.example.com",
        "WWW.EXAMPLE.COM.",
        "example.com:80",
        "https://www.www.example.com/a/b?c=d",
        "\ufeffexample.com\u200b",
        "example.com/path with spaces".replace(" ", "%20"),
        "ｅｘａｍｐｌｅ.com",
    ],
)
def test_every_form_of_one_domain_has_one_key(text):  # DOM-01, DOM-02
    reading = read_host(text)
    assert (reading.host, reading.registrable, reading.reason) == ("example.com", "example.com", "")
    assert reading.ok
    assert reading.url.startswith("https://example.com")


@pytest.mark.parametrize(
    "text", ["münchen.de", "xn--mnchen-3ya.de", "MÜNCHEN.de", "https://www.münchen.de/x"]
)
def test_an_international_domain_is_stored_in_ascii_and_shown_as_written(text):  # DOM-14
    reading = read_host(text)
    assert (reading.host, reading.display) == ("xn--mnchen-3ya.de", "münchen.de")


@pytest.mark.parametrize(
    "text",
    [
        *("localhost", "LOCALHOST.", "foo.localhost", "metadata.google.internal", "host.docker.internal"),
        *("kubernetes.default.svc", "x.local", "printer.lan", "db.corp", "router.home", "x.onion", "a.test"),
        *("intranet", "server1", "foo.invalid", "1.0.0.127.in-addr.arpa"),
    ],
)
def test_a_name_of_a_private_network_is_refused(text):  # DOM-04
    assert read_host(text).reason == "not a public domain"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "127.0.0.1",
            "[::1]",
            "10.0.0.1",
            "8.8.8.8",
            "0x7f.1",
            "2130706433",
            "127.1",
            "017700000001",
            "::1",
        ),
        *(
            "①②⑦.⓪.⓪.①",
            "127。0。0。1",
            "１２７.０.０.１",
            "http://[::ffff:127.0.0.1]/",
            "http://8.8.8.8:80/x",
        ),
    ],
)
def test_an_address_is_not_a_domain(text):  # DOM-05, DOM-07, DOM-11
    reading = read_host(text)
    assert not reading.ok
    assert "IP address" in reading.reason


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("http://example.com@127.0.0.1/", "user name"),
        ("http://127.0.0.1\\@example.com/", "backslash"),
        ("http://example.com#@127.0.0.1/", "user name"),
        ("http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", "white space"),
        ("http://a@b@example.com/", "user name"),
        ("http://example.com?@evil.com/", "user name"),
        ("exa\tmple.com", "white space"),
        ("exa\x00mple.com", "control"),
        ("exa\nmple.com", "white space"),
        ("http://%31%32%37.0.0.1/", "percent"),
        ("http://ex%2fample.com/", "percent"),
        ("http://[fe80::1%25eth0]/", "percent"),
        ("http://[::1", "IP address"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://x", "scheme"),
        ("ftp://x.com", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("mailto:a@b.com", "scheme"),
        ("http:example.com", "scheme"),
        ("//example.com", "scheme"),
        ("/example.com", "slash"),
        ("", "empty"),
        ("   ", "empty"),
        ("\u200b", "empty"),
        (f"{LONG_LABEL}.com", "63"),
        (f"{LONG_NAME}.com", "253"),
        (f"{MANY_LABELS}.com", "253"),
        ("a" * 1_000_000, "longer than"),
        ("co.uk", "public suffix"),
        ("com", "public suffix"),
        ("github.io", "public suffix"),
        ("'; DROP TABLE domains;--", "white space"),
        ("{{7*7}}", "characters"),
        ("${jndi:x}", ""),
        ("<script>alert(1)</script>.com", ""),
        ("-example.com", "characters"),
        ("exa_mple.com", "characters"),
        ("example..com", ""),
        (".example.com", ""),
        ("example.com:99999", "port"),
        ("example.com:abc", ""),
        ("example.com:0", "port"),
        ("\ud800.com", ""),
    ],
)
def test_what_is_no_domain_is_refused_with_a_reason(text, word):  # DOM-08 to DOM-22
    reading = read_host(text)
    assert not reading.ok
    assert reading.reason
    assert word in reading.reason
    reading.text.encode("utf-8")
    assert len(reading.text) <= 200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("example.com:22", "port 22: only sites on port 80 or 443 are read"),
        ("http://example.com:8080/", "port 8080: only sites on port 80 or 443 are read"),
        ("https://shop.example.co.uk:8443/a?b#c", "port 8443: only sites on port 80 or 443 are read"),
        ("example.com:81/path", "port 81: only sites on port 80 or 443 are read"),
        ("EXAMPLE.com.:3000", "port 3000: only sites on port 80 or 443 are read"),
        ("example.com:", "no port behind the colon"),
        ("https://example.com:/contact", "no port behind the colon"),
        ("example.com:http", "port is not a number"),
        ("example.com:22x", "port is not a number"),
        ("https://example.com:-80/", "port is not a number"),
        ("example.com:２２", "port is not a number"),
        ("example.com:65536", "port out of range"),
        ("example.com:000000000080", "port out of range"),
        ("[::1]:80", "an IP address, not a domain"),
        ("http://[2606:4700::1111]:8080/", "an IP address, not a domain"),
        ("example.com:80:90", "an IP address, not a domain"),
        ("user@example.com", "a user name (@) is not part of a domain"),
        ("user:secret@example.com", "a user name (@) is not part of a domain"),
        ("https://user:secret@example.com:443/", "a user name (@) is not part of a domain"),
        ("http://@example.com/", "a user name (@) is not part of a domain"),
        ("example.com:80@evil.com", "a user name (@) is not part of a domain"),
    ],
)
def test_no_port_and_no_user_name_is_dropped_silently(text, reason):
    assert (read_host(text).host, read_host(text).reason) == ("", reason)


def test_a_laboratory_may_use_any_port():
    reading = read_host("http://acme.demo:8080/a", lab_suffixes=("demo",))
    assert (reading.host, reading.url) == ("acme.demo", "https://acme.demo:8080/a")


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("facebook.com/acme", "facebook"),
        ("https://www.facebook.com/acme", "facebook"),
        ("de-de.facebook.com/acme", "facebook"),
        ("linktr.ee/x", "linktree"),
        ("sites.google.com/x", "google"),
        ("https://www.yelp.co.uk/biz/acme", "yelp"),
        ("https://www.instagram.com/acme/", "instagram"),
        ("x.com/acme", "twitter"),
    ],
)
def test_a_page_on_a_platform_is_no_domain_to_crawl(text, platform):  # DOM-20
    reading = read_host(text)
    assert (reading.platform, reading.host, reading.ok) == (platform, "", False)
    assert reading.url.startswith("https://")


@pytest.mark.parametrize(
    ("host", "registrable"),
    [
        ("shop.example.co.uk", "example.co.uk"),
        ("user.github.io", "user.github.io"),
        ("a.user.github.io", "user.github.io"),
        ("example.com", "example.com"),
        ("com", ""),
        ("localhost", ""),
    ],
)
def test_the_registrable_domain_follows_the_suffix_list(host, registrable):  # DOM-19
    assert registrable_domain(host) == registrable


def test_www_stays_where_nothing_registrable_would_be_left():
    assert read_host("www.co.uk").host == "www.co.uk"
    assert read_host("www.www.co.uk").host == "www.co.uk"


def test_a_laboratory_may_allow_endings_of_its_own():
    assert read_host("shop.firm.example", lab_suffixes=("example",)).registrable == "firm.example"
    assert not read_host("shop.firm.example").ok


def test_a_sub_domain_is_a_domain_of_its_own():
    reading = read_host("blog.example.com")
    assert (reading.host, reading.registrable) == ("blog.example.com", "example.com")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("https://a.example.com/x", "example.com"),
        ("b.example.com", "example.com"),
        ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("localhost", "localhost"),
        ("http://[::1]/", "[::1]"),
        ("", ""),
        ("http://", ""),
    ],
)
def test_hosts_of_one_site_share_one_pace(text, key):
    assert politeness_key(text) == key


@pytest.mark.timed
def test_a_million_letters_are_refused_at_once():  # DOM-17
    started = process_time()
    for text in ("a" * 1_000_000, "ä" * 1_000_000, "a." * 500_000, "http://" * 100_000):
        assert not read_host(text).ok
    assert process_time() - started < 0.4


NASTY = st.text(alphabet="aA.:/@\\%[]-_ü①。ß\u200b\t\x00?#&xn0178w" + "\ud800", max_size=60)
DOMAINS = st.from_regex(r"[a-z0-9äöü][a-z0-9äöü\-]{0,20}\.(com|de|co\.uk|github\.io|рф)", fullmatch=True)


def check_host(text):
    reading = read_host(text)
    assert bool(reading.reason) != reading.ok
    assert politeness_key(text) is not None
    if reading.ok:
        again = read_host(reading.host)
        assert (again.host, again.registrable, again.display) == (
            reading.host,
            reading.registrable,
            reading.display,
        )
        assert read_host(reading.display).host == reading.host
        assert read_host(reading.url).host == reading.host
        assert read_host(f"HTTP://WWW.{reading.host.upper()}.:80/x?y#z").host == reading.host
        assert read_host(f"  {reading.host}\n").host == reading.host
        assert reading.host.isascii()
        assert len(reading.host) <= 253


@given(st.one_of(st.text(max_size=200), NASTY, DOMAINS))
@settings(max_examples=300, deadline=None)
def test_a_domain_is_read_once_for_all_and_nothing_raises(text):  # D16
    check_host(text)


@pytest.mark.reliability
@given(st.one_of(st.text(max_size=200), NASTY, DOMAINS))
@settings(max_examples=10_000, deadline=None)
def test_a_domain_is_read_once_for_all_in_ten_thousand_cases(text):  # D16
    check_host(text)


@given(st.text(max_size=100))
@settings(max_examples=200, deadline=None)
def test_the_shown_form_always_leads_back(text):
    display = unicode_host(text)
    assert display == text or read_host(display).host in ("", text.removeprefix("www."))
