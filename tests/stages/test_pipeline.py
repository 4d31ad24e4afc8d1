"""The pipeline as a whole: which stages there are, on which columns, under which names, in which order."""

from __future__ import annotations

import inspect
import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from scrapersky.app import tuning
from scrapersky.engine.stage import Stage
from scrapersky.pipeline import STAGES
from scrapersky.settings import load_settings
from scrapersky.tables import works

SOURCE = Path(__file__).parents[2] / "src" / "scrapersky"
BY_NAME = {line.stage.name: line.stage for line in STAGES}
# name: table, status column, queued, processing, done, failed, job id, first words of its settings
TABLE = {
    "search_places": (
        "place_searches", "status", "pending", "processing", "complete", "failed",
        "process_place_searches", "place_search_scheduler",
    ),
    "deep_scan": (
        "places_staging", "deep_scan_status", "Queued", "Processing", "Completed", "Error",
        "process_deep_scan_queue", "deep_scan_scheduler",
    ),
    "extract_domain": (
        "local_businesses", "domain_extraction_status", "Queued", "Processing", "Completed", "Error",
        "process_domain_extraction_queue", "domain_extraction_scheduler",
    ),
    "read_metadata": (
        "domains", "status", "pending", "processing", "completed", "error",
        "process_pending_domains", "domain_scheduler",
    ),
    "submit_domain": (
        "domains", "sitemap_analysis_status", "queued", "processing", "submitted", "failed",
        "process_pending_domain_sitemap_submissions", "domain_sitemap_scheduler",
    ),
    "discover_sitemaps": (
        "jobs", "status", "pending", "running", "complete", "failed",
        "process_pending_jobs", "sitemap_scheduler",
    ),
    "import_sitemap": (
        "sitemap_files", "sitemap_import_status", "Queued", "Processing", "Complete", "Error",
        "process_sitemap_imports", "sitemap_import_scheduler",
    ),
    "read_page": (
        "pages", "page_processing_status", "Queued", "Processing", "Complete", "Error",
        "v2_page_curation_processor", "page_curation_scheduler",
    ),
    "validate_email": (
        "contacts", "email_validation_status", "Queued", "Processing", "Complete", "Error",
        "process_email_validation", "email_validation_scheduler",
    ),
    "deliver": (
        "deliveries", "status", "Queued", "Processing", "Complete", "Error",
        "process_deliveries", "delivery_scheduler",
    ),
}  # fmt: skip


@pytest.mark.req("R113", "R145", "R150", "R153")
@pytest.mark.parametrize("name", TABLE)
def test_each_stage_reads_its_own_queue_under_its_own_name(name: str) -> None:
    line = next(line for line in STAGES if line.stage.name == name)
    work, said = line.stage.work, line.stage.work.words

    assert (
        work.table, work.status, said.queued, said.processing, said.done, said.failed,
        line.stage.job_id, line.settings,
    ) == TABLE[name]  # fmt: skip
    assert line.stage.table.name == work.table


@pytest.mark.req("R245")
def test_rows_travel_in_the_order_of_the_list() -> None:
    """Each stage but the last two holds back when the one that it feeds has too much to do."""
    assert [line.stage.name for line in STAGES] == [*TABLE, "run_job"]
    ordered = [line.stage for line in STAGES][:9]
    for stage, following in itertools.pairwise(ordered):
        if stage.feeds is not None:
            assert stage.feeds is following.work


@pytest.mark.req("R121", "R122", "R123", "R124")
def test_every_stage_has_settings_and_a_failure_domain_of_its_own() -> None:
    """One lane, one set of figures and one id each; that a crash stays inside is R124."""
    assert len({line.settings for line in STAGES}) == len({line.stage.job_id for line in STAGES}) == 11
    changed = load_settings(env_file=None, environment={"DEEP_SCAN_SCHEDULER_BATCH_SIZE": "3"})
    figures = {line.stage.name: tuning(changed, line) for line in STAGES}
    assert figures["deep_scan"].batch == 3
    assert figures["extract_domain"].batch != 3
    assert figures["discover_sitemaps"].interval == timedelta(minutes=1)


@pytest.mark.req("R136", "R137")
def test_exactly_one_stage_submits_domains() -> None:
    """One scheduler, one place for its logic: incidents 13 and 34 began with a second one."""
    reading = [line for line in STAGES if line.stage.work.status == "sitemap_analysis_status"]
    assert [line.stage.name for line in reading] == ["submit_domain"]
    makers = [
        path for path in SOURCE.rglob("*.py") if '"job_type": "sitemap"' in path.read_text(encoding="utf-8")
    ]
    assert [path.name for path in makers] == ["submit_domain.py"]


@pytest.mark.req("R114")
def test_one_module_reads_metadata() -> None:
    makers = [path for path in SOURCE.rglob("*.py") if "def metadata_of(" in path.read_text(encoding="utf-8")]
    assert len(makers) == 1


@pytest.mark.req("R142", "R250")
@pytest.mark.parametrize("stage", BY_NAME.values(), ids=BY_NAME)
def test_a_stage_is_one_function_of_a_row_and_tools(stage: Stage) -> None:
    """It gets neither session nor status: the engine owns the transaction, so no stage can hold one."""
    assert inspect.iscoroutinefunction(stage.run)
    assert list(inspect.signature(stage.run).parameters) == ["item", "tools"]
    assert set(stage.reads) <= set(stage.table.c.keys())


def test_every_work_has_its_stage_and_every_stage_its_work() -> None:
    assert {work.name for work in works.WORKS} == set(BY_NAME)


@pytest.mark.parametrize("name", TABLE)
def test_what_people_curate_is_barred_by_their_decision(name: str) -> None:
    uncurated = {"search_places", "discover_sitemaps", "deliver"}
    assert bool(BY_NAME[name].work.barred) == (name not in uncurated)
