"""`page reread`: stored pages through the current extractors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

from scrapersky.cli.program import program

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_reread_is_a_job_that_can_be_followed(sky: Sky, told: Told) -> None:
    made = told("page", "reread")
    assert told("job", "show", str(made["id"]))["status"] == "pending"
    sky("domain", "add", "a.com")
    shown = sky("page", "reread", "--domain", "a.com")
    number = told("job", "show", "latest")["id"]
    assert shown.stdout == f"Submitted job {number}. Follow it with: {program()} job show {number}\n"


def test_a_reread_of_a_domain_that_is_not_there_is_3(sky: Sky) -> None:
    assert sky("page", "reread", "--domain", "absent.com").exit_code == 3
