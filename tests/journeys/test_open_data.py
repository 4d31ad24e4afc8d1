"""A kind of business and a place become contacts, from open data alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from demo_lab import AUTOMATIC, lab
from scrapersky.cli import main
from scrapersky_demo import World
from scrapersky_demo.overture_file import overture_record, write_records

# Kinds of the demo world that Overture calls the same.
KINDS = ("dentist", "florist", "lawyer", "restaurant")


@pytest.mark.req("R245", "R246")
async def test_search_add_with_a_parquet_file_ends_in_contacts(database_url: str, tmp_path: Path) -> None:
    world = World(11, 30)
    business = next(
        one
        for one in world.businesses
        if one.host and one.kind in KINDS and world.truth().domains[one.host].values("email", "expected")
    )
    listed = f"order@{business.host}"
    file = tmp_path / "places.parquet"
    others = [overture_record(one) for one in world.businesses if one.host != business.host]
    write_records(
        file,
        [
            overture_record(
                business, emails=[listed], socials=["https://www.instagram.com/some.bakery"], confidence=0.9
            ),
            *others,
        ],
    )
    near = f"{business.latitude},{business.longitude}"
    settings = {"OVERTURE_PATH": str(file), **AUTOMATIC}
    async with lab(database_url, world, tmp_path, **settings) as found:
        environment = {"DATABASE_URL": database_url, "OVERTURE_PATH": str(file)}
        command = ["search", "add", f"{business.kind}s", "--near", near, "--radius", "1", "--json"]
        added = await asyncio.to_thread(CliRunner().invoke, main, command, env=environment)
        assert added.exit_code == 0, added.output
        assert json.loads(added.stdout)["source"] == "overture"
        await found.run(seconds=120)

        [place] = await found.rows("SELECT place_id, source, business_type FROM places_staging")
        assert tuple(place) == (business.id, "overture", business.kind)
        [row] = await found.rows("SELECT additional_json FROM local_businesses")
        assert row.additional_json["listing"]["licence"] == "CDLA-Permissive-2.0"
        contacts = await found.rows(
            "SELECT c.email, c.source_url, c.social_urls, c.confidence FROM contacts c"
            " JOIN domains d ON d.id = c.domain_id WHERE d.domain = :domain",
            domain=business.host,
        )
        emails = {contact.email: contact for contact in contacts}
        assert set(emails) >= world.truth().domains[business.host].values("email", "expected") | {listed}
        assert emails[listed].source_url == f"overture:place/{business.id}"
        assert emails[listed].social_urls == {"instagram": "https://www.instagram.com/some.bakery"}
        assert emails[listed].confidence == pytest.approx(0.63)
