"""`find` tells which line is wrong and why a domain gave nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from scrapersky.cli.program import program

Sky = Callable[..., Result]
NOBODY_THERE = {"EGRESS_ALLOW": "127.0.0.1:9", "CONNECT_TO": "*:443:127.0.0.1:9,*:80:127.0.0.1:9"}


def test_bad_lines_are_told_by_their_number_in_the_file(sky: Sky, tmp_path: Path) -> None:
    (tmp_path / "domains.txt").write_text("# ours\n\nlocalhost\n\nfoo@bar.de\n")

    result = sky("find", "--file", "domains.txt")

    assert result.exit_code == 2
    assert "line 3: localhost: " in result.stderr
    assert "line 5: foo@bar.de: " in result.stderr


def test_remarks_alone_are_wrong_usage(sky: Sky) -> None:
    assert sky("find", "-", stdin="# nothing\n\n").exit_code == 2


def test_a_domain_without_contacts_is_told_with_its_reason(sky: Sky) -> None:
    result = sky("find", "shop.example.com", "--timeout", "8", **NOBODY_THERE)

    assert result.exit_code == 1
    assert "shop.example.com: " in result.stderr
    assert "connection refused" in result.stderr
    assert "will be tried again" not in result.stderr, "nobody will: the command has ended"
    assert f"{program()} find shop.example.com" in result.stderr
    assert "The time limit was reached" in result.stderr


def test_machines_get_the_reasons_too(sky: Sky) -> None:
    result = sky("find", "shop.example.com", "--json", "--timeout", "8", **NOBODY_THERE)

    summary = json.loads(result.stdout.splitlines()[-1])
    assert [one["domain"] for one in summary["without_contacts"]] == ["shop.example.com"]
    assert summary["without_contacts"][0]["error"]
    assert summary["timed_out"]
