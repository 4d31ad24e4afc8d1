"""Creates, edits, tags and deletes contacts.

What a person has set is named in `edited_fields`, and no later page or list changes it. An address or number
that a person deleted or replaced leaves a tombstone, so that no page brings it back (R266).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    Row,
    Text,
    Update,
    all_,
    and_,
    any_,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.contacts.fields import MAX_TAGS, normalize_fields, normalize_tags
from scrapersky.actions.submission_rows import RowSpec, insert_domains
from scrapersky.actions.versions import ExpectedTags, check_version
from scrapersky.declarations import VALIDATE_EMAIL
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.extract.privacy.identifiers import covering_domains, email_identifiers, phone_identifiers
from scrapersky.extract.urls import read_host, read_url
from scrapersky.queries.read_model import in_array
from scrapersky.storage.contacts import BOILERPLATE
from scrapersky.storage.suppressions import SHARE_LOCK, find_suppressed
from scrapersky.storage.tombstones import add_tombstones, remove_tombstone

MANUAL = "manual"
MAX_IDS = 10_000
# Columns that follow from a field that a person has set.
COMPANIONS = {
    "email": ("email_type", "email_relation"),
    "phone_number": ("phone_type", "phone_extension"),
}
VALIDATION_COLUMNS = (
    "email_validation_result",
    "email_validation_score",
    "email_validation_reason",
    "email_validation_suggestion",
    "email_validation_method",
    "email_validated_at",
    "email_recheck_at",
)


async def create_contact(
    engine: AsyncEngine,
    actor: Actor,
    domain: str,
    values: Mapping[str, Any],
    *,
    source_url: str | None = None,
    validate: bool = False,
) -> dict[str, Any]:
    """Create a contact of a domain, which is created if it is new; `validate` queues its address.

    Without a `source_url` the source is the person.
    """
    reading = read_host(domain)
    if not reading.ok:
        raise InvalidInput(f"Invalid domain {domain[:200]!r}: {reading.reason}")
    async with engine.begin() as connection:
        spec = RowSpec(reading.host, reading.registrable)
        await insert_domains(connection, actor, [spec], None, MANUAL)
        row = await _domain(connection, actor, reading.host)
        stored = normalize_fields(values, domain=reading.host, country=row.country)
        if not (stored.get("email") or stored.get("phone_number")):
            raise InvalidInput("A contact needs an e-mail address or a phone number")
        await _require_unsuppressed(connection, actor, reading.host, stored)
        stored |= {
            "tenant_id": actor.tenant_id,
            "domain_id": row.id,
            "source_url": _source(actor, source_url),
            "lead_source": MANUAL,
            "created_by": actor.user_id,
            "edited_fields": _edited((), [name for name in values if name != "tags"]),
        }
        if validate and stored.get("email"):
            stored[VALIDATE_EMAIL.status] = VALIDATE_EMAIL.statuses.queued
        await remove_tombstone(connection, actor.tenant_id, row.id, _key(stored))
        statement = insert(tables.contacts).values(stored).returning(tables.contacts)
        contact = (await _execute(connection, statement, stored))._asdict()
        await record(
            connection, actor, "contact.create", table="contacts", row_id=contact["id"], after=stored
        )
        return contact


async def update_contact(
    engine: AsyncEngine,
    actor: Actor,
    contact_id: UUID,
    values: Mapping[str, Any],
    *,
    validate: bool = False,
    expected_tags: ExpectedTags = None,
) -> dict[str, Any]:
    """Set fields of a contact; None empties one. `validate` queues a new address."""
    async with engine.begin() as connection:
        [before] = await _lock(connection, actor, [contact_id])
        check_version(expected_tags, before.updated_at)
        if not values:
            return dict(before._asdict())
        stored = normalize_fields(values, domain=before.domain, country=before.country)
        after = {"email": before.email, "phone_number": before.phone_number, **stored}
        if not (after["email"] or after["phone_number"]):
            raise InvalidInput("A contact needs an e-mail address or a phone number")
        if stored.get("email") or stored.get("phone_number"):
            await _require_unsuppressed(connection, actor, before.domain, stored)
        if _key(before._asdict()) != _key(after):
            await add_tombstones(connection, [contact_id], actor.user_id)
            await remove_tombstone(connection, actor.tenant_id, before.domain_id, _key(after))
        if after["email"] != before.email:
            stored |= _validation_reset(before, has_email=bool(after["email"]), validate=validate)
        edited = _edited(before.edited_fields, _really_set(values, stored.get("tags"), before.tags))
        statement = (
            update(tables.contacts)
            .where(tables.contacts.c.id == contact_id)
            .values(**stored, edited_fields=edited, updated_at=func.now())
            .returning(tables.contacts)
        )
        contact = (await _execute(connection, statement, after))._asdict()
        await record(
            connection,
            actor,
            "contact.update",
            table="contacts",
            row_id=contact_id,
            before={name: getattr(before, name) for name in stored},
            after={name: contact[name] for name in stored},
        )
        return contact


async def tag_contacts(
    engine: AsyncEngine,
    actor: Actor,
    ids: Sequence[UUID],
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> int:
    """Add tags to contacts and remove others; returns how many contacts have other tags now."""
    added, removed = normalize_tags(add), normalize_tags(remove)
    if not (added or removed):
        raise InvalidInput("Name a tag to add or to remove")
    async with engine.begin() as connection:
        rows = await _lock(connection, actor, ids)
        changed = await connection.execute(_tag_statement([row.id for row in rows], added, removed))
        if any(row.number > MAX_TAGS for row in changed.all()):
            raise InvalidInput(f"More than {MAX_TAGS} tags")
        tags = {"contact_ids": [row.id for row in rows], "added": added, "removed": removed}
        await record(connection, actor, "contact.tag", table="contacts", row_id=_only(rows), after=tags)
    return changed.rowcount


def _tag_statement(ids: Sequence[UUID], added: Sequence[str], removed: Sequence[str]) -> Update:
    columns = tables.contacts.c
    tags: Any = columns.tags
    for tag in (*removed, *added):
        tags = func.array_remove(tags, tag)
    tags = func.array_cat(tags, literal(list(added), ARRAY(Text)))
    # A person who takes `boilerplate` away has decided; it is not set again.
    decides = literal(BOILERPLATE in removed and BOILERPLATE not in added)
    was_boilerplate = literal(BOILERPLATE) == any_(columns.tags)
    is_new = literal("tags") != all_(columns.edited_fields)
    edited = case(
        (and_(decides, was_boilerplate, is_new), func.array_append(columns.edited_fields, "tags")),
        else_=columns.edited_fields,
    )
    is_other = columns.tags.overlap(list(removed)) | ~columns.tags.contains(list(added))
    return (
        update(tables.contacts)
        .where(in_array(columns.id, ids), is_other)
        .values(tags=tags, edited_fields=edited, updated_at=func.now())
        .returning(func.cardinality(columns.tags).label("number"))
    )


async def delete_contacts(
    engine: AsyncEngine, actor: Actor, ids: Sequence[UUID], *, expected_tags: ExpectedTags = None
) -> int:
    """Delete contacts with their sightings and deliveries; returns how many."""
    async with engine.begin() as connection:
        rows = await _lock(connection, actor, ids)
        for row in rows:
            check_version(expected_tags, row.updated_at)
        contact_ids = [row.id for row in rows]
        await add_tombstones(connection, contact_ids, actor.user_id)
        await connection.execute(delete(tables.contacts).where(in_array(tables.contacts.c.id, contact_ids)))
        before = {"contact_ids": contact_ids, "contacts": [_key(row._asdict()) for row in rows]}
        await record(connection, actor, "contact.delete", table="contacts", row_id=_only(rows), before=before)
    return len(rows)


def _only(rows: Sequence[Row[Any]]) -> UUID | None:
    """The id of the row if there is one only."""
    return rows[0].id if len(rows) == 1 else None


async def _domain(connection: AsyncConnection, actor: Actor, name: str) -> Any:
    domains = tables.domains.c
    query = select(domains.id, domains.country).where(
        domains.tenant_id == actor.tenant_id, domains.domain == name
    )
    return (await connection.execute(query)).one()


async def _lock(connection: AsyncConnection, actor: Actor, ids: Sequence[UUID]) -> Sequence[Row[Any]]:
    """The contacts with their domain, locked in the order of their ids; all must exist."""
    unique_ids = sorted(set(ids))
    if len(unique_ids) > MAX_IDS:
        raise InvalidInput(f"More than {MAX_IDS:,} ids")
    contacts, domains = tables.contacts, tables.domains
    query = (
        select(contacts, domains.c.domain)
        .join(domains, domains.c.id == contacts.c.domain_id)
        .where(contacts.c.tenant_id == actor.tenant_id, in_array(contacts.c.id, unique_ids))
        .order_by(contacts.c.id)
        .with_for_update(of=contacts)
    )
    rows = (await connection.execute(query)).all()
    if missing := sorted(set(unique_ids) - {row.id for row in rows}):
        raise NotFound(f"There is no contact {missing[0]}")
    return rows


async def _require_unsuppressed(
    connection: AsyncConnection, actor: Actor, domain: str, values: Mapping[str, Any]
) -> None:
    """Refuse an address, number or domain that is suppressed."""
    await SHARE_LOCK.run(connection, {})
    brought = [
        *email_identifiers(values.get("email") or ""),
        *phone_identifiers(values.get("phone_number") or ""),
        *covering_domains(domain),
    ]
    suppressed = await find_suppressed(connection, actor.tenant_id, brought)
    if suppressed:
        kinds = " and ".join(sorted({identifier.kind for identifier in suppressed}))
        raise Conflict(f"The {kinds} of this contact is suppressed; it may be neither kept nor contacted")


async def _execute(connection: AsyncConnection, statement: Any, values: Mapping[str, Any]) -> Row[Any]:
    try:
        row: Row[Any] = (await connection.execute(statement)).one()
    except IntegrityError as error:
        if "uq_contacts" not in str(error.orig):
            raise
        raise Conflict(f"The domain already has a contact {_key(values)}") from None
    return row


def _key(values: Mapping[str, Any]) -> str:
    """The address of a contact, or its number if it has none."""
    return str(values.get("email") or values.get("phone_number"))


def _edited(before: Iterable[str], names: Iterable[str]) -> list[str]:
    edited = {*before, *names}
    return sorted(edited.union(*(COMPANIONS.get(name, ()) for name in names)))


def _really_set(names: Iterable[str], tags: Sequence[str] | None, before: Sequence[str]) -> list[str]:
    """The fields that a person has decided on; tags only if the person took `boilerplate` away."""
    decided = BOILERPLATE in before and tags is not None and BOILERPLATE not in tags
    return [name for name in names if name != "tags" or decided]


def _source(actor: Actor, source_url: str | None) -> str:
    if source_url is None:
        return f"{MANUAL}:{actor.user_id}"
    url = read_url(source_url).url
    if not url:
        raise InvalidInput(f"Invalid source URL {source_url[:200]!r}")
    return url


def _validation_reset(before: Row[Any], *, has_email: bool, validate: bool) -> dict[str, Any]:
    """Nothing is known about a new address. A validation that runs is repeated with it."""
    statuses = VALIDATE_EMAIL.statuses
    is_running = before.email_validation_status == statuses.processing
    status = statuses.queued if validate or is_running else None
    if not has_email:
        status = statuses.done if is_running else None
    values: dict[str, Any] = dict.fromkeys(VALIDATION_COLUMNS)
    return {**values, VALIDATE_EMAIL.error: None, VALIDATE_EMAIL.status: status}
