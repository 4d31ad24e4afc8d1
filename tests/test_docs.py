"""Documents exist, are complete, link to things that exist, and generated pages are fresh."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

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
TARGETS = (
    "run",
    "test",
    "check",
    "fix",
    "bench",
    "quality",
    "reliability",
    "docs",
    "schema",
    "demo",
    "setup",
    "clean",
)


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
                node.name
                for node in ast.parse(text(path)).body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }, line


def test_the_changelog_has_room_for_the_next_change() -> None:
    assert re.search(r"^## \[Unreleased\]$", text("CHANGELOG.md"), re.MULTILINE)


def test_the_licence_is_apache_2() -> None:
    assert "Apache License" in text("LICENSE")
    assert "Version 2.0, January 2004" in text("LICENSE")


# What documents name exists


# Files that come into being on a user's machine.
EXAMPLES = {"requests.tsv", "truth.json"}
OF_OTHERS = {"DATABASE_URL_FILE", "CONTACT_ROOT", "TYPE_CHECKING"}  # A secret from a file; a type of page.
# Pages about the past and about plans may name what is not there.
FREE = {"docs/requirements.md", "CHANGELOG.md"}
SUFFIXES = ("py", "md", "toml", "txt", "sql", "json", "css", "html", "example", "yml")
FILE = re.compile(rf"[\w.\-]+(?:/[\w.\-]+)*/?(?:\.(?:{'|'.join(SUFFIXES)})|(?<=/))")
CODE_SPAN = re.compile(r"```\w*\n(.+?)```|`([^`\n]+)`", re.DOTALL)


BLOCK = re.compile(r"^```python\n(.+?)^```", re.DOTALL | re.MULTILINE)


def spans(page: Path) -> list[str]:
    """Every piece of code on a page, line by line."""
    found = CODE_SPAN.findall(page.read_text(encoding="utf-8"))
    return [line.strip() for block, inline in found for line in (block or inline).splitlines()]


def is_there(file: str, page: Path) -> bool:
    places = (ROOT, ROOT / "src" / "scrapersky", page.parent, ROOT / "src" / "scrapersky_demo")
    return file in EXAMPLES or created(file, page) or any((place / file).exists() for place in places)


def created(file: str, page: Path) -> bool:
    """Whether the page is a recipe that says to create the file."""
    return f"Create `{file}`" in page.read_text(encoding="utf-8")


def unknown_files(page: Path) -> list[str]:
    whole = [span for span in spans(page) if FILE.fullmatch(span)]
    return [f"file {span}" for span in whole if not is_there(span, page)]


def unknown_settings(page: Path) -> list[str]:
    from scrapersky.settings import Settings

    known = {name.upper() for name in Settings.model_fields}
    names = {
        word
        for span in spans(page)
        for word in re.findall(r"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9_]*\*|[A-Z0-9_]+\b)", span)
    }
    return [
        f"setting {word}"
        for word in sorted(names - OF_OTHERS - known)
        if not (word.endswith("*") and any(name.startswith(word.rstrip("*")) for name in known))
        and not is_constant(word)
        and not re.search(rf"^\+?{word} = ", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]


@cache
def source_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))


def is_constant(word: str) -> bool:
    return re.search(rf"^{word}\b", source_text(), re.MULTILINE) is not None


def unknown_commands(page: Path) -> list[str]:
    """Commands that do not exist, and options that a command does not have."""
    import click

    from scrapersky.cli import main

    bad = []
    for span in spans(page):
        called = re.match(r"(?:\./)?(?:\.venv/bin/)?scrapersky (.+)", span.split("  #")[0].split(" | ")[0])
        if not called or called.group(1).startswith(("--", "|")):
            continue
        command: click.Command = main
        for word in called.group(1).split():
            if isinstance(command, click.Group):
                found = command.get_command(click.Context(command), word)
                if found is None:
                    bad.append(f"command {span}")
                    break
                command = found
            elif word.startswith("-") and word.split("=")[0] not in options_of(command):
                bad.append(f"option {word} in {span}")
    return bad


def options_of(command: Any) -> set[str]:
    return {"--help"} | {name for one in command.params for name in (*one.opts, *one.secondary_opts)}


def unknown_targets(page: Path) -> list[str]:
    named = {target for span in spans(page) for target in re.findall(r"^make ([a-z-]+)", span)}
    there = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    return [f"make {target}" for target in sorted(named - there)]


def unknown_tests(page: Path) -> list[str]:
    named = {test for span in spans(page) for test in re.findall(r"(tests/[\w/]+\.py)::(\w+)", span)}
    return [
        f"test {file}::{test}"
        for file, test in sorted(named)
        if not (ROOT / file).is_file() or f"def {test}(" not in text(file)
    ]


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (unknown_files, "src/scrapersky/nothing.py"),
        (unknown_files, "docs/nowhere/"),
        (unknown_settings, "CARRIER_PIGEON_KEY"),
        (unknown_settings, "ALERT_PIGEON_*"),
        (unknown_commands, "scrapersky page rereed"),
        (unknown_commands, "./scrapersky job list --broken"),
        (unknown_targets, "make tea"),
        (unknown_tests, "tests/test_docs.py::test_nothing"),
    ],
)
def test_a_name_that_does_not_exist_is_seen(check: Any, code: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Use `{code}`.")
    assert len(check(page)) == 1
    page.write_text("Use `make run`, `scrapersky find --file x`, `PORT`, `ALERT_SMTP_*` and `README.md`.")
    assert check(page) == []


@pytest.mark.parametrize("page", [page for page in PAGES if name(page) not in FREE], ids=name)
def test_what_a_page_names_exists(page: Path) -> None:
    checks = (unknown_files, unknown_settings, unknown_commands, unknown_targets, unknown_tests)
    bad = [one for check in checks for one in check(page)]
    assert not bad, f"{name(page)} names what does not exist: " + "; ".join(bad)


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("add-*.md")), ids=name)
def test_the_names_in_a_recipe_are_names_of_the_code(page: Path) -> None:
    names = {span.rstrip("()") for span in spans(page) if re.fullmatch(r"[A-Za-z_]\w+(\(\))?", span)}
    known = source_text() + "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    lost = [word for word in sorted(names) if not re.search(rf"\b{word}\b", known, re.IGNORECASE)]
    assert not lost, f"{name(page)} names {lost}"


def test_every_part_of_the_package_is_in_the_table_of_parts() -> None:
    table = text("ARCHITECTURE.md").split("## Five layers")[1].split("\n## ")[0]
    parts = {
        part.rstrip("/")
        for row in table.splitlines()
        for part in re.findall(r"`([\w./]+)`", row.split("|")[1] if row.startswith("| `") else "")
    }
    package = ROOT / "src" / "scrapersky"
    there = {
        path.name
        for path in package.iterdir()
        if path.name[0] != "_" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }
    assert parts == there


@pytest.mark.req("R234", "R268")
def test_the_completion_report_has_the_five_headings_each_with_something_to_say() -> None:
    page = text("docs/completion-report.md")
    parts = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    assert [part.splitlines()[0] for part in parts] == [
        "1. Changes made",
        "2. Testing methodology",
        "3. Test results",
        "4. Remaining issues",
        "5. Lessons learned",
    ]
    assert all(len(part) > 200 for part in parts)


# Generated, historical or tabular pages name the program, not a command to copy.
ELSEWHERE = ("docs/reference/", "docs/decisions/", "docs/requirements.md", "CHANGELOG.md")
READ_IN_A_CHECKOUT = [page for page in PAGES if not name(page).startswith(ELSEWHERE)]


@pytest.mark.parametrize("page", READ_IN_A_CHECKOUT, ids=name)
def test_commands_work_as_they_are_printed(page: Path) -> None:
    """With the name that works in a checkout, and with commands and options that exist."""
    from click.testing import CliRunner

    from scrapersky.cli import main

    written = page.read_text(encoding="utf-8")
    assert not re.findall(r"(?<![\w./-])scrapersky (?!import )[a-z]\w+", written), (
        "in a checkout it is ./scrapersky"
    )
    for command in set(re.findall(r"(?<=[\s`])\./scrapersky ([a-z][^`#|\n]*)", written)):
        answer = CliRunner().invoke(main, [*command.split("…")[0].split(), "--help"])
        assert answer.exit_code == 0, f"./scrapersky {command}: {answer.output}"


def test_the_command_of_the_checkout_can_be_run() -> None:
    assert os.access(ROOT / "scrapersky", os.X_OK)
    assert "./scrapersky find" in text("README.md")
