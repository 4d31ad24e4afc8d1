"""`scrapersky extract sitemap | pagetype | robots` need no database and keep their exit codes."""

import gzip
import json

import pytest
from click.testing import CliRunner

from scrapersky.cli import main

URLSET = "<urlset><url><loc>https://example.com/a</loc></url><url><loc>/b</loc></url></urlset>"


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, ["extract", *arguments], input=stdin)


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.xml").write_text(URLSET)
    (tmp_path / "packed.xml").write_bytes(gzip.compress(URLSET.encode()))
    (tmp_path / "cut.xml").write_text(URLSET[:60])
    (tmp_path / "page.xml").write_text("<!DOCTYPE html><html>not found</html>")
    (tmp_path / "bomb.xml").write_text('<!DOCTYPE x [<!ENTITY a "b">]>' + URLSET)
    (tmp_path / "robots.txt").write_text(
        "User-agent: *\nDisallow: /private\nCrawl-delay: 99\nSitemap: https://example.com/s.xml\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("name", "code", "kind", "n_urls", "refused"),
    [
        ("good.xml", 0, "urlset", 2, ""),
        ("packed.xml", 0, "urlset", 2, ""),
        ("cut.xml", 5, "urlset", 1, ""),
        ("page.xml", 1, "", 0, "not_a_sitemap"),
        ("bomb.xml", 1, "", 0, "xml_forbidden"),
    ],
)
def test_a_sitemap_is_summed_up(folder, name, code, kind, n_urls, refused):
    result = run("sitemap", str(folder / name), "--url", "https://example.com/sitemap.xml", "--json")
    assert result.exit_code == code
    (found,) = lines(result)
    assert (found["kind"], found["n_urls"], found["n_sitemaps"], found["refused"]) == (
        kind,
        n_urls,
        0,
        refused,
    )
    assert bool(found["problems"]) == (code != 0)
    assert found["file"] == name


def test_a_sitemap_may_come_from_standard_input_and_give_its_entries():
    result = run("sitemap", "-", "--url", "https://example.com/", "--urls", "--json", stdin=URLSET)
    assert [line["url"] for line in lines(result)[:2]] == ["https://example.com/a", "https://example.com/b"]
    assert result.exit_code == 0


def test_people_get_a_sentence(folder):
    result = run("sitemap", str(folder / "good.xml"), "--url", "https://example.com/s.xml")
    assert result.stdout == "good.xml: urlset, 2 pages, 0 sitemaps\n"
    assert "an HTML page" in run("sitemap", str(folder / "page.xml")).stdout


def test_page_types_are_told_with_priority_and_reason():
    result = run("pagetype", "https://e.com/kontakt", "https://e.com/feed/", "nonsense", "--json")
    assert result.exit_code == 0
    contact, feed, nonsense = lines(result)
    assert (contact["type"], contact["page_type"], contact["priority"]) == ("contact", "contact_root", 1)
    assert contact["reason"] == 'path "kontakt" (contact, de)'
    assert (feed["page_type"], feed["is_excluded"]) == ("feed", True)
    assert nonsense["page_type"] == "unknown"


def test_page_types_take_link_text_and_standard_input():
    result = run(
        "pagetype", "-", "--anchor", "Impressum", "--json", stdin="https://e.com/x\n\nhttps://e.com/y\n"
    )
    assert [line["page_type"] for line in lines(result)] == ["legal_root", "legal_root"]
    assert run("pagetype", "https://e.com/team").stdout.startswith(
        "https://e.com/team  team_root, priority 1"
    )


def test_robots_verdicts_name_their_rule(folder):
    result = run(
        *("robots", str(folder / "robots.txt"), "--agent", "ScraperSky/1.0", "--json"),
        *("https://example.com/private/x", "/open"),
    )
    assert result.exit_code == 0
    closed, allowing = lines(result)
    assert (closed["allowed"], closed["reason"], closed["delay"]) == (False, "Disallow: /private", 30.0)
    assert allowing["allowed"] is True
    assert allowing["sitemaps"] == ["https://example.com/s.xml"]
    assert "not allowed" in run("robots", str(folder / "robots.txt"), "/private").stdout


def test_a_text_that_is_no_url_gives_code_5(folder):
    result = run("robots", str(folder / "robots.txt"), "nonsense", "https://example.com/", "--json")
    assert result.exit_code == 5
    assert [line["reason"] for line in lines(result)] == ["not a URL", "no rule matches"]


@pytest.mark.parametrize(
    "arguments", [("sitemap", "missing.xml"), ("pagetype",), ("robots", "missing.txt", "/x")]
)
def test_wrong_usage_gives_code_2(arguments):
    assert run(*arguments).exit_code == 2
