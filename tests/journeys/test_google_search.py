"""A search of Google becomes contacts, and a search whose workers are killed pays for no page twice."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from children import stop_with_parent
from demo_lab import AUTOMATIC, Lab, lab, well
from google_lab import with_google
from product import until
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.web import create_app
from scrapersky_demo.contracts.google_city import BOX, InventedCity, clustered_city

PAID = "text_search_enterprise"
ORIGIN = "http://localhost:8000"


async def add_search(found: Lab) -> None:
    await found.do(
        "INSERT INTO place_searches (tenant_id, business_type, location, source, params, created_by)"
        " VALUES (:tenant, 'bakery', 'Musterstadt', 'google_places', jsonb_build_object('box',"
        " jsonb_build_object('south', CAST(:south AS float), 'west', CAST(:west AS float),"
        " 'north', CAST(:north AS float), 'east', CAST(:east AS float))), :user)",
        tenant=found.who.tenant_id,
        user=found.who.user_id,
        **BOX,
    )


async def search_in_console(found: Lab) -> None:
    """Fill in the form, read the price, and accept it."""
    context = ApiContext(found.engine, found.settings, Log(), SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"))
    web = create_app(HealthQuery(found.engine, None), StageQuery(found.engine), api=context)
    headers = {"Accept": "text/html", "Origin": ORIGIN}
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as browser:
        area = ",".join(str(BOX[side]) for side in ("south", "west", "north", "east"))
        form = {"what": "bakery", "box": area, "source": "google_places"}
        price = await browser.post("/add/search", data=form)
        assert price.status_code == 200
        assert "Price of the search" in price.text
        assert await found.one("SELECT count(*) FROM place_searches") == 0
        accepted = await browser.post("/add/search", data={**form, "accepted": "1"})
        assert accepted.status_code == 200, accepted.text
    await context.close()


async def ledger(found: Lab, sku: str) -> tuple[int, int]:
    [row] = await found.rows("SELECT booked, answered FROM service_calls WHERE sku = :sku", sku=sku)
    return row.booked, row.answered


@pytest.mark.req("R125", "R126", "R127", "R130", "R245", "R246", "R248", "R249")
async def test_a_search_of_google_in_the_console_becomes_contacts(database_url: str, tmp_path: Path) -> None:
    world = well(3, 8)
    owners = [business for business in world.businesses if business.host]
    city = clustered_city(130)
    places = [
        replace(place, website=f"http://{owner.host}/", phone="", country=owner.locale.country)
        for place, owner in zip(city.places, owners, strict=False)
    ]
    city = InventedCity([*places, *city.places[len(places) :]])
    async with lab(database_url, world, tmp_path, **AUTOMATIC) as found, with_google(found, city) as google:
        await search_in_console(found)
        await found.run(seconds=120)

        assert await found.one("SELECT places_found FROM place_searches") == 130
        assert await found.statuses("places_staging", "deep_scan_status") == {"Completed": 130}
        assert await found.one("SELECT count(*) FROM local_businesses WHERE expires_at > now()") == 130
        assert await found.one("SELECT count(*) FROM domains WHERE lead_source = 'google_places'") == len(
            owners
        )
        score = await found.score()
        assert not score.missing
        # An agency's number on a few sites is not known as such yet.
        assert not [value for _, value in score.false if "@" in value]
        # The deep scan of every place cost nothing more, and the stored cells keep no data of Google.
        assert set(google.billed) == {"text_search_ids", PAID}
        assert await ledger(found, PAID) == (google.billed[PAID],) * 2
        assert google.billed[PAID] <= 9
        assert await found.statuses("search_cells", "state") == {
            "stored": await found.one("SELECT count(*) FROM search_cells WHERE places = '[]'")
        }


@pytest.mark.reliability
@pytest.mark.timeout(1800)
async def test_a_search_under_kill_9_pays_for_finished_cells_once(database_url: str, tmp_path: Path) -> None:
    city = clustered_city(800)
    async with lab(database_url, well(1, 1), tmp_path) as found, with_google(found, city) as google:
        google.failures.seconds = 0.01
        await add_search(found)
        kills = 0
        while not await is_complete(found):
            worker = await start_worker(found, tmp_path)
            calls = google.calls

            async def has_worked(before: int = calls) -> bool:
                return google.calls >= before + 60 or await is_complete(found)

            await until(has_worked, seconds=120)
            worker.kill()
            await worker.wait()
            kills += 1
        fewest = len(city.places) / 20
        booked, answered = await ledger(found, PAID)
        figures = f"{kills} kills, {google.billed[PAID]} paid calls for {fewest:.0f} pages, {booked} booked"
        sys.stderr.write(f"\n{figures}\n")
        assert kills >= 3
        assert await found.one("SELECT count(*) FROM places_staging") >= 0.99 * len(city.places)
        assert answered <= google.billed[PAID] <= booked
        # Each kill may lose the calls that were on their way, which are at most four.
        assert google.billed[PAID] <= 1.3 * fewest + 4 * kills


async def is_complete(found: Lab) -> bool:
    return bool(await found.one("SELECT status FROM place_searches") == "complete")


async def start_worker(found: Lab, folder: Path) -> Any:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scrapersky", "worker", "--stage", "search_places"),
        cwd=folder,
        env={**os.environ, **found.environment},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        preexec_fn=stop_with_parent,
    )
