"""The short way by the folder and the long way by the whole URL give the same type, depth and trap."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.pagetypes import classify_listed_url, classify_url, sitemap_pages
from scrapersky.extract.pagetypes.sitemap_pages import ListedURL
from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import path_depth, trap_reason

SEGMENTS = """
    about-us AboutUs kontakt contact-lenses team_building our-team jobs kontakt-jobs blog news category tag
    shop products services press gallery 2024 05 12 7 777 12345 page de en pt-br index index_en home-page
    start default wp-content wp-json feed rss.php main.php calendar events 2024-05 sitemap.xml xmlrpc.php a a
    x.html steel-bolt steel-bolt-77 red-shoe ~user _x -y- item.aspx photo.jpg %C3%BCber-uns a;b . .. qzxv
    77777777
""".split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
STARTS = (
    "https://firm.example", "http://blog.firm.example", "https://jobs.firm.example:8080", "https://",
    "https://www.a-firm-of-ours.co.uk", "https://shop.a-firm.de", "https://xn--mller-kva.de", "https://1.2.3.4",
    "https://a..b", "https://-a.de", "HTTPS://Firm.Example",
)  # fmt: skip
ENDS = ("", "/", "//", "?page=kontakt", "?a=b", "#x", ".html", ".php/")


def the_long_way(url: str) -> ListedURL:
    return ListedURL(classify_url(url), path_depth(url), trap_reason(url))


def in_folder(url: str) -> ListedURL:
    """The standing once the folder is known, which takes a second page in it."""
    classify_listed_url(url)
    return classify_listed_url(url)


segments = st.lists(
    st.sampled_from(SEGMENTS) | st.from_regex(r"[a-z0-9_.~-]{1,12}", fullmatch=True), max_size=6
)


@settings(deadline=None)
@given(st.sampled_from(STARTS), segments, st.sampled_from(ENDS))
def test_both_ways_agree_on_every_url(start, parts, end):
    url = "/".join((start, *parts)) + end
    for form in {url, read_url(url).url or url}:
        assert in_folder(form) == the_long_way(form), form


def test_both_ways_agree_on_twenty_thousand_mixed_paths():
    chance = random.Random(8)
    for _ in range(20_000):
        parts = chance.choices(SEGMENTS, k=chance.randint(0, 5))
        url = "/".join((chance.choice(STARTS), *parts)) + chance.choice(ENDS)
        assert in_folder(url) == the_long_way(url), url


@pytest.mark.parametrize("depth", [18, 19, 20, 21, 23, 24, 25])
def test_both_ways_agree_at_the_limits_of_depth(depth):
    url = "https://firm.example/" + "/".join(f"a{n}" for n in range(depth)) + "/name"
    assert in_folder(url) == the_long_way(url)


@pytest.mark.parametrize("last", ["a", "A", "a/", "777", "b"])
def test_both_ways_agree_on_repeated_segments(last):
    for start in itertools.product(("a", "777"), repeat=3):
        url = f"https://firm.example/{'/'.join(start)}/{last}"
        assert in_folder(url) == the_long_way(url)


def test_the_usual_pages_of_a_folder_are_judged_once(monkeypatch):
    for name in ("first", "second"):
        classify_listed_url(f"https://once.example/shop/{name}-thing")

    def refuse(url: str) -> None:
        raise AssertionError(f"{url} was taken apart")

    monkeypatch.setattr(sitemap_pages, "classify_url", refuse)
    found = classify_listed_url("https://once.example/shop/third-thing")
    assert (found.kind.page_type, found.depth, found.trap) == ("product", 2, "")
