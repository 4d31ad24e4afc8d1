"""One business, from a place search to a delivered line, with every status seen in order."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from demo_lab import AUTOMATIC, Lab, lab, well
from product import until
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.declarations import DECLARATIONS, RUN_JOB
from scrapersky_demo.source import DEMO_SOURCES

pytestmark = pytest.mark.usefixtures("both_modes")

# A table in which triggers note every word a status takes, in the order in which transactions wrote them.
HISTORY = "CREATE TABLE history (n bigint GENERATED ALWAYS AS IDENTITY, queue text, row_id text, word text)"
NOTE = """CREATE FUNCTION note_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE word text := to_jsonb(NEW) ->> TG_ARGV[1];
BEGIN
  IF TG_OP = 'INSERT' OR word IS DISTINCT FROM to_jsonb(OLD) ->> TG_ARGV[1] THEN
    INSERT INTO history (queue, row_id, word) VALUES (TG_ARGV[0], NEW.id::text, word);
  END IF;
  RETURN NULL;
END $$"""
WORD_ORDER = {
    "search_places": ["pending", "processing", "complete"],
    "deep_scan": ["Queued", "Processing", "Completed"],
    "extract_domain": ["Queued", "Processing", "Completed"],
    "read_metadata": ["pending", "processing", "completed"],
    "submit_domain": [None, "queued", "processing", "submitted"],
    "discover_sitemaps": ["pending", "running", "complete"],
    "import_sitemap": ["Queued", "Processing", "Complete"],
    "read_page": ["Queued", "Processing", "Complete"],
    "validate_email": ["Queued", "Processing", "Complete"],
    "deliver": ["Queued", "Processing", "Complete"],
}


async def keep_history(found: Lab) -> None:
    await found.do(HISTORY)
    await found.do(NOTE)
    for queue in DECLARATIONS:
        if queue is not RUN_JOB:
            await found.do(
                f"CREATE TRIGGER zz_note_{queue.name} AFTER INSERT OR UPDATE ON {queue.table} FOR EACH ROW"
                f" EXECUTE FUNCTION note_status('{queue.name}', '{queue.status}')"
            )


async def histories(found: Lab, queue: str) -> list[list[str | None]]:
    """The words of each row of one stage."""
    rows = await found.rows("SELECT row_id, word FROM history WHERE queue = :queue ORDER BY n", queue=queue)
    seen: dict[str, list[str | None]] = {}
    for row in rows:
        seen.setdefault(row.row_id, []).append(row.word)
    return list(seen.values())


async def deliver_everything(found: Lab) -> None:
    """A destination and one delivery for each contact, as a person would ask for."""
    tenant = found.who.tenant_id
    await found.do(
        "INSERT INTO destinations (tenant_id, name, kind) VALUES (:tenant, 'leads', 'csv')", tenant=tenant
    )
    await found.do(
        "INSERT INTO deliveries (tenant_id, contact_id, destination_id)"
        " SELECT c.tenant_id, c.id, d.id FROM contacts c, destinations d"
    )


async def nothing_waits(found: Lab) -> bool:
    return set(await found.statuses("deliveries", "status")) == {"Complete"}


@pytest.mark.req("R245", "R246", "R248", "R249")
async def test_one_business_travels_through_all_ten_stages(database_url: str, tmp_path: Path) -> None:
    """No hand touches it on the way; each boundary is crossed by its status alone."""
    world = well(3, 30)
    business = next(one for one in world.businesses if one.host and world.plan(one.host).sitemap == "index8")
    async with lab(database_url, world, tmp_path, **AUTOMATIC) as found:
        await keep_history(found)
        request = SearchRequest(business.kind, business.city.name, "demo", params={"limit": 50})
        await submit_search(found.engine, found.who, request, DEMO_SOURCES)
        async with found.working():
            await found.over()
            await deliver_everything(found)
            await until(lambda: nothing_waits(found))

        for queue, statuses in WORD_ORDER.items():
            seen = await histories(found, queue)
            assert statuses in seen, (queue, seen)
            # What never came to processing was decided to wait (NULL) or to be left out (Filtered, D8).
            worked = [one for one in seen if len(one) > 1]
            allowed = [statuses, [*statuses[:-1], "Filtered"], [*statuses[:-1], "Error"]]
            assert all(one in allowed for one in worked), (queue, seen)
        await business_is_connected(found, business)
        await lines_are_delivered(found, business, tmp_path)


async def business_is_connected(found: Lab, business: Any) -> None:
    """From the contact back to the search, by links alone."""
    rows = await found.rows(
        "SELECT DISTINCT s.business_type, p.place_id, b.business_name, d.domain, j.status, j.created_by"
        " FROM contacts c JOIN domains d ON d.id = c.domain_id JOIN jobs j ON j.domain_id = d.id"
        " JOIN local_businesses b ON b.id = d.local_business_id"
        " JOIN places_staging p ON p.id = b.place_row_id"
        " JOIN place_searches s ON s.id = p.search_id WHERE d.domain = :domain",
        domain=business.host,
    )
    assert (business.kind, business.id, business.name, business.host, "complete", found.who.user_id) in [
        tuple(row) for row in rows
    ]


async def lines_are_delivered(found: Lab, business: Any, folder: Path) -> None:
    with next((folder / "exports").glob("*.csv")).open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["domain"] == business.host]
    expected = found.world.truth().domains[business.host].values("email", "expected")
    assert {line["email"] for line in lines} >= expected
    for line in lines:
        assert line["evidence"]
        assert line["evidence_method"]
        assert line["source_url"].startswith(f"http://{business.host}/")
