"""Places to contacts from the command line: the successors of the seed scripts (R215 to R224)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from scrapersky.cli.rows import confirm

Sky = Callable[..., Result]
Told = Callable[..., Any]


ENTITIES = ("place", "business", "domain", "sitemap", "page", "contact")


@pytest.mark.parametrize("entity", ENTITIES)
def test_an_empty_list_is_no_error_and_a_missing_row_is_3(sky: Sky, entity: str) -> None:
    assert sky(entity, "list").exit_code == 0
    assert sky(entity, "show", "nowhere.com").exit_code == 3
    assert sky(entity, "show", "018f0000-0000-7000-8000-000000000000").exit_code == 3


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("verb", [("curate", "rejected"), ("reset",), ("run",)])
def test_a_row_that_does_not_exist_is_not_a_row_that_was_left_alone(
    sky: Sky, entity: str, verb: tuple[str, ...]
) -> None:
    result = sky(entity, *verb, "018f0000-0000-7000-8000-000000000000")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"There is no {entity} 018f0000" in result.stderr


def test_one_unknown_id_among_others_changes_nothing(sky: Sky, told: Told) -> None:
    sky("domain", "add", "a.com", "b.com")
    unknown = "018f0000-0000-7000-8000-000000000000"
    assert sky("domain", "curate", "rejected", "a.com", unknown, "--yes").exit_code == 3
    assert sky("domain", "curate", "rejected", "a.com", unknown, "--dry-run").exit_code == 3
    assert {row["sitemap_curation_status"] for row in told("domain", "list")} == {"New"}
    assert told("domain", "curate", "rejected", "a.com", "www.a.com")["updated"] == 1


@pytest.mark.req("R223", "R224")
def test_a_domain_is_added_and_shown_and_reset(sky: Sky, told: Told) -> None:
    line = told("domain", "add", "HTTPS://www.Shop.com/")
    assert (line["status"], line["queued"], line["number"]) == ("new", True, 1)
    shown = told("domain", "show", "shop.com")
    assert (shown["domain"], shown["status"], shown["error"]) == ("shop.com", "pending", None)
    rejected = told("domain", "curate", "rejected", "shop.com")
    assert (rejected["updated"], rejected["queued"]) == (1, 0)
    assert told("domain", "reset", "shop.com")["updated"] == 1
    assert told("domain", "show", line["id"])["sitemap_curation_status"] == "New"


def test_a_change_of_many_rows_wants_a_yes(sky: Sky, told: Told) -> None:
    sky("page", "add", "https://b.com/contact", "https://b.com/team", "https://c.com/jobs")
    asked = sky("page", "curate", "rejected", "--domain", "b.com")
    assert asked.exit_code == 2
    assert "2 rows" in asked.stderr
    assert told("page", "curate", "rejected", "--domain", "b.com", "--dry-run") == {"would_update": 2}
    assert told("page", "curate", "rejected", "--domain", "b.com", "--yes")["updated"] == 2
    rows = told("page", "list", "--curation", "rejected")
    assert {row["domain"] for row in rows} == {"b.com"}
    selected = told("page", "curate", "selected", "--current", "rejected", "--yes")
    assert (selected["updated"], selected["queued"]) == (2, 2)


def test_rows_or_filters_but_one_of_them(sky: Sky) -> None:
    neither, both = sky("page", "curate", "new"), sky("page", "curate", "new", "x", "--all")
    assert (neither.exit_code, both.exit_code) == (2, 2)
    assert ("not both" in neither.stderr, "not both" in both.stderr) == (False, True)
    assert sky("page", "list", "--status", "nonsense").exit_code == 2


def test_identifiers_go_from_list_to_set(sky: Sky, told: Told) -> None:
    sky("page", "add", "https://b.com/contact", "https://b.com/team")
    ids = sky("page", "list", "--ids").stdout.split()
    assert told("page", "curate", "maybe", *ids, "--yes")["updated"] == 2


def test_a_contact_is_validated_again_in_this_process(sky: Sky, contact: str) -> None:
    result = sky("contact", "run", "info@shop.com", "--json", CONNECT_TO="*:80:127.0.0.1:9", HOST="127.0.0.1")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["status"] == "Complete"
    assert (
        json.loads(sky("contact", "show", contact, "--json").stdout)["email_validation_result"] == "unknown"
    )


@pytest.mark.parametrize("verb", [("curate", "rejected"), ("reset",)])
def test_nothing_changes_without_a_yes(sky: Sky, told: Told, verb: tuple[str, ...]) -> None:
    sky("domain", "add", "a.com", "b.com")
    refused = sky("domain", *verb, "--all")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "This would change 2 rows (domain). Use --yes to confirm or --dry-run to preview.\n"
    )
    assert told("domain", *verb, "--all", "--dry-run") == {"would_update": 2}
    assert [row["sitemap_curation_status"] for row in told("domain", "list")] == ["New", "New"]


def test_a_person_is_asked_before_many_rows_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapersky.cli.rows.sys.stdin", Terminal())
    asked: list[str] = []

    def answer(text: str, **_: Any) -> bool:
        asked.append(text)
        return len(asked) == 1

    monkeypatch.setattr("click.confirm", answer)
    confirm(1200, "page")
    with pytest.raises(SystemExit) as refused:
        confirm(2, "page")
    confirm(0, "page")
    assert refused.value.code == 1
    assert asked == ["Change 1,200 rows (page)?", "Change 2 rows (page)?"]


class Terminal:
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("entity", ENTITIES)
def test_an_invalid_status_is_refused_with_those_that_exist(sky: Sky, entity: str) -> None:
    wrong = sky(entity, "curate", "fine", "--all")
    assert wrong.exit_code == 2
    assert "'fine' is not one of 'new', 'selected'" in wrong.stderr
    assert sky(entity, "list", "--curation", "fine").exit_code == 2
    odd = sky(entity, "list", "--status", "odd")
    assert odd.exit_code == 2
    assert "odd" in odd.stderr


@pytest.mark.parametrize("entity", ENTITIES)
def test_a_verb_on_rows_that_are_not_there_is_3(sky: Sky, entity: str) -> None:
    missing = "018f0000-0000-7000-8000-000000000000"
    for verb in ("show", "run"):
        result = sky(entity, verb, missing)
        assert (result.exit_code, result.stdout) == (3, ""), (verb, result.output)


def test_lists_are_filtered(sky: Sky, told: Told) -> None:
    sky("page", "add", "http://a.com/contact", "http://b.com/team")
    sky("page", "curate", "maybe", "http://a.com/contact")
    assert told("page", "list", "--contains", "TEAM")["domain"] == "b.com"
    assert told("page", "list", "--domain", "a.com")["url"] == "http://a.com/contact"
    assert told("page", "list", "--curation", "Maybe")["domain"] == "a.com"
    assert told("page", "list", "--error", "nothing") == []
    assert len(told("page", "list", "--status", "queued")) == 2
    assert told("page", "list", "--limit", "1")["id"]
    assert sky("page", "list", "--limit", "0").exit_code == 2
    assert sky("page", "list", "--priority", "4").exit_code == 2
    both = told("page", "list", "--page-curation-status", "maybe", "--page-curation-status", "new")
    assert {row["domain"] for row in both} == {"a.com", "b.com"}
    oldest = told("page", "list", "--sort", "created_at", "--priority-level", "1", "--priority-level", "2")
    assert {row["domain"] for row in oldest} == {"a.com", "b.com"}
    assert "priority_level" in sky("page", "list", "--sort", "url").stderr
    assert told("page", "list", "--created-before", "2000-01-01T00:00:00Z") == []


def test_one_row_is_shown_for_people_and_machines(sky: Sky, told: Told) -> None:
    sky("domain", "add", "a.com")
    shown = sky("domain", "show", "a.com")
    assert "domain                       a.com\n" in shown.stdout
    assert told("domain", "show", "a.com")["domain"] == "a.com"
