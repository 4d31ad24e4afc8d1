"""Why a site could not be reached or gave nothing is told everywhere, and so is how to retry."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from broken_hosts import NO_ROBOTS, BrokenHosts, hangs, page, sends
from scrapersky.cli.program import program

Sky = Callable[..., Result]

HEADERS = "".join(f"X-{number}: {'y' * 4000}\r\n" for number in range(150))
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 50
FAILURES: dict[str, tuple[Any, str]] = {
    "refused-shop.com": (None, "connection refused (refused-shop.com, port"),
    "status-shop.com": (sends(b"HELLO THERE\r\n\r\n"), "malformed status line"),
    "headers-shop.com": (sends(f"HTTP/1.1 200 OK\r\n{HEADERS}\r\n".encode()), "headers are too large"),
    "robots-shop.com": (
        sends(page("x", status="500 Oops")),
        "robots.txt returned HTTP 500; retry after",
    ),
    "error-shop.com": (
        sends(page("x", status="502 Oops"), robots=NO_ROBOTS),
        "the host returned HTTP 502",
    ),
    "dropped-shop.com": (sends(b"", robots=NO_ROBOTS), "closed the connection without a response"),
    "short-shop.com": (sends(HALF, robots=NO_ROBOTS), "incomplete response"),
    "tls-shop.com": (sends(page("x")), "TLS error: the certificate is not trusted"),
    "slow-shop.com": (hangs, "timeout: the host took too long to respond"),
    "gone-shop.com": (sends(page("x", status="410 Gone"), robots=NO_ROBOTS), "the host returned HTTP 410"),
    "closed-shop.com": (
        sends(page("x"), robots=page("User-agent: *\nDisallow: /", kind="text/plain")),
        "disallowed by robots.txt",
    ),
}  # fmt: skip


def table(stderr: str) -> dict[str, str]:
    """What was said about each domain."""
    lines = (line.partition(": ") for line in stderr.splitlines())
    return {name: said for name, _, said in lines if name.endswith("-shop.com")}


@pytest.mark.req("R109")
def test_eleven_kinds_of_failure_keep_their_reason_from_the_wire_to_the_people(sky: Sky) -> None:
    """The first real reason, not that the host is paused: in `find`, on the row and as a dead letter."""
    hosts = BrokenHosts({name: answer for name, (answer, _) in FAILURES.items()}, tls=("tls-shop.com",))
    with hosts.running():
        result = sky("find", *FAILURES, "--timeout", "60", **hosts.environment())

        told = table(result.stderr)
        assert {name: said for name, (_, said) in FAILURES.items() if said not in told.get(name, "")} == {}
        for name, said in told.items():
            assert f"find {name}" in said
            assert "will be tried again" not in said, "nothing will: the command has ended"

        for name, (_, said) in FAILURES.items():
            row = json.loads(sky("domain", "show", name, "--json").stdout)
            assert said in row["error"], name
        shown = sky("domain", "show", "gone-shop.com")
        assert f"{program()} domain run gone-shop.com" in shown.stderr
        dead = sky("stage", "failed", "read_metadata", "--json").stdout
        assert "HTTP 410" in dead
        assert "HTTP 502" in dead

        # The command that was named really tries again, although the host is paused for five minutes.
        before = len(hosts.asked["robots-shop.com"])
        again = sky("find", "robots-shop.com", "--timeout", "20", **hosts.environment())
        assert len(hosts.asked["robots-shop.com"]) > before
        assert "HTTP 500" in table(again.stderr)["robots-shop.com"]
