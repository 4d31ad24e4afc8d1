"""A kind of business and a place become contacts, from open data alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from demo_lab import AUTOMATIC, lab
from osm_files import node, write_json
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


@pytest.mark.req("R245", "R246")
async def test_openstreetmap_ends_in_contacts_and_is_named_in_the_export(
    database_url: str, tmp_path: Path
) -> None:
    world = World(11, 30)
    business = next(
        one
        for one in world.businesses
        if one.host and one.kind == "dentist" and world.truth().domains[one.host].values("email", "expected")
    )
    listed = f"order@{business.host}"
    tags = {"amenity": "dentist", "name": business.name, "website": business.website or "", "email": listed}
    tags |= {"contact:instagram": "some.dentist", "phone": business.main_line.e164}
    other = node(8, 10.0, 10.0, amenity="dentist", name="far away")
    file = write_json(tmp_path / "osm.json", [node(7, business.latitude, business.longitude, **tags), other])
    environment = {"DATABASE_URL": database_url, "OPENSTREETMAP_PATH": str(file)}
    near = f"{business.latitude},{business.longitude}"
    async with lab(
        database_url, world, tmp_path, **environment | {"LOG_LEVEL": "ERROR"}, **AUTOMATIC
    ) as found:

        async def run(*command: str) -> str:
            done = await asyncio.to_thread(CliRunner().invoke, main, command, env=environment)
            assert done.exit_code == 0, done.output
            return done.stdout

        added = await run("search", "add", "dentists", "--near", near, "--radius", "1", "--json")
        assert json.loads(added)["source"] == "openstreetmap"
        assert "openstreetmap: ok (1 files" in await run("integration", "test", "openstreetmap")
        await found.run(seconds=120)

        [record] = await found.rows("SELECT place_id, tags FROM osm_elements")
        assert tuple(record) == ("node/7", tags)
        [place] = await found.rows("SELECT place_id, source, business_type, raw_data FROM places_staging")
        assert tuple(place)[:3] == ("node/7", "openstreetmap", "dentist")
        assert listed not in json.dumps(place.raw_data), "the record is kept in its own table only"
        contacts = await found.rows("SELECT email, source_url, social_urls FROM contacts")
        emails = {contact.email: contact for contact in contacts}
        assert set(emails) >= world.truth().domains[business.host].values("email", "expected") | {listed}
        assert emails[listed].source_url == "https://www.openstreetmap.org/node/7"
        assert emails[listed].social_urls == {"instagram": "https://www.instagram.com/some.dentist"}

        for name in ("places", "businesses", "domains", "contacts"):
            out = tmp_path / f"{name}.csv"
            await run("export", name, "-o", str(out))
            header, *lines = out.read_text(encoding="utf-8-sig").splitlines()
            assert "attribution" in header
            assert lines
            assert all("© OpenStreetMap contributors" in line for line in lines)
        await run("person", "erase", listed, "--reason", "test", "--yes")
        [record] = await found.rows("SELECT tags FROM osm_elements")
        assert listed not in json.dumps(record.tags)
