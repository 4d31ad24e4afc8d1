"""Verdicts on robots.txt are Protego's, with a reason, in bounded time (RELIABILITY 3.4, E7; RFC 9309)."""

import codecs
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from scrapersky.extract.robots import read_robots
from scrapersky.extract.robots.policy import MAX_BYTES, product_token

AGENT = "ScraperSky/1.0 (+https://example.com/bot)"
SITE = "https://example.com"


def may(rules, path, agent=AGENT):
    return read_robots(rules.encode()).decide(SITE + path, agent).is_allowed


# Written after the examples and rules of RFC 9309 and the behaviour of Google's matcher.
TABLE = [
    ("", "/x", True),
    ("User-agent: *\nDisallow:", "/x", True),
    ("User-agent: *\nDisallow: /", "/x", False),
    ("User-agent: *\nDisallow: /", "/", False),
    ("user-AGENT: *\ndisallow: /x", "/x/y", False),
    ("User-agent: *\nDisallow: /x", "/X", True),
    ("User-agent: *\nDisallow: /fish", "/fish.html", False),
    ("User-agent: *\nDisallow: /fish", "/fishheads/yummy.html", False),
    ("User-agent: *\nDisallow: /fish", "/fish.php?id=anything", False),
    ("User-agent: *\nDisallow: /fish", "/catfish", True),
    ("User-agent: *\nDisallow: /fish/", "/fish", True),
    ("User-agent: *\nDisallow: /fish/", "/fish/salmon.htm", False),
    ("User-agent: *\nDisallow: /*.php", "/folder/any.php.file.html", False),
    ("User-agent: *\nDisallow: /*.php", "/windows.PHP", True),
    ("User-agent: *\nDisallow: /*.php$", "/filename.php", False),
    ("User-agent: *\nDisallow: /*.php$", "/filename.php?parameters", True),
    ("User-agent: *\nDisallow: /fish*.php", "/fishheads/catfish.php?parameters", False),
    ("User-agent: *\nDisallow: /fish*.php", "/Fish.PHP", True),
    ("User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
    ("User-agent: *\nAllow: /folder\nDisallow: /folder", "/folder/page", True),
    ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
    ("User-agent: *\nAllow: /page\nDisallow: /*.ph", "/page.php5", True),
    ("User-agent: *\nAllow: /$\nDisallow: /", "/", True),
    ("User-agent: *\nAllow: /$\nDisallow: /", "/page.htm", False),
    ("User-agent: scrapersky\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/b", True),
    ("User-agent: scrapersky\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/a", False),
    ("User-agent: ScraperSky\nDisallow: /a\n\nUser-agent: scrapersky\nDisallow: /b", "/a", False),
    ("User-agent: ScraperSky\nDisallow: /a\n\nUser-agent: scrapersky\nDisallow: /b", "/b", False),
    ("User-agent: other\nUser-agent: scrapersky\nDisallow: /a", "/a", False),
    ("User-agent: other\nDisallow: /", "/a", True),
    ("User-agent: other\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", True),
    ("Disallow: /a", "/a", True),
    ("Unknown: x\nUser-agent: *\nUnknown: y\nDisallow: /a", "/a", False),
    ("User-agent: * # all\nDisallow: /a # not this", "/a", False),
    ("User-agent: *\nDisallow: /a%3cd.html", "/a%3Cd.html", False),
    ("User-agent: *\nDisallow: /ü", "/%C3%BC", False),
    ("User-agent: *\n\n\nDisallow: /a", "/a", False),
    ("User-agent: *\nDisallow /a\nDisallow: /b", "/b", False),
    ("User-agent: *\nCrawl-delay: 5\nDisallow: /a", "/a", False),
    ("User-agent: *\nSitemap: https://example.com/s.xml\nDisallow: /a", "/a", False),
]


@pytest.mark.parametrize(("rules", "path", "allowed"), TABLE)
def test_rules_decide_as_the_standard_says(rules, path, allowed):  # E7, ROB-10
    assert may(rules, path) is allowed


@pytest.mark.parametrize(("rules", "path", "_"), TABLE)
def test_verdicts_are_those_of_protego(rules, path, _):
    assert may(rules, path) == Protego.parse(rules).can_fetch(SITE + path, "scrapersky")


@pytest.mark.parametrize(
    "name",
    [
        *("ScraperSky/1.0", "scrapersky/2.7.1-beta", "SCRAPERSKY/*", "ScraperSky 1.0", "ScraperSky*"),
        *("A, ScraperSky, B", "Googlebot,ScraperSky", "GPTBot; ScraperSky", "Foo | ScraperSky/1.0 | Bar"),
        *("scrapersky bot", "ScraperSkyBot", "ScraperSky-Bot/3", "scrapersky_crawler", "ScraperSky Spider/1"),
        *("ScraperSky # bad bot", "ScraperSky/1.0#x", '"ScraperSky"', "ScraperSky,", ", ScraperSky:"),
        "ScraperSky/0.1 (+https://example.com/about)",
        "Mozilla/5.0 (compatible; ScraperSky/1.0; +https://example.com/)",
    ],
)
@pytest.mark.parametrize("field", ["User-agent:", "user agent :", "Useragents:", "USER_AGENT:"])
def test_an_owner_who_names_us_in_any_form_is_obeyed(field, name):
    rules = f"User-agent: *\nAllow: /\n\n{field} {name}\nDisallow: /private\nCrawl-delay: 9\n"
    assert not may(rules, "/private")
    assert may(rules, "/public")
    assert read_robots(rules.encode()).delay(AGENT) == 9
    assert not may(rules.replace("*\nAllow", f"{name}\nDisallow").replace("private", "other"), "/x")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "NotScraperSky/1.0",
            "ScraperSky-Images",
            "A, B",
            "my scraper sky",
            "Foo (+https://scrapersky.com)",
        ),
        *("Sky, Scraper", "scraperskyscraper", "bot", "robots", "/1.0", ","),
    ],
)
def test_an_owner_who_names_somebody_else_leaves_us_under_the_rules_for_all(name):
    rules = f"User-agent: {name}\nDisallow: /theirs\n\nUser-agent: *\nDisallow: /all\n"
    assert may(rules, "/theirs")
    assert not may(rules, "/all")


@pytest.mark.parametrize("names", ["*, Googlebot", "Foo *", "* , ScraperSky", "*/1.0, *"])
def test_a_star_within_a_list_means_everybody(names):
    assert not may(f"User-agent: {names}\nDisallow: /a", "/a")


LINES = (
    *("User-agent: *", "User-agent: scrapersky", "User-agent: other", "User-agent: sky*", "Disallow: /", ""),
    *("Allow: /", "Disallow: /a", "Allow: /a/b", "Disallow: /*.php$", "Disallow:", "Crawl-delay: 3", "Noise"),
    *("Disallow: /a*b", "# comment", "Allow: /a$", "Disallow: /%61", "User-agent: scrapers"),
)
RULES = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)
PATHS = st.sampled_from(["/", "/a", "/a/b", "/a/b.php", "/x.php", "/acb", "/b", "/a?x=1"])


@given(RULES, PATHS)
@settings(max_examples=400, deadline=None)
def test_verdicts_are_those_of_protego_for_any_mix_of_rules(rules, path):
    assert may(rules, path, "ScraperSky") == Protego.parse(rules).can_fetch(SITE + path, "scrapersky")


@given(st.lists(st.sampled_from(LINES[4:]), max_size=12), PATHS, st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_verdicts_among_very_many_rules_are_those_of_protego(rules, path, place):
    many = [f"{'Dis' * (number % 3 > 0)}allow: /*{number}*x{number % 7}" for number in range(400)]
    text = "\n".join(["User-agent: *", *many[:place], *rules, *many[place:]])
    for asked in (path, f"{path}{place}-x{place % 7}", "/robots.txt"):
        assert may(text, asked) == Protego.parse(text).can_fetch(SITE + asked, "scrapersky")


def test_among_very_many_rules_an_allowed_pattern_stays_before_others_as_long():
    many = [f"Disallow: /*{number}" for number in range(1000, 1400)]
    text = "\n".join(["User-agent: *", "Disallow: /p*qr", "Disallow: /pq*r", "Allow: /pq*r", *many])
    assert may(text, "/pqr")
    assert not may(text, "/1001")


def test_a_verdict_names_its_rule():
    robots = read_robots(b"User-agent: *\nDisallow: /private\nAllow: /private/open")
    assert robots.decide(SITE + "/private/x", AGENT).reason == "Disallow: /private"
    assert robots.decide(SITE + "/private/open", AGENT).reason == "Allow: /private/open"
    assert robots.decide(SITE + "/", AGENT).reason == "no rule matches"
    assert read_robots(b"").decide(SITE + "/", AGENT).reason == "no rules (empty file)"
    assert robots.decide("not a url", AGENT) == (False, "not a URL", None)


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        *(("1e308", 30.0), ("nan", None), ("-5", 0.0), ("0.0001", 0.0001), ("99999999", 30.0), ("2.5", 2.5)),
        *(("inf", 30.0), ("text", None), ("", None), ("1 second", None), ("-inf", 0.0)),
    ],
)
def test_a_crawl_delay_is_clamped(line, delay):  # ROB-08
    robots = read_robots(f"User-agent: *\nCrawl-delay: {line}\nDisallow: /a".encode())
    found = robots.delay(AGENT)
    assert found == delay or (found is None and delay in (None, 0.0, 30.0))
    assert found is None or 0 <= found <= 30
    assert robots.decide(SITE + "/", AGENT).delay == found


@pytest.mark.parametrize(
    "body",
    [
        codecs.BOM_UTF8 + b"User-agent: *\nDisallow: /a",
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-le"),
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-be"),
        b"User-agent: *\rDisallow: /a\r",
        b"User-agent: *\r\nDisallow: /a\r\n",
        b"User-\x00agent: *\nDis\x00allow: /a",
        b"\xff\xfe\xff garbage\nUser-agent: *\nDisallow: /a".replace(b"\xff\xfe\xff", b"\xe9"),
        b"User-agent: *\x0bDisallow: /a",
    ],
)
def test_odd_encodings_and_line_ends_are_read(body):  # ROB-05
    robots = read_robots(body)
    assert not robots.decide(SITE + "/a", AGENT).is_allowed
    assert robots.decide(SITE + "/b", AGENT).is_allowed


@pytest.mark.parametrize(
    "body", [b"<!DOCTYPE html><html>Not found</html>", b"  <html><body>Disallow</body></html>"]
)
def test_an_html_page_holds_no_rules(body):  # ROB-05
    robots = read_robots(body)
    assert robots.problems == ("an HTML page instead of rules",)
    assert robots.decide(SITE + "/", AGENT) == (True, "no rules (an HTML page instead of rules)", None)


@pytest.mark.timed
def test_only_the_first_half_megabyte_is_read():  # ROB-04
    body = b"User-agent: *\nDisallow: /early\n" + b"# filler\n" * 1_200_000 + b"Disallow: /late\n"
    started = process_time()
    robots = read_robots(body)
    assert not robots.decide(SITE + "/early", AGENT).is_allowed
    assert robots.decide(SITE + "/late", AGENT).is_allowed
    assert robots.problems == (f"only the first {MAX_BYTES:,} bytes were read",)
    assert process_time() - started < 1


@pytest.mark.timed
@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: *\nDisallow: /" + b"a" * 10_000_000,
        b"User-agent: *\n" + b"Disallow: /a\n" * 500_000,
        b"User-agent: *\n" + b"".join(b"Disallow: /*%d*x\n" % n for n in range(20_000)),
        b"".join(b"User-agent: agent%d\n" % n for n in range(12_000)) + b"Disallow: /a\n" * 12_000,
        b"User-agent: *\nDisallow: /" + b"*a" * 100_000,
    ],
)
def test_huge_files_are_judged_in_time(body):  # ROB-07
    started = process_time()
    robots = read_robots(body)
    robots.decide(SITE + "/first", AGENT)
    assert process_time() - started < 5
    started = process_time()
    for number in range(10):
        robots.decide(f"{SITE}/{'a' * 50}{number}x", AGENT)
    assert (process_time() - started) / 10 < 0.02


def test_sitemap_lines_are_found_in_their_variants():
    body = (
        "Sitemap: https://example.com/1.xml\nsitemap:/2.xml\n SITEMAP : https://example.com/3.xml # main\n"
        "Site-map: https://example.com/4.xml\nSitemap: https://example.com/1.xml\nSitemap: javascript:x\n"
    )
    found = read_robots(body.encode(), url=SITE + "/robots.txt").sitemaps
    assert found == tuple(f"https://example.com/{n}.xml" for n in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (AGENT, "scrapersky"),
        ("ScraperSky", "scrapersky"),
        ("Mozilla/5.0 (compatible; ScraperSky/1.0; +https://x)", "scrapersky"),
        ("", ""),
        ("***", "***"),
    ],
)
def test_an_agent_is_known_by_its_product_name(agent, token):
    assert product_token(agent) == token


@given(st.binary(max_size=400), st.text(max_size=60), st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_no_file_and_no_question_raises(body, url, agent):
    robots = read_robots(body, url=url)
    robots.decide(url, agent)
    decision = robots.decide(SITE + "/" + url, agent)
    assert decision.reason
    assert decision.delay is None or 0 <= decision.delay <= 30


@pytest.mark.reliability
@given(RULES, st.binary(max_size=300), st.text(max_size=60), st.text(max_size=30))
@settings(max_examples=10_000, deadline=None)
def test_no_file_and_no_question_raises_in_ten_thousand_cases(rules, body, url, agent):
    robots = read_robots(rules.encode() + body, url=url)
    assert robots.decide(SITE + "/" + url, agent).reason
