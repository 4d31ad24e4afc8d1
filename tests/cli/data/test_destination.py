"""`destination`: add, list, show, edit, delete, test, send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]
KEY = {"SECRET_KEY": "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"}


def test_a_destination_is_added_shown_edited_and_deleted(sky: Sky, told: Told) -> None:
    added = sky("destination", "add", "CRM", "hubspot", "--secret", stdin="pat-private\n", **KEY)
    assert added.exit_code == 0, added.output
    shown = told("destination", "show", "CRM", **KEY)
    assert (shown["kind"], shown["has_secret"], shown["mapping"]["lastname"]) == (
        "hubspot",
        True,
        "last_name",
    )
    edit = ("--map", "email=email", "--map", "confidence=score", "--automatic", "--disable")
    changed = told("destination", "edit", "CRM", *edit, **KEY)
    assert changed["mapping"] == {"email": "email", "score": "confidence"}
    assert (changed["is_automatic"], changed["is_active"]) == (True, False)
    assert "confidence → score" in sky("destination", "show", "CRM", **KEY).output
    assert "pat-private" not in added.output + str(shown) + str(changed)
    assert sky("destination", "delete", "CRM", **KEY).exit_code == 0
    assert sky("destination", "show", "CRM", **KEY).exit_code == 3


def test_refusals_have_their_exit_codes(sky: Sky) -> None:
    assert sky("destination", "add", "Hook", "webhook", **KEY).exit_code == 2
    assert sky("destination", "add", "Hook", "webhook", "--option", "nonsense", **KEY).exit_code == 2
    assert sky("destination", "add", "CRM", "hubspot", "--secret", stdin="", **KEY).exit_code == 2
    assert sky("destination", "send", "nothing", "--filter", "email_type=role", **KEY).exit_code == 3
    assert sky("destination", "send", "nothing", **KEY).exit_code == 2


def test_contacts_are_sent_and_what_is_left_out_is_said(sky: Sky, told: Told, contact: str) -> None:
    assert (
        "whsec_"
        in sky("destination", "add", "Hook", "webhook", "--option", "url=https://x.example/", **KEY).stdout
    )
    send = ("destination", "send", "Hook", "--id", contact)
    planned = sky(*send, "--dry-run", **KEY).output
    assert "0 of 1 contacts would be sent; left out: 1 unverified" in planned, "the second is for --expected"
    assert told(*send, "--include", "unverified", **KEY) == {"queued": 1, "left_out": {}, "dry_run": False}
    assert told("destination", "show", "Hook", **KEY)["waiting"] == 1


def test_a_file_can_be_tested(sky: Sky, tmp_path: Any) -> None:
    folder = {"DATA_FOLDER": str(tmp_path / "data"), **KEY}
    assert sky("destination", "add", "List", "csv", **folder).exit_code == 0
    result = sky("destination", "test", "List", **folder)
    assert (result.exit_code, "List.csv" in result.output) == (0, True)
