"""The code in the recipes runs in the stages it is written for."""

from __future__ import annotations

import re
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

sys.path.insert(0, str(Path(__file__).parent))
from fakes import TENANT, FakePayloads, FakeWeb, context, item
from recipes import Recipe, copy_tree
from scrapersky.destinations import DeliveryPayload, Destination
from scrapersky.engine.outcome import Discard
from scrapersky.sources import Source
from scrapersky.stages import deep_scan, deliver, search_places

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"


# The most files that a person edits or creates, test and migration included.
RECIPES = {
    "CONTRIBUTING.md": 2,
    "docs/how-to/add-an-alert.md": 3,
}


@pytest.mark.parametrize(("page", "files"), RECIPES.items())
def test_a_recipe_works_as_written(
    page: str, files: int, tmp_path: Path, server_url: URL, empty_database_url: str
) -> None:
    """Followed on a copy of the tree: its edits apply, its commands print what it shows."""
    environment = {"DATABASE_URL": empty_database_url, "TEST_DATABASE_URL": shown(server_url)}
    recipe = Recipe(page, copy_tree(tmp_path), environment)
    recipe.follow()
    assert len(recipe.edited) <= files, sorted(recipe.edited)
    recipe.run_python("-m", "ruff", "check", "--no-cache", *recipe.python_files())
    recipe.run_python("-m", "ruff", "format", "--no-cache", "--check", *recipe.python_files())


def shown(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def code_of(page: str) -> dict[str, Any]:
    """The names that the Python blocks of a page define."""
    found: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.+?)```", (HOW_TO / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), found)
    return found


async def test_the_source_of_the_recipe_works() -> None:
    members = {"m1": {"name": "Linden", "city": "Lübeck", "website": "https://linden-demo.de"}}
    source: Source = code_of("add-a-source.md")["GuildRegister"](members)
    kit = context(FakeWeb(), sources={"guild": source})

    search = item(business_type="bakery", location="lübeck", source="guild", params={}, created_by=None)
    done = await search_places.run(search, kit)
    assert [row.values["place_id"] for row in done.rows] == ["m1"]

    place = item(source="guild", place_id="m1", raw_data={}, created_by=None, search_id=None, status="New")
    (business,) = (await deep_scan.run(place, kit)).rows
    assert business.values["website_url"] == "https://linden-demo.de"
    with pytest.raises(Discard, match="no member"):
        await source.details("m2", {})


async def test_the_destination_of_the_recipe_works() -> None:
    book: Destination = code_of("add-a-destination.md")["AddressBook"]()
    parcel = DeliveryPayload("book", "My book", {"email": "anna@linden-demo.de"}, uuid.uuid4(), TENANT)
    kit = context(FakeWeb(), payloads=FakePayloads(parcel), destinations={"book": book})

    for _ in range(2):
        done = await deliver.run(item(contact_id=uuid.uuid4(), destination_id=uuid.uuid4()), kit)
    assert done.fields["external_id"] == f"entry-{parcel.delivery_id}"
    assert len(book.entries) == 1  # type: ignore[attr-defined]
    with pytest.raises(Discard):
        await book.deliver(DeliveryPayload("book", "My book", {"email": None}, uuid.uuid4(), TENANT))
