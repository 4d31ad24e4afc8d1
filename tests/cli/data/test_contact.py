"""`contact add`, `edit`, `tag` and `delete`, with the same rules as the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Sky = Callable[..., Result]


@pytest.mark.req("R266")
def test_a_contact_is_added_edited_tagged_and_deleted(sky: Sky, told: Callable[..., Any]) -> None:
    added = told("contact", "add", "lune.co.uk", "--email", "ADA@lune.co.uk", "--name", "Ada", "--tag", "vip")
    assert (added["email"], added["tags"]) == ("ada@lune.co.uk", ["vip"])
    edited = told("contact", "edit", "ada@lune.co.uk", "--job-title", "Owner", "--clear", "name")
    assert (edited["job_title"], edited["name"]) == ("Owner", None)
    assert set(edited["edited_fields"]) >= {"name", "job_title"}
    tagged = told("contact", "tag", added["id"], "--add", "may", "--remove", "vip")
    assert tagged == {"updated_count": 1}
    shown = told("contact", "show", added["id"])
    assert shown["tags"] == ["may"]
    assert shown["speaks_for"] == ["address of the domain itself"]
    assert (
        "speaks_for                   address of the domain itself\n"
        in sky("contact", "show", added["id"]).output
    )
    assert sky("contact", "delete", added["id"]).output == "1 contact deleted\n"
    assert sky("contact", "show", added["id"]).exit_code == 3


@pytest.mark.parametrize(
    "wrong",
    [
        ("add", "lune.co.uk"),
        ("add", "localhost", "--email", "a@b.co"),
        ("add", "lune.co.uk", "--email", "nothing"),
        ("edit", "info@shop.com"),
        ("edit", "info@shop.com", "--email", "nothing"),
        ("tag", "info@shop.com"),
        ("tag", "info@shop.com", "--add", "two words"),
        ("delete",),
    ],
    ids=" ".join,
)
def test_wrong_values_are_refused(sky: Sky, contact: str, wrong: tuple[str, ...]) -> None:
    assert sky("contact", *wrong).exit_code == 2


def test_many_contacts_are_deleted_only_after_a_yes(sky: Sky, told: Callable[..., Any], contact: str) -> None:
    other = told("contact", "add", "lune.co.uk", "--email", "ada@lune.co.uk")["id"]
    assert sky("contact", "delete", contact, other).exit_code == 2
    assert sky("contact", "delete", contact, other, "--yes").output == "2 contacts deleted\n"
    assert sky("contact", "list", "--ids").stdout == ""


@pytest.mark.parametrize(
    "arguments", [("contact", "tag", "--add", "x"), ("contact", "delete"), ("sitemap", "continue")]
)
def test_a_row_that_does_not_exist_is_named(sky: Sky, arguments: tuple[str, ...]) -> None:
    result = sky(*arguments, "018f0000-0000-7000-8000-000000000000")
    assert (result.exit_code, result.stdout) == (3, "")
