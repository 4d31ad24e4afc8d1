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
    "docs/how-to/add-a-contact-column.md": 4,
    "docs/how-to/add-a-source.md": 3,
    "docs/how-to/add-a-destination.md": 2,
    "docs/how-to/add-an-alert.md": 3,
    "docs/how-to/add-a-command.md": 2,
}


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


def test_every_recipe_is_followed() -> None:
    pages = {f"docs/how-to/{page.name}" for page in (ROOT / "docs" / "how-to").glob("add-*.md")}
    assert pages - {"docs/how-to/add-a-stage.md"} <= set(RECIPES)
