"""An original ScraperSky database comes over whole: mapped, completed, merged, reported, and only once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from sqlalchemy import select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from legacy_lab import MANY, MANY_PAGES, make_legacy_database
from product import TENANT, WHO, until
from scrapersky import tables
from scrapersky.actions.contacts.edits import delete_contacts
from scrapersky.actions.installation.legacy_imports import import_legacy_database
from scrapersky.processes.legacy_import import import_legacy, run_here
from scrapersky.queries import JobQuery
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings, load_settings
from scrapersky.stage_context.legacy.source import LegacyRefused, LegacyUnavailable
from scrapersky.stages.run_job import import_legacy as module

EXPECTED = {
    # table: rows, imported, merged, refused
    "place_searches": (3, 3, 0, 0),
    "places_staging": (4, 4, 0, 0),
    "local_businesses": (3, 3, 0, 0),
    "domains": (8, 5, 1, 2),
    "jobs": (5, 5, 0, 0),
    "batch_jobs": (1, 1, 0, 0),
    "sitemap_files": (5, 3, 1, 1),
    "pages": (6, 4, 1, 1),
    "sitemap_urls": (2, 1, 1, 0),
    "contacts": (5, 2, 1, 2),
}


def legacy_id(number: int) -> UUID:
    return UUID(f"00000000-0000-4000-8000-{number:012}")


@pytest.fixture
async def legacy_url(empty_database_url: str) -> str:
    await make_legacy_database(empty_database_url)
    return empty_database_url


@pytest.fixture
def settings(database_url: str, folder: Any) -> Settings:
    given = {"DATABASE_URL": database_url, "DATA_FOLDER": str(folder), "LOG_LEVEL": "ERROR"}
    return load_settings(env_file=None, environment=given)


async def run_import(db: AsyncEngine, settings: Settings, url: str) -> dict[str, Any]:
    return await import_legacy(settings, db, WHO, url, lambda line: None)


async def stored(db: AsyncEngine) -> dict[str, list[Any]]:
    """All rows that an import may touch, but for its own jobs."""
    found = {}
    async with db.connect() as connection:
        for name in (*EXPECTED, "page_sitemaps"):
            if name in ("batch_jobs", "sitemap_urls"):
                continue
            table = tables.metadata.tables[name]
            query = select(table)
            if name == "jobs":
                query = query.where(table.c.job_type != "import_legacy")
            found[name] = sorted((await connection.execute(query)).all(), key=str)
    return found


@pytest.mark.req("R010", "R260")
async def test_everything_comes_over_with_counts_before_and_after(
    db: AsyncEngine, settings: Settings, legacy_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_PER_SLICE", 2)
    job = await run_import(db, settings, legacy_url)

    assert (job["status"], job["error"], job["progress_percent"]) == ("complete", None, 100)
    report = job["result_data"]
    shown = {
        name: (one["source"], one["imported"], one["merged"], one["refused"])
        for name, one in report["tables"].items()
    }
    assert shown == EXPECTED
    rows = await stored(db)
    assert report["before"] == dict.fromkeys(report["before"], 0) | {"jobs": 1}
    assert report["after"] == {
        name: len(rows[name]) + (name == "jobs") for name in rows if name != "page_sitemaps"
    }

    notes = await JobQuery(db, TENANT).import_notes(str(job["id"]))
    told = Counter((note["table_name"], note["outcome"]) for note in notes)
    for name, (_, _, merged, refused) in EXPECTED.items():
        assert (told[name, "merged"], told[name, "refused"]) == (merged, refused), name
    reasons = {(note["table_name"], note["legacy_id"][-3:]): note["reason"] for note in notes}
    assert "facebook" in reasons["domains", "303"].lower()
    assert reasons["contacts", "703"] in (
        "its address is the name of a file",
        "its address is not a mail address",
    )
    assert not [note for note in notes if note["table_name"] == "contacts" and "@" in note["reason"]]
    assert "does not exist" in reasons["sitemap_files", "505"]
    assert reasons["domains", "302"] == f"the same as {legacy_id(301)}"
    assert "'weird' is not known" in reasons["domains", "305"]


@pytest.mark.req("R260")
async def test_statuses_are_mapped_and_no_null_remains(
    db: AsyncEngine, settings: Settings, legacy_url: str
) -> None:
    await run_import(db, settings, legacy_url)
    rows = await stored(db)
    shown = {
        "place": {row.name: (row.status, row.deep_scan_status) for row in rows["places_staging"]},
        "domain": {
            row.domain: (row.status, row.sitemap_curation_status, row.sitemap_analysis_status)
            for row in rows["domains"]
        },
        "sitemap": {
            row.url.rpartition("/")[2]: (row.sitemap_curation_status, row.sitemap_import_status)
            for row in rows["sitemap_files"]
        },
        "page": {
            row.url.rpartition("/")[2]: (
                row.page_curation_status, row.page_processing_status, row.contact_scrape_status,
                row.priority_level,
            )
            for row in rows["pages"]
        },
        "job": {str(row.job_id)[-3:]: row.status for row in rows["jobs"] if str(row.job_id)[-4:-3] == "0"},
        "search": {row.location + row.business_type: row.status for row in rows["place_searches"]},
    }  # fmt: skip
    assert shown["place"] == {
        "Bright Teeth": ("Selected", "Completed"),
        "Not for us": ("Rejected", None),
        "Stuck": ("Selected", "Queued"),
        "Broken": ("New", "Error"),
    }
    assert shown["domain"] == {
        "brightteeth.com": ("completed", "Selected", "submitted"),
        "never-read.com": ("pending", "Rejected", "queued"),
        "odd.com": ("pending", "New", "failed"),
        "null.com": ("pending", "New", "queued"),
        "failed.com": ("error", "Archived", None),
    }
    assert shown["sitemap"] == {
        "sitemap.xml": ("Selected", "Complete"),
        "post-sitemap.xml": ("New", "Queued"),
        "bad.xml": ("Rejected", "Error"),
    }
    assert shown["page"] == {
        "contact": ("Selected", "Complete", "ContactFound", 1),
        "blog": ("New", None, "New", 3),
        "x.pdf": ("New", "Filtered", "New", 3),
        "team": ("Rejected", "Error", "Error", 3),
        "imprint": ("New", None, "New", shown["page"]["imprint"][3]),
    }
    assert shown["job"] == {
        "401": "complete",
        "402": "pending",
        "403": "cancelled",
        "404": "failed",
        "901": "complete",
    }
    assert shown["search"] == {"Houston, TXdentist": "complete", "Waco, TXbakery": "complete"}


@pytest.mark.req("R260")
async def test_ids_links_and_what_has_no_column_are_kept(
    db: AsyncEngine, settings: Settings, legacy_url: str
) -> None:
    await run_import(db, settings, legacy_url)
    rows = await stored(db)
    [domain] = [row for row in rows["domains"] if row.domain == "brightteeth.com"]
    assert (domain.id, domain.local_business_id, domain.title) == (legacy_id(301), legacy_id(201), "Bright")
    assert domain.domain_metadata == {"generator": "x", "legacy": {"ssl_issuer": "Any CA"}}
    [place] = [row for row in rows["places_staging"] if row.place_id == "gp-1"]
    assert (place.search_id, place.tags, place.updated_at.isoformat()) == (
        legacy_id(101), ["vip"], "2025-05-01T10:00:00+00:00",
    )  # fmt: skip
    business = {row.business_name: row for row in rows["local_businesses"]}
    assert business["Bright Teeth"].place_row_id == place.id
    assert business["Bright Teeth"].opening_hours == {"monday": "9-17"}
    assert (business["By hand"].source, business["By hand"].place_id) == ("legacy", str(legacy_id(202)))
    contacts = {row.email: row for row in rows["contacts"]}
    first = contacts["info@brightteeth.com"]
    assert (first.id, first.page_id, first.name, first.phone_number) == (
        legacy_id(701), legacy_id(601), "Ann Lee", "+17132224567",
    )  # fmt: skip
    assert (first.email_validation_result, first.email_validation_method, first.email_validation_status) == (
        "valid", "debounce", "Complete",
    )  # fmt: skip
    assert (first.contact_curation_status, first.enrichment["legacy"]["hubspot_contact_id"]) == (
        "Selected",
        "hs-1",
    )
    second = contacts["ann.lee@brightteeth.com"]
    assert (second.phone_number, second.contact_curation_status) == (None, "Rejected")
    assert second.email_validation_status == "Queued"
    links = {(row.page_id, row.sitemap_file_id) for row in rows["page_sitemaps"]}
    assert {(legacy_id(601), legacy_id(501)), (legacy_id(602), legacy_id(501))} <= links


@pytest.mark.req("R260")
async def test_a_second_import_changes_nothing(db: AsyncEngine, settings: Settings, legacy_url: str) -> None:
    await run_import(db, settings, legacy_url)
    before = await stored(db)
    job = await run_import(db, settings, legacy_url)
    assert await stored(db) == before
    counts = job["result_data"]["tables"]
    assert {name: one["imported"] for name, one in counts.items()} == dict.fromkeys(EXPECTED, 0)
    assert {name: one["existing"] for name, one in counts.items()} == {
        name: imported for name, (_, imported, _, _) in EXPECTED.items()
    }


@pytest.mark.req("R260")
async def test_the_source_is_only_read_and_its_address_stays_secret(
    db: AsyncEngine, settings: Settings, legacy_url: str
) -> None:
    plain = legacy_url.replace("+asyncpg", "")
    connection = await asyncpg.connect(plain)
    await connection.execute("CREATE ROLE secretive LOGIN PASSWORD 'open-sesame-42'")
    await connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO secretive")
    await connection.close()
    url = make_url(legacy_url).set(username="secretive", password="open-sesame-42")
    address = url.render_as_string(hide_password=False)
    try:
        job = await import_legacy_database(db, WHO, load_secret_key(settings), address)
        async with db.connect() as connection_here:
            kept = str((await connection_here.execute(select(tables.jobs))).all())
            kept += str((await connection_here.execute(select(tables.audit_log))).all())
            kept += str((await connection_here.execute(select(tables.audit_values))).all())
        assert "open-sesame-42" not in kept
        done = await run_here(settings, JobQuery(db, TENANT), job["id"], lambda line: None)
        assert (done["status"], "source" in done["result_data"]) == ("complete", False)
    finally:
        connection = await asyncpg.connect(plain)
        await connection.execute("DROP OWNED BY secretive; DROP ROLE secretive")
        await connection.close()


@pytest.mark.req("R260")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("DROP TABLE contacts", "no table contacts"),
        ("ALTER TABLE pages RENAME COLUMN url TO address", "pages has no column url"),
        ("CREATE TABLE contact_tombstones (id integer)", "database of this program"),
    ],
)
async def test_a_wrong_schema_is_refused_in_one_line(
    db: AsyncEngine, settings: Settings, legacy_url: str, change: str, reason: str
) -> None:
    connection = await asyncpg.connect(legacy_url.replace("+asyncpg", ""))
    await connection.execute(change)
    await connection.close()
    with pytest.raises(LegacyRefused, match=reason):
        await run_import(db, settings, legacy_url)


@pytest.mark.req("R260")
@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("mysql://u:hidden-word@127.0.0.1/x", LegacyRefused),
        ("nonsense hidden-word", LegacyRefused),
        ("postgresql://u:hidden-word@127.0.0.1:1/x", LegacyUnavailable),
    ],
)
async def test_a_bad_address_is_refused_in_one_line(
    db: AsyncEngine, settings: Settings, url: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        await run_import(db, settings, url)
    assert "hidden-word" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.req("R260")
async def test_a_contact_that_was_deleted_here_does_not_come_back(
    db: AsyncEngine, settings: Settings, legacy_url: str
) -> None:
    await run_import(db, settings, legacy_url)
    await delete_contacts(db, WHO, [legacy_id(701)])
    await run_import(db, settings, legacy_url)
    assert [row.email for row in (await stored(db))["contacts"]] == ["ann.lee@brightteeth.com"]


@pytest.mark.reliability
@pytest.mark.req("R260")
async def test_an_import_whose_process_is_killed_is_continued(
    db: AsyncEngine, settings: Settings, legacy_url: str
) -> None:
    connection = await asyncpg.connect(legacy_url.replace("+asyncpg", ""))
    await connection.execute(MANY)
    await connection.execute(MANY_PAGES)
    await connection.close()
    assert settings.database_url is not None
    environment = {
        **os.environ,
        "DATABASE_URL": settings.database_url.get_secret_value(),
        "DATA_FOLDER": settings.data_folder,
        "LEASE_SECONDS": "10",
        "HEARTBEAT_SECONDS": "3",
        "SHUTDOWN_GRACE_SECONDS": "5",
    }
    command = [sys.executable, "-m", "scrapersky", "db", "import-legacy", "-"]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(f"{legacy_url.replace('+asyncpg', '')}\n".encode())
    await process.stdin.drain()
    jobs = JobQuery(db, TENANT)

    async def import_job() -> Any:
        """The job once it has come to the pages; the imported jobs are newer than it."""
        found = [job for job in await jobs.newest() if job["job_type"] == "import_legacy"]
        return found[0] if found and (found[0]["progress_message"] or "").startswith("pages") else None

    job = await until(import_job, seconds=60)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    quick = settings.model_copy(
        update={"lease_seconds": 10, "heartbeat_seconds": 3, "shutdown_grace_seconds": 5}
    )

    job = await run_here(quick, jobs, job["id"], lambda line: None)
    assert (job["status"], job["error"]) == ("complete", None)
    counts = job["result_data"]["tables"]
    assert counts["pages"]["imported"] == 12_000 + EXPECTED["pages"][1]
    assert counts["domains"]["imported"] == 1_200 + EXPECTED["domains"][1]
    assert job["result_data"]["after"]["pages"] == 12_000 + EXPECTED["pages"][1] + EXPECTED["sitemap_urls"][1]
    assert json.dumps(job["result_data"])
