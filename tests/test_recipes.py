"""Every recipe works when it is followed word for word on a copy of the tree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

sys.path.insert(0, str(Path(__file__).parent))
from recipes import ROOT, Recipe, copy_tree

# The most files that a person edits or creates, test and migration included.
RECIPES = {
    "CONTRIBUTING.md": 2,
    "docs/how-to/add-a-stage.md": 5,
    "docs/how-to/add-a-contact-column.md": 4,
    "docs/how-to/add-a-source.md": 3,
    "docs/how-to/add-a-destination.md": 3,
    "docs/how-to/add-an-alert.md": 3,
    "docs/how-to/add-a-command.md": 2,
}

RULES = (
    "tests/test_architecture.py",
    "tests/test_completeness.py",
    "tests/test_layout.py",
    "tests/test_vocabulary.py",
    "tests/stages/test_pipeline.py",
    "tests/tables/test_schema.py",
    "tests/tables/test_migrate.py",
)


@pytest.mark.parametrize(("page", "files"), RECIPES.items())
def test_a_recipe_works_as_written(
    page: str, files: int, tmp_path: Path, server_url: URL, empty_database_url: str
) -> None:
    """Its edits apply, its commands print what it shows, and its code passes the linter."""
    server = server_url.render_as_string(hide_password=False)
    environment = {"DATABASE_URL": empty_database_url, "TEST_DATABASE_URL": server}
    recipe = Recipe(page, copy_tree(tmp_path), environment)
    recipe.follow()
    assert len(recipe.edited) <= files, sorted(recipe.edited)
    recipe.run_python("-m", "ruff", "check", "--no-cache", *recipe.python_files())
    recipe.run_python("-m", "ruff", "format", "--no-cache", "--check", *recipe.python_files())


@pytest.mark.reliability
def test_all_recipes_together_pass_the_checks(tmp_path: Path, server_url: URL) -> None:
    """Types, import rules, architecture, and a migration that matches the tables."""
    environment = {"TEST_DATABASE_URL": server_url.render_as_string(hide_password=False)}
    folder = copy_tree(tmp_path)
    for page in RECIPES:
        Recipe(page, folder, environment).follow(run=False)
    recipe = Recipe("all recipes", folder, environment)
    recipe.run("make schema")
    recipe.run("make docs")
    recipe.run_python("-m", "mypy", "--no-error-summary")
    recipe.run_python("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
    recipe.run(f'make test ARGS="{" ".join(RULES)}"')


def test_every_recipe_is_followed() -> None:
    pages = {f"docs/how-to/{page.name}" for page in (ROOT / "docs" / "how-to").glob("add-*.md")}
    assert pages <= set(RECIPES)
