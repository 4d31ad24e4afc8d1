"""Rules decide about new rows only, never against a person, and what they do can be undone."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from operation_lab import snapshot
from product import TENANT, USER, WHO, add_domain
from product import change as change_rows
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate, undo
from scrapersky.actions.delivery.destinations import DestinationEditor
from scrapersky.actions.presets import rule_runs
from scrapersky.actions.presets.rule_runs import apply_rules
from scrapersky.actions.presets.rules import create_rule, delete_rule, update_rule
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.secret_key import SecretKey
from scrapersky.tables import new_id

PAGE = ENTITIES["page"]
LOGIN = {"page_type": ["login"]}
VALID = {
    "email_validation_result": "valid",
    "email_validated_at": func.now(),
    "email_type": "role",
    "email_relation": "own",
}


async def add_page(db: AsyncEngine, page_type: str = "login", tenant_id: uuid.UUID = TENANT) -> uuid.UUID:
    domain = await add_domain(db, tenant_id=tenant_id, status="completed")
    row_id = new_id()
    values = {"id": row_id, "tenant_id": tenant_id, "domain_id": domain, "page_type": page_type}
    async with db.begin() as connection:
        await connection.execute(insert(tables.pages).values(**values, url=f"https://shop.example/{row_id}"))
    return row_id


async def add_rule(db: AsyncEngine, actor: Actor = WHO, **changes: Any) -> uuid.UUID:
    values: dict[str, Any] = {"name": "No logins", "entity": "page", "filters": LOGIN, "decision": "Rejected"}
    return await create_rule(db, actor, **{**values, **changes})


async def apply(db: AsyncEngine) -> int:
    lines: list[Any] = []
    rows = await apply_rules(db, lines.extend, min_confidence=0.8)
    assert not lines
    return rows


async def decision_of(db: AsyncEngine, row_id: uuid.UUID) -> str:
    return str((await snapshot(db, PAGE))[row_id]["page_curation_status"])


async def test_a_rule_decides_about_matching_rows_that_came_after_it(db: AsyncEngine) -> None:
    before = await add_page(db)
    rule_id = await add_rule(db)
    login, contact = await add_page(db), await add_page(db, "contact_root")
    assert await apply(db) == 1
    assert [await decision_of(db, row_id) for row_id in (before, login, contact)] == [
        "New",
        "Rejected",
        "New",
    ]
    async with db.connect() as connection:
        operation = (await connection.execute(select(tables.operations))).one()
        rule = (await connection.execute(select(tables.rules))).one()
    assert (operation.rule_id, operation.actor, operation.changed) == (rule_id, "rule No logins", 1)
    assert rule.changed_rows == 1
    assert await apply(db) == 0


async def test_a_rule_that_selects_also_queues(db: AsyncEngine) -> None:
    await add_rule(db, decision="selected", filters={"page_type": ["contact_root"]})
    row_id = await add_page(db, "contact_root")
    await apply(db)
    row = (await snapshot(db, PAGE))[row_id]
    assert (row["page_curation_status"], row["page_processing_status"]) == ("Selected", "Queued")


async def test_what_a_person_has_decided_or_undone_is_left_alone(db: AsyncEngine) -> None:
    await add_rule(db)
    maybe, back_to_new, undone = [await add_page(db) for _ in range(3)]
    await curate(db, WHO, PAGE, "Maybe", ids=[maybe, back_to_new])
    await curate(db, WHO, PAGE, "New", ids=[back_to_new])
    assert await apply(db) == 1
    async with db.connect() as connection:
        query = select(tables.operations.c.id).where(tables.operations.c.rule_id.is_not(None))
        [operation_id] = await connection.scalars(query)
    assert (await undo(db, WHO, operation_id)).updated == 1
    assert await apply(db) == 0
    found = [await decision_of(db, row_id) for row_id in (maybe, back_to_new, undone)]
    assert found == ["Maybe", "New", "New"]


async def test_a_row_that_is_committed_late_is_not_missed(db: AsyncEngine) -> None:
    """Its identifier was made, then the rule was applied, then it was committed."""
    await add_rule(db)
    domain = await add_domain(db, status="completed")
    async with db.begin() as connection:
        values = {
            "id": new_id(),
            "tenant_id": TENANT,
            "domain_id": domain,
            "url": "https://shop.example/late",
        }
        await connection.execute(insert(tables.pages).values(**values, page_type="login"))
        assert await apply(db) == 0
    assert await apply(db) == 1


async def test_a_disabled_rule_rests_and_what_came_meanwhile_stays(db: AsyncEngine) -> None:
    rule_id = await add_rule(db, is_enabled=False)
    meanwhile = await add_page(db)
    assert await apply(db) == 0
    await update_rule(db, WHO, rule_id, {"is_enabled": True})
    later = await add_page(db)
    assert await apply(db) == 1
    assert [await decision_of(db, row_id) for row_id in (meanwhile, later)] == ["New", "Rejected"]
    await delete_rule(db, WHO, rule_id)
    await add_page(db)
    assert await apply(db) == 0


async def test_a_rule_decides_about_rows_of_its_own_tenant_only(db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    rule_id = await add_rule(db)
    theirs = await add_page(db, tenant_id=other)
    assert await apply(db) == 0
    assert await decision_of(db, theirs) == "New"
    stranger = Actor(other, USER)
    for change in (update_rule(db, stranger, rule_id, {"name": "x"}), delete_rule(db, stranger, rule_id)):
        with pytest.raises(NotFound):
            await change


async def test_maintenance_applies_rules(db: AsyncEngine) -> None:
    await add_rule(db)
    row_id = await add_page(db)
    async with db.begin() as connection:
        await connection.execute(delete(tables.scheduler_slots))
    lines: list[Any] = []
    assert await Maintenance(db, MaintenanceOptions(), lines.extend).apply_rules() == 1
    assert lines == [{"event": "rules_applied", "rows": 1}]
    assert await decision_of(db, row_id) == "Rejected"


async def test_wrong_rules_are_refused(db: AsyncEngine) -> None:
    with pytest.raises(InvalidInput, match="at least one filter"):
        await add_rule(db, filters={})
    with pytest.raises(InvalidInput, match="new rows only"):
        await add_rule(db, filters={"curation_status": ["Maybe"]})
    with pytest.raises(InvalidInput, match="no filter"):
        await add_rule(db, entity="domain", filters=LOGIN)
    with pytest.raises(InvalidInput, match="Invalid curation status"):
        await add_rule(db, decision="Perhaps")
    rule_id = await add_rule(db)
    await add_rule(db, name="Other")
    with pytest.raises(Conflict):
        await add_rule(db)
    with pytest.raises(Conflict):
        await update_rule(db, WHO, rule_id, {"name": "Other"})


async def test_an_invalid_rule_does_not_stop_the_others(db: AsyncEngine) -> None:
    broken = await add_rule(db)
    await add_rule(db, name="Second")
    async with db.begin() as connection:
        values = {"filters": {"colour": ["red"]}, "checked_at": datetime.now(UTC) - timedelta(seconds=1)}
        await connection.execute(tables.rules.update().where(tables.rules.c.id == broken).values(values))
    await add_page(db)
    lines: list[Any] = []
    assert await apply_rules(db, lines.extend, min_confidence=0.8) == 1
    assert [(line["event"], line["rule"]) for line in lines] == [("rule_failed", str(broken))]


async def test_a_rule_that_takes_too_long_does_not_stop_those_of_other_tenants(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = await add_rule(db)
    await add_rule(db, name="Second")
    await add_page(db)
    matching = rule_runs._matching

    async def new_rows(engine: AsyncEngine, rule: Any, _: float) -> list[uuid.UUID]:
        async with engine.begin() as connection:
            if rule.id == slow:
                await connection.execute(text("SET LOCAL statement_timeout = 1"))
                await connection.execute(text("SELECT pg_sleep(1)"))
            return list((await connection.scalars(matching(rule))).all())

    monkeypatch.setattr(rule_runs, "_new_rows", new_rows)
    lines: list[Any] = []
    assert await apply_rules(db, lines.extend, min_confidence=0.8) == 1
    assert [(line["event"], line["rule"]) for line in lines] == [("rule_failed", str(slow))]


async def test_the_rules_of_a_disabled_tenant_rest(db: AsyncEngine) -> None:
    await add_rule(db)
    row_id = await add_page(db)
    for is_active, decision in ((False, "New"), (True, "Rejected")):
        async with db.begin() as connection:
            await connection.execute(tables.tenants.update().values(is_active=is_active))
        await apply(db)
        assert await decision_of(db, row_id) == decision


# ---- rules that send


@pytest.mark.req("R270")
async def test_a_rule_sends_new_contacts_once_they_are_known_to_be_valid(db: AsyncEngine) -> None:
    editor = DestinationEditor(db, WHO, SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"))
    destination, _ = await editor.add(name="CRM", kind="hubspot", secret="pat-x")
    old = await add_contact(db, "old.com", email="info@old.com", **VALID)
    role = {"email_type": ["role"]}
    await add_rule(
        db, name="To the CRM", entity="contact", filters=role, decision=None, destination_id=destination
    )
    good = await add_contact(db, "good.com", email="info@good.com", **VALID, confidence=0.8)
    await add_contact(db, "person.com", email="ada@person.com", **{**VALID, "email_type": "person"})
    await add_contact(db, "free.com", email="x@gmail.com", **{**VALID, "email_relation": "free"})
    await add_contact(db, "hidden.com", email="x@hidden.com", **VALID, is_email_hidden=True)
    await add_contact(db, "unsure.com", email="info@unsure.com", **VALID, confidence=0.79)
    later = await add_contact(db, "later.com", email="info@later.com", email_type="role")
    assert await apply(db) == 1
    assert await apply(db) == 0
    await change_rows(db, tables.contacts, tables.contacts.c.id == later, **VALID)
    assert await apply(db) == 1
    async with db.connect() as connection:
        sent = set(await connection.scalars(select(tables.deliveries.c.contact_id)))
    assert sent == {good, later}
    assert old not in sent


async def test_a_rule_decides_or_sends_and_only_contacts_are_sent(db: AsyncEngine) -> None:
    for changes in ({"decision": None}, {"destination_id": uuid.uuid4()}):
        with pytest.raises(InvalidInput, match="either"):
            await add_rule(db, **changes)
    with pytest.raises(InvalidInput, match="Only contacts"):
        await add_rule(db, decision=None, destination_id=uuid.uuid4())
    unknown = {"decision": None, "destination_id": uuid.uuid4()}
    with pytest.raises(NotFound):
        await add_rule(db, entity="contact", filters={"email_type": ["role"]}, **unknown)
