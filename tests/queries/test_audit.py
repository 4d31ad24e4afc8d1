"""The audit log is read page by page, and whoever tampers with it is found out (D9, the database's part)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.database import tenant_engine
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.retention import delete_expired_rows
from scrapersky.queries.audit import AuditFilter, AuditQuery

ANA = Actor(TENANT, USER, name="ana@example.com", correlation_id="request-1")


@pytest.fixture
async def log(db: AsyncEngine) -> AuditQuery:
    """Six entries of ours and one of somebody else."""
    other = uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
        for number in range(1, 7):
            after = {"name": f"Ada {number}", "score": number / 3}
            await record(
                connection, ANA, f"contact.{number % 2}", table="contacts", row_id=number, after=after
            )
        await record(connection, Actor(other, USER), "contact.1")
    return AuditQuery(tenant_engine(db, TENANT), TENANT)


async def tamper(db: AsyncEngine, *attacks: str) -> None:
    """As the owner of the tables, who can switch off what guards them."""
    async with db.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        for attack in attacks:
            assert (await connection.execute(text(attack))).rowcount >= 1, attack


async def test_entries_are_listed_by_filter_and_page(log: AuditQuery) -> None:
    page = await log.find(limit=4)
    assert [entry["number"] for entry in page["items"]] == [6, 5, 4, 3]
    assert (page["next"], page["total"], page["total_exact"]) == (3, 6, True)
    assert page["items"][0]["after"]["name"] == "Ada 6"
    page = await log.find(after=page["next"], limit=4)
    assert ([entry["number"] for entry in page["items"]], page["next"]) == ([2, 1], None)
    matching = AuditFilter(
        action="contact.1", table_name="contacts", correlation_id="request-1", user_id=USER
    )
    assert [entry["number"] for entry in (await log.find(matching))["items"]] == [5, 3, 1]
    assert (await log.find(AuditFilter(row_id="2")))["total"] == 1
    [newest] = (await log.find(limit=1))["items"]
    assert (await log.find(AuditFilter(since=newest["created_at"])))["total"] == 1
    assert (await log.find(AuditFilter(until=newest["created_at"])))["total"] == 5


async def test_an_untouched_log_is_intact(log: AuditQuery) -> None:
    report = await log.verify()
    assert (report.is_intact, report.entries, report.last_number, report.erased_values) == (True, 6, 6, 0)
    [newest] = (await log.find(limit=1))["items"]
    assert report.hash == newest["hash"].hex()


ATTACKS: dict[str, tuple[tuple[str, ...], tuple[int, str]]] = {
    "one changed byte": (
        ("UPDATE audit_log SET actor = 'bna@example.com' WHERE number = 3",),
        (3, "changed"),
    ),
    "another time": (
        ("UPDATE audit_log SET created_at = created_at - interval '1 microsecond' WHERE number = 2",),
        (2, "changed"),
    ),
    "a changed value": (
        ("""UPDATE audit_values SET after = after || '{"score": 7}' WHERE number = 4""",),
        (4, "values"),
    ),
    "a removed entry": (
        ("DELETE FROM audit_values WHERE number = 3", "DELETE FROM audit_log WHERE number = 3"),
        (3, "missing"),
    ),
    "a removed first entry": (
        (
            "DELETE FROM audit_values WHERE number = 1",
            "DELETE FROM audit_log WHERE number = 1 AND row_id = '1'",
        ),
        (1, "missing"),
    ),
    "a removed last entry": (
        ("DELETE FROM audit_values WHERE number = 6", "DELETE FROM audit_log WHERE number = 6"),
        (6, "does not end"),
    ),
    "two entries in another order": (
        (
            "DELETE FROM audit_values",
            "UPDATE audit_log SET number = 100 WHERE number = 2",
            "UPDATE audit_log SET number = 2 WHERE number = 3",
            "UPDATE audit_log SET number = 3 WHERE number = 100",
        ),
        (2, "does not follow"),
    ),
    "an entry with a hash of its own": (
        (
            "UPDATE audit_log SET actor = 'eve' WHERE number = 3",
            "UPDATE audit_log SET hash = audit_entry_hash(audit_log) WHERE number = 3",
        ),
        (4, "does not follow"),
    ),
    "a log that was emptied": (
        ("DELETE FROM audit_values", "DELETE FROM audit_log"),
        (6, "does not end"),
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
async def test_tampering_is_found(attack: str, log: AuditQuery, db: AsyncEngine) -> None:
    statements, (number, problem) = ATTACKS[attack]
    await tamper(db, *statements)
    report = await log.verify()
    assert not report.is_intact
    assert report.faults[0].number == number
    assert problem in report.faults[0].problem


async def test_erased_values_leave_the_log_verifiable(log: AuditQuery, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(text("DELETE FROM audit_values WHERE number = 2"))
    report = await log.verify()
    assert (report.is_intact, report.erased_values) == (True, 1)
    [entry] = (await log.find(AuditFilter(row_id="2")))["items"]
    assert (entry["values_erased"], entry["before"], entry["after"]) == (True, None, None)
    assert entry["changed_fields"] == ["name", "score"]


async def test_values_and_entries_expire_and_the_rest_is_verifiable(log: AuditQuery, db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        # Time passes for the two oldest; hashes are made anew as they would have been then.
        await connection.execute(
            text("UPDATE audit_log SET created_at = now() - interval '9 days' WHERE number < 3")
        )
        await connection.execute(
            text("UPDATE audit_values SET created_at = now() - interval '9 days' WHERE number < 4")
        )
    kept = MaintenanceOptions(keep_audit_entries=None, keep_audit_values=timedelta(days=7))
    deleted = await delete_expired_rows(db, kept)
    assert (deleted["audit_values"], deleted["audit_log"]) == (3, 0)
    week: Any = timedelta(days=7)
    deleted = await delete_expired_rows(
        db, MaintenanceOptions(keep_audit_entries=week, keep_audit_values=week)
    )
    # The other tenant's only entry has the number 1 as well.
    assert (deleted["audit_values"], deleted["audit_log"]) == (0, 3)
    report = await log.verify()
    assert (report.is_intact, report.entries, report.first_number, report.erased_values) == (True, 4, 3, 1)


@pytest.mark.parametrize("attack", ["UPDATE audit_log SET actor = 'me'", "DELETE FROM audit_log"])
async def test_even_the_owner_only_adds(attack: str, log: AuditQuery, db: AsyncEngine) -> None:
    async with db.connect() as connection:
        with pytest.raises(Exception, match="only added to"):
            await connection.execute(text(attack))
    async with db.connect() as connection:
        with pytest.raises(Exception, match="never changed"):
            await connection.execute(text("UPDATE audit_values SET after = NULL"))
