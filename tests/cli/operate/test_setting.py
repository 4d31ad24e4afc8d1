"""`setting`: list, show, set, unset, reencrypt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]
KEY = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
HOOK = "https://hooks.example.org/services/T0/very-private-part"


def test_a_setting_is_changed_shown_and_returned(sky: Sky, told: Told) -> None:
    assert sky("setting", "set", "AUTO_DEEP_SCAN", "true").exit_code == 0
    shown = told("setting", "show", "auto_deep_scan")
    assert (shown["value"], shown["origin"]) == (True, "edited")
    assert [row["name"] for row in told("setting", "list", "--changed") if row["origin"] == "edited"] == [
        "AUTO_DEEP_SCAN"
    ]
    assert sky("setting", "unset", "AUTO_DEEP_SCAN").exit_code == 0
    assert told("setting", "show", "AUTO_DEEP_SCAN")["origin"] == "default"


def test_the_origin_of_a_value_is_shown(told: Told, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MAX_RETRIES=5\n")
    assert told("setting", "show", "MAX_RETRIES")["origin"] == ".env"
    assert told("setting", "show", "LEASE_SECONDS", LEASE_SECONDS="90")["origin"] == "environment"


def test_refusals_have_their_exit_codes(sky: Sky) -> None:
    assert sky("setting", "set", "AUTO_DEEP_SCAN", "perhaps").exit_code == 2
    assert sky("setting", "set", "DATABASE_POOL_SIZE", "5").exit_code == 7
    assert sky("setting", "show", "NO_SUCH").exit_code == 3


def test_a_secret_comes_from_the_standard_input_and_is_never_printed(sky: Sky, told: Told) -> None:
    refused = sky("setting", "set", "ALERT_WEBHOOK_URL", HOOK, SECRET_KEY=KEY)
    assert refused.exit_code == 2
    changed = sky("setting", "set", "ALERT_WEBHOOK_URL", "-", stdin=f"{HOOK}\n", SECRET_KEY=KEY)
    listed = sky("setting", "list", SECRET_KEY=KEY)
    shown = told("setting", "show", "ALERT_WEBHOOK_URL", SECRET_KEY=KEY)
    assert (shown["is_set"], shown["value"], shown["origin"]) == (True, None, "edited")
    assert "very-private" not in refused.output + changed.output + listed.output + str(shown)
    rotated = {"SECRET_KEY": KEY[::-1], "SECRET_KEY_PREVIOUS": KEY}
    assert "1 encrypted again" in sky("setting", "reencrypt", **rotated).output
    assert told("setting", "show", "ALERT_WEBHOOK_URL", SECRET_KEY=KEY[::-1])["is_set"]
