"""Names that the requirements fix are there, whatever else is renamed."""

from __future__ import annotations

import pytest

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.declarations.compat import FIXED_INDEXES, FIXED_SETTINGS, fixed_columns, fixed_settings
from scrapersky.settings import Settings

SETTINGS = {name.upper() for name in Settings.model_fields}


@pytest.mark.req("R190", "R191")
@pytest.mark.parametrize("stage", DECLARATIONS, ids=lambda stage: stage.name)
def test_the_fixed_settings_of_a_stage_exist(stage: StageDeclaration) -> None:
    assert set(fixed_settings(stage)) <= SETTINGS


def test_the_other_fixed_settings_exist() -> None:
    assert set(FIXED_SETTINGS) <= SETTINGS


@pytest.mark.parametrize("table", dict.fromkeys(stage.table for stage in DECLARATIONS))
def test_the_fixed_columns_and_indexes_exist(table: str) -> None:
    columns = tables.metadata.tables[table]
    assert set(fixed_columns(table)) <= set(columns.c.keys())
    assert set(FIXED_INDEXES.get(table, ())) <= {index.name for index in columns.indexes}


def test_a_stage_without_compat_names_is_known_by_its_own() -> None:
    names = {stage.name: (stage.health_name, stage.depth_name) for stage in DECLARATIONS}
    assert names["deep_scan"] == ("deep_scan", "deep_scan_queued")
    assert names["read_page"] == ("page_curation", "pages_queued")
    assert len(set(names.values())) == len(DECLARATIONS)
