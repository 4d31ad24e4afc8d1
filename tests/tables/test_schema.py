"""The schema that the migrations make is the one that the code describes, with the indexes of the seeds."""

from __future__ import annotations

import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky import tables
from scrapersky.tables import metadata, new_id
from scrapersky.tables.schema import MAKE_ID, schema_statements

ROOT = Path(__file__).parents[2]
CATALOGUE = """
SELECT 'function ' || p.proname AS name, pg_get_functiondef(p.oid) AS definition
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = 'public'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT 'rule ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT 'storage ' || relname, array_to_string(reloptions, ' ') FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL
UNION ALL SELECT 'column ' || c.relname || '.' || a.attname,
  concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage, a.attidentity,
    a.attgenerated, pg_get_expr(d.adbin, d.adrelid))
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
"""


async def catalogue(engine: AsyncEngine) -> dict[str, str]:
    async with engine.connect() as connection:
        found = {row.name: row.definition for row in await connection.execute(text(CATALOGUE))}
    return {name: definition for name, definition in found.items() if "alembic_version" not in name}


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(
        connection, opts={"compare_type": True, "compare_server_default": True}
    )
    return [change for change in compare_metadata(context, metadata) if not _is_expression_index(change)]


def _is_expression_index(change: Any) -> bool:
    # Alembic cannot compare indexes on expressions; the catalogue test below does.
    return change[0] in ("add_index", "remove_index") and str(change[1].name).endswith("_waiting_since")


@pytest.mark.req("R200")
async def test_the_models_and_the_migrated_database_agree(db: AsyncEngine) -> None:
    async with db.connect() as connection:
        assert await connection.run_sync(differences) == []


@pytest.mark.req("R200")
async def test_the_comparison_notices_a_missing_column(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(text("ALTER TABLE pages DROP COLUMN h1"))
    async with db.connect() as connection:
        assert [change[0] for change in await connection.run_sync(differences)] == ["add_column"]


async def test_the_migrations_make_exactly_what_the_code_describes(
    db: AsyncEngine, empty_database_url: str
) -> None:
    """Functions, triggers, indexes, rules and storage too; if this fails, the migrations need a revision."""
    fresh = create_async_engine(empty_database_url)
    async with fresh.begin() as connection:
        for statement in schema_statements():
            await connection.execute(text(statement))
    described, migrated = await catalogue(fresh), await catalogue(db)
    await fresh.dispose()
    assert migrated == described


@pytest.mark.req("R009", "R041", "R042", "R043", "R044")
@pytest.mark.parametrize(
    ("name", "table", "columns"),
    [
        ("idx_sitemap_files_curation_status", "sitemap_files", "(sitemap_curation_status)"),
        ("idx_domains_curation_analysis", "domains", "(sitemap_curation_status, sitemap_analysis_status)"),
        ("idx_pages_curation_processing", "pages", "(page_curation_status, page_processing_status)"),
        ("idx_pages_url_trgm", "pages", "USING gin (url gin_trgm_ops)"),
        ("idx_sitemap_files_domain_status", "sitemap_files", "(domain_id, sitemap_import_status)"),
    ],
)
async def test_the_named_indexes_exist(name: str, table: str, columns: str, db: AsyncEngine) -> None:
    async with db.connect() as connection:
        query = text("SELECT tablename, indexdef FROM pg_indexes WHERE indexname = :name")
        found = (await connection.execute(query, {"name": name})).one()
    assert found.tablename == table
    assert columns in found.indexdef


@pytest.mark.req("R002")
async def test_a_sitemap_inserted_without_a_status_is_queued(make: Any, db: AsyncEngine) -> None:
    domain = await make("domains")
    async with db.begin() as connection:
        statement = text(
            "INSERT INTO sitemap_files (tenant_id, domain_id, url) VALUES (:t, :d, 'https://a/s.xml')"
        )
        await connection.execute(statement, {"t": domain["tenant_id"], "d": domain["id"]})
        found = (
            await connection.execute(
                select(tables.sitemap_files).where(tables.sitemap_files.c.domain_id == domain["id"])
            )
        ).one()
    assert found.sitemap_import_status == "Queued"
    assert found.host == domain["host"]


@pytest.mark.req("R008", "R010")
async def test_a_sitemap_is_new_for_people_and_never_without_a_word(make: Any, db: AsyncEngine) -> None:
    domain = await make("domains")
    values = {"tenant_id": domain["tenant_id"], "domain_id": domain["id"], "url": "https://a/s.xml"}
    async with db.begin() as connection:
        row = (
            await connection.execute(
                insert(tables.sitemap_files).values(values).returning(tables.sitemap_files)
            )
        ).one()
    assert row.sitemap_curation_status == "New"
    with pytest.raises(IntegrityError, match="null value"):
        await make("sitemap_files", sitemap_curation_status=None)


@pytest.mark.req("R052", "R053", "R054", "R061", "R177")
async def test_a_job_has_its_retry_and_progress_fields(make: Any, db: AsyncEngine) -> None:
    tenant = (await make("domains"))["tenant_id"]
    async with db.begin() as connection:
        job = (
            await connection.execute(
                insert(tables.jobs).values(tenant_id=tenant, job_type="x").returning(tables.jobs)
            )
        ).one()
        by_uuid = (
            await connection.execute(select(tables.jobs.c.id).where(tables.jobs.c.job_id == job.job_id))
        ).scalar_one()
    assert (job.status, job.retry_count, job.max_retries, job.progress_percent) == ("pending", 0, 3, 0)
    assert job.next_retry_at == job.created_at
    assert by_uuid == job.id >= 1


@pytest.mark.req("R064")
async def test_a_url_is_stored_once_per_domain(make: Any) -> None:
    page = await make("pages", url="https://shop.example/contact")
    with pytest.raises(IntegrityError, match="url_hash"):
        await make("pages", url="https://shop.example/contact", domain_id=page["domain_id"])
    await make("pages", url="https://shop.example/contact")


async def test_a_link_to_another_tenants_row_is_refused(make: Any, db: AsyncEngine) -> None:
    """I11: the tenant of a row is the tenant of its parent."""
    domain = await make("domains")
    other = new_id()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    with pytest.raises(IntegrityError, match="fk_pages_tenant_id_domain_id"):
        await make("pages", domain_id=domain["id"], tenant_id=other)


async def test_moments_are_with_time_zone_only() -> None:
    moments = [
        column for table in metadata.tables.values() for column in table.c if "TIMESTAMP" in str(column.type)
    ]
    bare = [
        column for table in metadata.tables.values() for column in table.c if str(column.type) == "DATETIME"
    ]
    assert all(getattr(column.type, "timezone", False) for column in [*moments, *bare])
    assert len([*moments, *bare]) > 60


async def test_a_change_touches_the_row_but_a_renewed_lease_does_not(make: Any, db: AsyncEngine) -> None:
    job = await make("jobs", status="running")
    later = text(
        "UPDATE jobs SET lease_until = lease_until + interval '1 minute' WHERE id = :id RETURNING updated_at"
    )
    changed = (
        update(tables.jobs)
        .where(tables.jobs.c.id == job["id"])
        .values(progress_percent=50)
        .returning(tables.jobs.c.updated_at)
    )
    async with db.connect() as connection:
        before = (
            await connection.execute(select(tables.jobs.c.updated_at).where(tables.jobs.c.id == job["id"]))
        ).scalar_one()
        await connection.commit()
        renewed = (await connection.execute(later, {"id": job["id"]})).scalar_one()
        await connection.commit()
        touched = (await connection.execute(changed)).scalar_one()
    assert renewed == before
    assert touched > before


async def test_the_audit_log_is_only_added_to(make: Any, db: AsyncEngine) -> None:
    await make("audit_log")
    for attack in (
        "UPDATE audit_log SET actor = 'me'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log CASCADE",
    ):
        with pytest.raises(DBAPIError, match="only added to"):
            async with db.begin() as connection:
                await connection.execute(text(attack))
    async with db.begin() as connection:
        await connection.execute(text("SELECT set_config('scrapersky.retention', 'on', true)"))
        assert (await connection.execute(text("DELETE FROM audit_log"))).rowcount == 1


ATTACKS = {
    "a contact without its source": ("contacts", {"source_url": ""}),
    "a contact that reaches nobody": ("contacts", {"email": None, "phone_number": None}),
    "a failed page without a reason": (
        "pages",
        {"page_processing_status": "Error", "page_processing_error": None},
    ),
    "a page in work without a lease": (
        "pages",
        {"page_processing_status": "Processing", "page_processing_lease_until": None},
    ),
    "a priority that does not exist": ("pages", {"priority_level": 4}),
    "a moment before 1970": ("pages", {"last_modified_at": "0001-01-01"}),
    "a moment after 2200": ("pages", {"last_modified_at": "9000-01-01"}),
    "an endless address": ("pages", {"url": "https://a/" + "x" * 2_048}),
    "a domain in capitals": ("domains", {"domain": "EXAMPLE.org"}),
    "a job more than done": ("jobs", {"progress_percent": 101}),
    "a short suppression hash": ("suppressions", {"keyed_hash": b"short"}),
    "a score above 100": ("contacts", {"email_validation_score": 101}),
    "a user's address in capitals": ("users", {"email": "A@example.org"}),
}


@pytest.mark.parametrize("attack", ATTACKS)
async def test_d8_the_database_refuses(attack: str, make: Any) -> None:
    name, given = ATTACKS[attack]
    values = {
        key: datetime.fromisoformat(f"{value}T00:00:00+00:00") if key == "last_modified_at" else value
        for key, value in given.items()
    }
    with pytest.raises(IntegrityError):
        await make(name, **values)


async def test_a_contact_is_known_once_by_email_and_once_by_phone(make: Any) -> None:
    first = await make("contacts", email="a@example.org")
    with pytest.raises(IntegrityError):
        await make("contacts", email="a@example.org", domain_id=first["domain_id"], page_id=first["page_id"])
    phone = await make(
        "contacts", email=None, phone_number="+4930123", domain_id=first["domain_id"], page_id=None
    )
    assert phone["phone_number"] == "+4930123"
    with pytest.raises(IntegrityError, match="uq_contacts_phone_only"):
        await make(
            "contacts", email=None, phone_number="+4930123", domain_id=first["domain_id"], page_id=None
        )


async def test_deleting_a_domain_takes_everything_below_it(make: Any, db: AsyncEngine) -> None:
    sighting = await make("sightings")
    async with db.begin() as connection:
        await connection.execute(text("DELETE FROM domains"))
        left = [
            (await connection.execute(text(f"SELECT count(*) FROM {name}"))).scalar_one()
            for name in ("pages", "contacts", "sightings", "sitemap_files")
        ]
    assert sighting
    assert left == [0, 0, 0, 0]


async def test_a_host_is_filled_in_for_rows_written_by_hand(db: AsyncEngine, make: Any) -> None:
    domain = await make("domains")
    async with db.begin() as connection:
        own = {"tenant_id": domain["tenant_id"], "domain": "by-hand.example"}
        assert (
            await connection.execute(insert(tables.domains).values(own).returning(tables.domains.c.host))
        ).scalar_one() == own["domain"]
        below = {"tenant_id": domain["tenant_id"], "domain_id": domain["id"]}
        page = insert(tables.pages).values(**below, url="https://a/b").returning(tables.pages.c.host)
        job = insert(tables.jobs).values(**below, job_type="sitemap").returning(tables.jobs.c.host)
        assert (await connection.execute(page)).scalar_one() == domain["host"]
        assert (await connection.execute(job)).scalar_one() == domain["host"]


def test_new_identifiers_sort_by_time_and_say_version_seven() -> None:
    made = [new_id() for _ in range(2_000)]
    assert len(set(made)) == 2_000
    assert {(one.version, one.variant) for one in made} == {(7, uuid.RFC_4122)}
    milliseconds = [one.int >> 80 for one in made]
    assert milliseconds == sorted(milliseconds)


@pytest.mark.parametrize("newest_version", [180000, 990000], ids=["newest server", "older server"])
async def test_identifiers_of_the_database_are_like_ours(
    newest_version: int, empty_database_url: str
) -> None:
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        await connection.execute(text(MAKE_ID.replace("180000", str(newest_version))))
        query = text("SELECT scrapersky_uuid7() FROM generate_series(1, 1000)")
        made = (await connection.execute(query)).scalars().all()
    await engine.dispose()
    ours = new_id().int >> 80
    assert len(set(made)) == 1_000
    assert {(one.version, one.variant) for one in made} == {(7, uuid.RFC_4122)}
    assert all(abs((one.int >> 80) - ours) < 60_000 for one in made)


@pytest.mark.req("R023")
async def test_jobs_are_one_table_for_the_documented_reasons(db: AsyncEngine) -> None:
    """The decision gives reasons against partitions; they are checked as far as a database can tell."""
    page = (ROOT / "docs/decisions/0008-the-jobs-table-is-not-partitioned.md").read_text(encoding="utf-8")
    assert "partition" in page.split("## Decision")[0]
    assert "## Alternatives" in page
    async with db.connect() as connection:
        kind = await connection.scalar(text("SELECT relkind FROM pg_class WHERE relname = 'jobs'"))
        indexes = await connection.execute(text("SELECT indexdef FROM pg_indexes WHERE tablename = 'jobs'"))
        definitions = list(indexes.scalars())
    assert kind in ("r", b"r")
    # Number and UUID are unique over the whole table, which partitions by time could not promise; the UUID
    # inside its tenant.
    unique = [one for one in definitions if "UNIQUE" in one]
    assert any("(id)" in one for one in unique)
    assert any("(job_id, tenant_id)" in one or "(tenant_id, job_id)" in one for one in unique)
    # Claims read a partial index of what waits, whatever else the table holds.
    assert any("WHERE" in one and "'pending'" in one for one in definitions)
