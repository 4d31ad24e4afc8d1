"""The one hand-over between stages: it follows the declarations and the gates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scrapersky.declarations import (
    DECLARATIONS,
    DEEP_SCAN,
    EXTRACT_DOMAIN,
    IMPORT_SITEMAP,
    READ_METADATA,
    READ_PAGE,
    SEARCH_PLACES,
    StageDeclaration,
)
from scrapersky.settings import Settings, load_settings
from scrapersky.stage_context import GATE_SETTINGS, HandOver
from scrapersky.wiring import open_gates

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAGES = {stage.name: stage for stage in DECLARATIONS}
HAND_OVERS = [
    (stage, STAGES[following.stage], following.gate and following.gate.setting)
    for stage in DECLARATIONS
    for following in stage.queues
]


@pytest.mark.parametrize(("stage", "next_stage", "gate"), HAND_OVERS)
def test_a_row_is_queued_while_its_gate_is_open(
    stage: StageDeclaration, next_stage: StageDeclaration, gate: str | None
) -> None:
    closed = None if gate else next_stage.statuses.queued

    assert HandOver().status(stage, next_stage) == next_stage.statuses.queued
    assert HandOver(frozenset()).status(stage, next_stage) == closed
    assert HandOver(GATE_SETTINGS - {gate} if gate else GATE_SETTINGS).status(stage, next_stage) == closed


def test_a_hand_over_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(ValueError, match="search_places does not declare that it queues read_page"):
        HandOver().status(SEARCH_PLACES, READ_PAGE)


def test_the_fields_are_columns_of_the_next_row() -> None:
    closed = HandOver(frozenset())

    assert HandOver().fields(DEEP_SCAN, EXTRACT_DOMAIN, NOW) == {"domain_extraction_status": "Queued"}
    assert closed.fields(DEEP_SCAN, EXTRACT_DOMAIN, NOW) == {"domain_extraction_status": None}
    assert closed.fields(EXTRACT_DOMAIN, READ_METADATA, NOW) == {"status": "pending"}


def test_a_sitemap_that_waits_for_a_person_counts_as_finished() -> None:
    """D1: the database would queue one that has neither a status nor an end."""
    assert HandOver(frozenset()).fields(IMPORT_SITEMAP, IMPORT_SITEMAP, NOW) == {
        "sitemap_import_status": None,
        "sitemap_import_finished_at": NOW,
    }


def test_every_gate_is_a_setting_that_is_on_or_off() -> None:
    assert {Settings.model_fields[gate].annotation for gate in GATE_SETTINGS} == {bool}
    settings = load_settings(
        env_file=None, environment={"AUTO_DEEP_SCAN": "true", "AUTO_PAGE_READING": "false"}
    )

    assert "auto_deep_scan" in open_gates(settings)
    assert "auto_page_reading" not in open_gates(settings)
