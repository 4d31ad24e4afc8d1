"""`find` says truthfully why a domain gave no contacts, keeps its time limit, and answers Ctrl+C at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from broken_hosts import BrokenHosts, hangs, page, site
from scrapersky.queries.explanations import ExplanationQuery

Sky = Callable[..., Result]
SOURCES = Path(__file__).parents[3] / "src"

STATUSES = "<p>" + "We bake bread and cakes for the whole village every morning. " * 8 + "</p>"
HOME = page(f"<html><title>Bakery</title><h1>Bakery</h1>{STATUSES}</html>")
LINKED = page(f"<html><title>Bakery</title>{STATUSES}<a href='/contact'>Contact</a></html>")
SHELL = page("<html><head><script src='/app.js'></script></head><body><div id='root'></div></body></html>")
FOR_SALE = page("<html><title>Domain</title><h1>This domain is for sale!</h1><p>Buy this domain</p></html>")
FOUND = page(f"<html><title>Bakery</title>{STATUSES}<a href='mailto:office@flaky-shop.com'>Mail</a></html>")
CLOSED = page("User-agent: *\nDisallow: /contact\n", kind="text/plain")
POSTS = "".join(f"<url><loc>http://posts-shop.com/blog/{n}</loc></url>" for n in range(3))
SITEMAP = page(
    f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{POSTS}</urlset>", kind="text/xml"
)
SITES = {
    "flaky-shop.com": site({"/": FOUND}, drops=1),
    "shell-shop.com": site({"/": SHELL}),
    "parked-shop.com": site({"/": FOR_SALE}),
    "private-shop.com": site({"/": LINKED, "/robots.txt": CLOSED}),
    "plain-shop.com": site({"/": HOME}),
    "posts-shop.com": site({"/": HOME, "/sitemap.xml": SITEMAP}),
    "archived-shop.com": site({"/": FOUND}),
}
SAID = {
    "shell-shop.com": ("browser", "empty without JavaScript and need a browser"),
    "parked-shop.com": ("parked", "parked: the home page says"),
    "private-shop.com": ("robots", "robots.txt disallows 1 page"),
    "plain-shop.com": ("no_contacts", "no contacts on 1 page"),
    "posts-shop.com": ("not_read", "3 pages of low priority not read automatically"),
    "archived-shop.com": ("archived", "the domain is Archived"),
}


def unreached(result: Result) -> dict[str, dict[str, str]]:
    summary = json.loads(result.stdout.splitlines()[-1])
    return {one["domain"]: one for one in summary["without_contacts"]}


@pytest.mark.req("R258")
def test_each_domain_without_contacts_is_explained(sky: Sky) -> None:
    """And one whose first connection was dropped at robots.txt is read within the same run."""
    hosts = BrokenHosts(SITES)
    with hosts.running():
        environment = hosts.environment()
        assert sky("domain", "add", "archived-shop.com", **environment).exit_code == 0
        assert sky("domain", "curate", "archived", "archived-shop.com").exit_code == 0

        result = sky("find", *SITES, "--json", "--timeout", "90", **environment)

        told = unreached(result)
        assert {name: told[name]["reason"] for name in told} == {name: one for name, (one, _) in SAID.items()}
        for name, (_, said) in SAID.items():
            assert said in told[name]["explanation"], told[name]
        assert "office@flaky-shop.com" in result.stdout

        # The pages that are not read automatically are read by the command that is named.
        chosen = sky(
            "page",
            "curate",
            "selected",
            "--domain",
            "posts-shop.com",
            "--status",
            "none",
            "--yes",
            **environment,
        )
        assert chosen.exit_code == 0
        again = unreached(sky("find", "posts-shop.com", "--json", "--timeout", "60", **environment))
        assert "/blog/2" in hosts.asked["posts-shop.com"]
        assert again["posts-shop.com"]["reason"] == "no_contacts"


@pytest.mark.req("R258")
def test_a_setting_reads_every_page_whatever_its_priority(sky: Sky) -> None:
    """Also behind more empty pages than a run reads otherwise."""
    posts = {f"/blog/{number}": HOME for number in range(3)}
    hosts = BrokenHosts({"posts-shop.com": site({"/": HOME, "/sitemap.xml": SITEMAP, **posts})})
    with hosts.running():
        environment = {**hosts.environment(), "READ_ALL_PAGES": "true", "STOP_AFTER_EMPTY_PAGES": "1"}
        told = unreached(sky("find", "posts-shop.com", "--json", "--timeout", "60", **environment))

    assert set(posts) <= set(hosts.asked["posts-shop.com"])
    assert told["posts-shop.com"]["reason"] == "no_contacts"


def test_a_gate_is_named_with_the_number_of_pages_that_wait(sky: Sky) -> None:
    hosts = BrokenHosts({"private-shop.com": site({"/": LINKED})})
    with hosts.running():
        closed = {**hosts.environment(), "AUTO_PAGE_READING": "false"}
        told = unreached(sky("find", "private-shop.com", "--json", "--timeout", "60", **closed))

    assert told["private-shop.com"]["reason"] == "gate"
    assert (
        "2 pages waiting for a decision (AUTO_PAGE_READING is off)" in told["private-shop.com"]["explanation"]
    )


@pytest.mark.timed
def test_the_time_limit_is_kept_although_a_host_hangs(sky: Sky) -> None:
    hosts = BrokenHosts({"slow-shop.com": hangs})
    patient = {"FETCH_TIMEOUT_SECONDS": "60", "FETCH_FIRST_BYTE_TIMEOUT_SECONDS": "60"}
    with hosts.running():
        began = time.monotonic()
        result = sky(
            "find", "slow-shop.com", "--json", "--timeout", "3", **{**hosts.environment(), **patient}
        )
        took = time.monotonic() - began

    told = unreached(result)["slow-shop.com"]
    assert told["reason"] == "timed_out"
    assert "the time limit was reached" in told["explanation"]
    assert "scrapersky find slow-shop.com" in told["explanation"]
    # Three seconds for the run, three for what is in progress, and the machine may be busy.
    assert took < 15


@pytest.mark.timed
def test_ctrl_c_says_at_once_what_is_waited_for_and_a_second_one_ends_it(
    database_url: str, tmp_path: Path
) -> None:
    hosts = BrokenHosts({"slow-shop.com": hangs})
    patient = {"FETCH_TIMEOUT_SECONDS": "60", "FETCH_FIRST_BYTE_TIMEOUT_SECONDS": "60"}
    with hosts.running():
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapersky", "find", "slow-shop.com"],
            env={**os.environ, **hosts.environment(), **patient, "PYTHONPATH": str(SOURCES),
                 "DATABASE_URL": database_url.replace("+asyncpg", "")},
            cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            ends = time.monotonic() + 40
            while not hosts.asked["slow-shop.com"] and time.monotonic() < ends:
                time.sleep(0.05)
            assert hosts.asked["slow-shop.com"]
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            line = next(line for line in process.stderr if "Stopping" in line)
            assert "waiting up to 3 s for read_metadata of slow-shop.com. Press Ctrl+C again" in line
            process.send_signal(signal.SIGINT)
            _, rest = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "slow-shop.com: interrupted" in rest
    assert "to resume: " in rest


async def test_nothing_is_asked_about_no_domains(db: object) -> None:
    assert await ExplanationQuery(db).without_contacts([]) == []  # type: ignore[arg-type]
