"""The pipeline as a whole: which stages there are, on which columns, under which names, in which order."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from fakes import FakeWeb, context, item
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.engine.stage import Stage
from scrapersky.extract.html import Document
from scrapersky.extract.metadata import SiteMetadata, read_site_metadata
from scrapersky.extract.results import Hints
from scrapersky.pipeline import STAGES
from scrapersky.settings import Settings, load_settings
from scrapersky.wiring import stage_options

SOURCE = Path(__file__).parents[2] / "src" / "scrapersky"
BY_NAME = {stage.name: stage for stage in STAGES}
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
    stage = BY_NAME[name]
    queue, said = stage.queue, stage.queue.statuses
    prefix = next(one.compat.settings_prefix for one in DECLARATIONS if one.name == name)

    assert (
        queue.table, queue.status, said.queued, said.processing, said.done, said.failed,
        stage.job_id, prefix,
    ) == TABLE[name]  # fmt: skip
    assert stage.table.name == queue.table


@pytest.mark.req("R039", "R153")
@pytest.mark.parametrize("stage", DECLARATIONS, ids=lambda stage: stage.name)
def test_the_order_of_claims_is_declared_and_has_its_index(stage: StageDeclaration) -> None:
    table = BY_NAME[stage.name].table
    assert stage.order
    assert set(stage.order) <= set(table.c.keys())
    indexes = {index.name: [column.name for column in index.columns] for index in table.indexes}
    assert indexes[f"ix_{stage.name}_queue"] == ["tenant_id", *stage.order]
    if stage.host:
        assert indexes[f"ix_{stage.name}_host"] == [stage.host, *stage.order]


@pytest.mark.req("R245")
def test_rows_travel_in_the_order_of_the_list() -> None:
    """Each stage but the last two holds back when the one that it feeds has too much to do."""
    required = [stage for stage in STAGES if stage.name in (*TABLE, "run_job")]
    assert [stage.name for stage in required] == [*TABLE, "run_job"]
    for stage, following in itertools.pairwise(required[:9]):
        if stage.feeds is not None:
            assert stage.feeds is following.queue


def test_the_pipeline_shows_what_each_stage_queues_and_under_which_setting() -> None:
    """The comments beside the bound functions say what the declarations say."""
    listing = (SOURCE / "pipeline.py").read_text(encoding="utf-8").partition("STAGES = bind(")[2]
    shown: dict[str, list[str]] = {}
    for line in listing.splitlines()[2:]:
        if bound := re.match(r"\s*\((\w+),", line):
            name = bound.group(1).lower()
            shown[name] = []
        shown[name] += re.findall(r"  ([a-z_]+(?: \([A-Z_]+\))?)$", line)
    declared = {
        stage.name: [
            f"{to.stage} ({to.gate.setting.upper()})" if to.gate else to.stage for to in stage.queues
        ]
        for stage in DECLARATIONS
    }
    assert shown == declared
    assert {to.gate.setting for stage in DECLARATIONS for to in stage.queues if to.gate} <= set(
        Settings.model_fields
    )
    assert {to.stage for stage in DECLARATIONS for to in stage.queues} <= set(BY_NAME)


@pytest.mark.req("R121", "R122", "R123", "R124")
def test_every_stage_has_settings_and_a_failure_domain_of_its_own() -> None:
    """One runner, one set of figures and one id each; that a crash stays inside is R124."""
    assert len({stage.compat.settings_prefix for stage in DECLARATIONS}) == len(DECLARATIONS) >= 11
    assert len({stage.job_id for stage in STAGES}) == len(STAGES)
    changed = load_settings(env_file=None, environment={"DEEP_SCAN_SCHEDULER_BATCH_SIZE": "3"})
    figures = {stage.name: stage_options(changed, stage) for stage in DECLARATIONS}
    assert figures["deep_scan"].batch == 3
    assert figures["extract_domain"].batch != 3
    assert figures["discover_sitemaps"].interval == timedelta(minutes=1)


def given_values(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Every name that is given a value: keys of dicts, keywords of calls, subscripts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Dict):
            yield from ((ast.unparse(key).strip("'"), value) for key, value in _pairs(node))
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg, node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield ast.unparse(node.targets[0].slice).strip("'"), node.value


def _pairs(node: ast.Dict) -> list[tuple[ast.expr, ast.expr]]:
    return [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]


# The names of columns there are keys of the labels that people see.
LABELS = {"list_views.py"}


def files_that_give(name: str, *values: str) -> set[str]:
    """The files that give a column or argument a value, or one of these values."""
    return {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for given, value in given_values(path)
        if given == name and (not values or ast.unparse(value) in values) and path.name not in LABELS
    }


@pytest.mark.req("R136")
def test_exactly_one_stage_submits_domains() -> None:
    """Incidents 13 and 34 began with a second scheduler. A person's scan is the one other maker of jobs."""
    reading = [stage for stage in STAGES if stage.queue.status == "sitemap_analysis_status"]
    assert [stage.name for stage in reading] == ["submit_domain"]
    assert files_that_give("job_type", "'sitemap'") == {"stages/submit_domain.py", "actions/searches.py"}
    makers = [
        path for path in SOURCE.rglob("*.py") if "Upsert(tables.jobs" in path.read_text(encoding="utf-8")
    ]
    assert [path.name for path in makers] == ["submit_domain.py"]


@pytest.mark.req("R137")
def test_the_analysis_of_domains_is_queued_in_one_place_each_for_people_and_for_the_pipeline() -> None:
    """Shells and the schedule hold none of it: they call the action or run the stage."""
    writers = files_that_give("SUBMIT_DOMAIN.status") | files_that_give("sitemap_curation_status")
    assert {file.split("/")[0] for file in writers} <= {"actions", "stages", "queries", "tables"}
    assert files_that_give("SUBMIT_DOMAIN.status") == {"stages/read_metadata.py"}
    assert not files_that_give("sitemap_analysis_status")


@pytest.mark.req("R114")
async def test_the_stage_stores_what_the_one_metadata_module_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def only_here(doc: Document, hints: Hints) -> SiteMetadata:
        asked.append(doc)
        return replace(read_site_metadata(doc, hints), title="only here", has_divi=True)

    monkeypatch.setattr("scrapersky.extract.page.read_site_metadata", only_here)
    home = "<html><head><title>Lune</title></head><body><p>Bread since 1982.</p></body></html>"
    row = item("lune.co.uk", domain="lune.co.uk", country="GB", sitemap_analysis_status=None)
    done = await BY_NAME["read_metadata"].run(row, context(FakeWeb({"https://lune.co.uk/": home})))

    assert (done.fields["title"], done.fields["has_divi"], len(asked)) == ("only here", True, 1)


@pytest.mark.req("R114")
def test_only_extraction_parses_html_and_only_one_module_makes_metadata() -> None:
    parsers = re.compile(r"^(?:from|import) (?:selectolax|lxml|bs4|html\.parser|html5lib)", re.MULTILINE)
    source = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    parsing = {path.relative_to(SOURCE).parts[0] for path, text in source.items() if parsers.search(text)}
    assert parsing <= {"extract", "scrapersky_demo"}
    makers = {path.name for path, text in source.items() if re.search(r"\bSiteMetadata\(", text)}
    assert makers == {"page_metadata.py"}


@pytest.mark.req("R142", "R250")
@pytest.mark.parametrize("stage", BY_NAME.values(), ids=BY_NAME)
def test_a_stage_is_one_function_of_a_row_and_its_context(stage: Stage) -> None:
    """It gets neither session nor status: the engine owns the transaction, so no stage can hold one."""
    assert inspect.iscoroutinefunction(stage.run)
    assert list(inspect.signature(stage.run).parameters) == ["item", "context"]
    assert set(stage.reads) <= set(stage.table.c.keys())


def test_every_work_has_its_stage_and_every_stage_its_work() -> None:
    assert {queue.name for queue in DECLARATIONS} == set(BY_NAME)


@pytest.mark.parametrize("name", TABLE)
def test_what_people_curate_is_barred_by_their_decision(name: str) -> None:
    uncurated = {"search_places", "discover_sitemaps", "deliver"}
    assert bool(BY_NAME[name].queue.excluded_by) == (name not in uncurated)
