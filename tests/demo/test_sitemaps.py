"""The sitemaps of the demo world list what the truth says, in every state in which they are met."""

import gzip
import re
from collections import Counter

import pytest

from scrapersky_demo.sites.plan import SITEMAPS


@pytest.fixture
def body_of(world):
    def body(url: str) -> bytes:
        host, _, path = url.removeprefix("http://").partition("/")
        answer = world.answer(host, f"/{path}")
        assert answer.status == 200
        return gzip.decompress(answer.body) if url.endswith(".gz") else answer.body

    return body


def test_each_file_lists_as_many_urls_as_the_truth_says(truth, body_of):
    for known in truth.domains.values():
        for sitemap in known.sitemaps:
            body = body_of(sitemap.url).decode()
            entries = {
                "index": 0,
                "urlset": len(re.findall(r"</loc>", body.replace("</image:loc>", ""))),
                "text": len(body.split()),
                "rss": body.count("<item>"),
            }
            assert entries[sitemap.kind] == sitemap.url_count, sitemap.url


def test_each_index_names_its_children_and_each_child_answers(truth, body_of):
    for known in truth.domains.values():
        for sitemap in known.sitemaps:
            if sitemap.kind == "index":
                assert re.findall(r"<loc>(.*?)</loc>", body_of(sitemap.url).decode()) == list(
                    sitemap.children
                )
                assert set(sitemap.children) <= {other.url for other in known.sitemaps}


def test_a_split_index_has_exactly_eight_children(truth):
    indexes = [
        known.sitemaps[0] for known in truth.domains.values() if known.sitemap == "index8" and known.sitemaps
    ]

    assert len(indexes) > 20
    assert {len(index.children) for index in indexes} == {8}


def test_a_damaged_file_is_whole_up_to_the_place_that_the_truth_names(truth, body_of):
    damaged = [s for known in truth.domains.values() for s in known.sitemaps if s.state != "whole"]
    for sitemap in damaged:
        body = body_of(sitemap.url).decode()
        fault = body.index("&lang") if sitemap.state == "broken" else len(body)
        assert body[:fault].count("</loc>") == sitemap.certain

    assert {sitemap.state for sitemap in damaged} == {"broken", "truncated"}


def test_all_pages_of_a_whole_sitemap_are_listed(truth, body_of):
    for known in truth.domains.values():
        if known.outcome == "answers" and known.sitemap in (
            "index8",
            "nested",
            "standard",
            "gz",
            "text",
            "robots-line",
        ):
            listed = "\n".join(
                body_of(sitemap.url).decode() for sitemap in known.sitemaps if sitemap.kind != "index"
            )
            assert all(page.url in listed for page in known.pages)


def test_a_sitemap_found_by_robots_is_named_there_and_no_other(truth, body_of):
    for known in truth.domains.values():
        if known.outcome != "answers" or not known.pages:
            continue
        host = known.pages[0].url.split("/")[2]
        named = {sitemap.url for sitemap in known.sitemaps if sitemap.found_by == "robots"}
        if known.robots in ("missing", "html"):
            assert not named
        else:
            text = body_of(f"http://{host}/robots.txt").decode()
            assert set(re.findall(r"Sitemap: (\S+)", text)) == named


def test_a_huge_sitemap_is_as_long_as_the_setting_and_its_pages_answer(world, truth):
    huge = next(known for known in truth.domains.values() if known.sitemap == "huge" and known.sitemaps)
    host = huge.pages[0].url.split("/")[2]

    assert huge.sitemaps[0].url_count > 500
    assert world.answer(host, "/catalogue/item-000123.html").status == 200


def test_every_state_of_a_sitemap_occurs(truth):
    seen = Counter(known.sitemap for known in truth.domains.values())

    assert set(seen) == {*SITEMAPS, "wordpress-own"}
