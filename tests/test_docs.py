"""Documents exist, are complete, link to things that exist, and generated pages are fresh."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
STAGES = [
    *("search_places", "deep_scan", "extract_domain", "read_metadata", "submit_domain", "discover_sitemaps"),
    *("import_sitemap", "read_page", "validate_email", "deliver"),
]
STATUS_COLUMNS = [
    *(
        "place_searches.status",
        "places_staging.deep_scan_status",
        "local_businesses.domain_extraction_status",
    ),
    *(
        "domains.status",
        "domains.sitemap_analysis_status",
        "jobs.status",
        "sitemap_files.sitemap_import_status",
    ),
    *("pages.page_processing_status", "contacts.email_validation_status", "deliveries.status"),
]
TARGETS = ("run", "test", "check", "fix", "bench", "quality", "reliability", "docs", "demo", "setup", "clean")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_generated_pages_are_fresh() -> None:
    """Settings, statuses, stages and commands are documented as the code has them."""
    command = [sys.executable, "scripts/docs.py", "--check"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if not re.match(r"[a-z]+:", link)]
    broken = [link for link in inside if not (page.parent / link).exists()]
    assert not broken, f"{name(page)} links to {broken}"


def test_the_readme_is_short_and_begins_with_the_two_commands() -> None:
    lines = text("README.md").splitlines()

    assert len(lines) <= 100
    first_screen = "\n".join(lines[:25])
    assert "make run" in first_screen
    assert "make test" in first_screen


def test_every_page_can_be_reached_from_the_readme() -> None:
    readme = text("README.md")
    folders = [page for page in PAGES if page.parent != ROOT and page.parent != DOCS]
    lost = [name(page) for page in PAGES if name(page) not in readme and page not in folders]
    lost += [
        name(page) for page in folders if not any(name(place) in readme for place in [page, page.parent])
    ]
    assert set(lost) <= {"README.md", "docs/results.md"}, "Not in the README's list: " + ", ".join(lost)


@pytest.mark.parametrize("target", TARGETS)
def test_bare_make_lists(target: str) -> None:
    answer = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert re.search(rf"^  make {target} +\S", answer.stdout, re.MULTILINE), answer.stdout


def test_ci_runs_what_people_run() -> None:
    assert "make test" in text(".ci/run")
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize("page", DECISIONS, ids=name)
def test_a_decision_is_one_page_in_four_parts(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()

    assert re.match(rf"# {page.name[:4]} \w", lines[0]), "the title begins with the number"
    parts = [line for line in lines if line.startswith("## ")]
    assert parts == ["## Context", "## Decision", "## Consequences", "## Alternatives"]
    assert len(lines) <= 60


def test_decisions_are_numbered_without_gaps() -> None:
    assert [page.name[:4] for page in DECISIONS] == [
        f"{number:04}" for number in range(1, len(DECISIONS) + 1)
    ]


@pytest.mark.req("R212")
@pytest.mark.parametrize(
    ("subject", "number", "word"),
    [
        ("sessions", "0003", "transaction"),
        ("calls between parts", "0010", "functions"),
        ("statuses", "0002", "status column"),
        ("retries", "0007", "retries"),
        ("queue", "0001", "queues"),
    ],
)
def test_a_decision_is_on_record_about(subject: str, number: str, word: str) -> None:
    """R212"""
    page = next(page for page in DECISIONS if page.name.startswith(number)).read_text(encoding="utf-8")
    decision = page.split("## Decision")[1].split("## Consequences")[0]
    assert word in decision, f"{number} no longer decides about {subject}"


@pytest.mark.req("R023")
def test_partitioning_of_jobs_is_decided() -> None:
    """R023"""
    assert "R023" in next(page for page in DECISIONS if page.name.startswith("0008")).read_text(
        encoding="utf-8"
    )


@pytest.mark.req("R086")
def test_the_rule_against_calling_ourselves_shows_right_and_wrong() -> None:
    """R086"""
    page = next(page for page in DECISIONS if page.name.startswith("0010")).read_text(encoding="utf-8")
    assert re.search(r"^Right: .+?```python.+?^Wrong: .+?```python", page, re.MULTILINE | re.DOTALL)


@pytest.mark.req("R209")
@pytest.mark.parametrize("stage", STAGES)
def test_the_dependency_graph_names(stage: str) -> None:
    """R209"""
    graph = re.search(r"```mermaid\ngraph.+?```", text("ARCHITECTURE.md"), re.DOTALL)
    assert graph, "ARCHITECTURE.md has no graph"
    assert f"-- {stage} -->" in graph.group()


@pytest.mark.req("R211")
@pytest.mark.parametrize("stage", STAGES)
def test_the_troubleshooting_guide_has_a_section_on(stage: str) -> None:
    """R211"""
    section = re.search(rf"^### {stage}\n\n(.+)", text("docs/troubleshooting.md"), re.MULTILINE)
    assert section, f"docs/troubleshooting.md has no section on {stage}"
    assert len(section.group(1)) > 60


def test_the_pipeline_has_no_stage_that_the_documents_do_not_know() -> None:
    from scrapersky.pipeline import STAGES as PIPELINE

    files = [line.stage.run.__module__.split(".")[-1] for line in PIPELINE]
    ours = [file for file in files if file != "run_job"]  # Jobs stand beside the flow, not in it.
    assert ours == [stage for stage in STAGES if stage in ours]


@pytest.mark.req("R210")
@pytest.mark.parametrize("column", STATUS_COLUMNS)
def test_the_map_of_statuses_has(column: str) -> None:
    """R210: table, column and the words for each state, with the transitions drawn above."""
    table, field = column.split(".")
    page = text("docs/reference/statuses.md")
    assert re.search(rf"^\| \w+ \| {table} \| {field} (\| \w+ ){{4}}\|", page, re.MULTILINE)
    assert "processing --> failed" in page


def test_every_invariant_names_a_check_that_exists() -> None:
    section = text("ARCHITECTURE.md").split("## Invariants", 1)[1]
    contracts = {
        contract["name"]
        for contract in tomllib.loads(text("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    }
    for line in re.findall(r"^- .+", section, re.MULTILINE):
        _, _, check = line.partition(" — ")
        named = re.findall(r'"([^"]+)"', check)
        tests = re.findall(r"`(tests/\w+\.py)::(\w+)`", check)
        assert named or tests, f"no check: {line}"
        assert set(named) <= contracts, line
        for path, test in tests:
            assert test in {
                node.name for node in ast.parse(text(path)).body if isinstance(node, ast.FunctionDef)
            }, line


def test_the_changelog_has_room_for_the_next_change() -> None:
    assert re.search(r"^## \[Unreleased\]$", text("CHANGELOG.md"), re.MULTILINE)


def test_the_licence_is_apache_2() -> None:
    assert "Apache License" in text("LICENSE")
    assert "Version 2.0, January 2004" in text("LICENSE")
