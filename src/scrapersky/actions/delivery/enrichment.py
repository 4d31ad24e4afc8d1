"""What n8n sends back: what it found out about a contact, and who opted out; each message counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.delivery.destination_secrets import decrypt_secrets
from scrapersky.actions.privacy.suppressions import add_suppressions
from scrapersky.destinations.webhook_signature import InvalidSignature, verify
from scrapersky.engine.outcome import Discard
from scrapersky.errors import NotFound, Unauthorized
from scrapersky.extract.geography import country_code
from scrapersky.queries.read_model import in_array
from scrapersky.secret_key import SecretKey
from scrapersky.storage.suppression_filter import all_identifiers, redact_value
from scrapersky.storage.suppressions import (
    SHARE_LOCK,
    attempts_of,
    count_attempts,
    find_suppressed,
)

CONTACTS = tables.contacts
KIND = "n8n"
# More addresses than this are not of one contact.
MAX_EMAILS = 20


@dataclass(frozen=True, slots=True)
class SignedMessage:
    """A request as it arrived: the three headers and the bytes of the body."""

    id: str
    timestamp: str
    signature: str
    body: bytes


@dataclass(frozen=True, slots=True)
class EnrichmentResult:
    contact_id: UUID
    enrichment_id: str
    updated_fields: list[str]
    is_duplicate: bool = False


async def find_sender(
    engine: AsyncEngine, key: SecretKey, message: SignedMessage, *, now: datetime
) -> tuple[UUID, UUID]:
    """The tenant and the destination whose secret signed the message; the engine is the owner's.

    The body is not read before that. Nobody learns whether the id, the time or the signature was wrong.
    """
    columns = tables.destinations.c
    query = (
        select(columns.id, columns.tenant_id, columns.encrypted_secret)
        .join(tables.tenants, tables.tenants.c.id == columns.tenant_id)
        .where(columns.kind == KIND, columns.is_active, columns.encrypted_secret.is_not(None))
        .where(tables.tenants.c.is_active)
        .order_by(columns.id)
    )
    async with engine.connect() as connection:
        rows = (await connection.execute(query)).all()
    for row in rows:
        try:
            secrets = decrypt_secrets(key, row.id, row.encrypted_secret)
            verify(
                secrets, message.id, message.timestamp, message.signature, message.body, now=now.timestamp()
            )
        except (InvalidSignature, Discard):
            continue
        return row.tenant_id, row.id
    raise Unauthorized("The signature does not match")


async def claim_message(connection: AsyncConnection, tenant_id: UUID, *names: str) -> bool:
    """Note that these messages arrived; False if one of them had arrived before."""
    messages = tables.webhook_messages
    rows = [{"tenant_id": tenant_id, "message_id": name[:300]} for name in dict.fromkeys(names)]
    # Of two at once the second waits here until the first has ended.
    await connection.execute(insert(messages).values(rows).on_conflict_do_nothing())
    mine = messages.c.tenant_id == tenant_id, messages.c.created_at == func.now()
    new = select(func.count()).select_from(messages).where(*mine, in_array(messages.c.message_id, names))
    return bool(await connection.scalar(new) == len(rows))


async def save_enrichment(
    engine: AsyncEngine, actor: Actor, message_id: str, enrichment: Mapping[str, Any]
) -> EnrichmentResult:
    """Store what was found out about a contact; what is repeated changes nothing."""
    contact_id, enrichment_id = UUID(str(enrichment["contact_id"])), str(enrichment["enrichment_id"])
    async with engine.begin() as connection:
        await SHARE_LOCK.run(connection, {})
        mine = CONTACTS.c.id == contact_id, CONTACTS.c.tenant_id == actor.tenant_id
        row = (await connection.execute(select(CONTACTS).where(*mine).with_for_update())).first()
        if row is None:
            raise NotFound(f"There is no contact {contact_id}")
        names = f"id {message_id}", f"enrichment {contact_id} {enrichment_id}"
        if not await claim_message(connection, actor.tenant_id, *names):
            return EnrichmentResult(contact_id, enrichment_id, [], is_duplicate=True)
        country = country_code(row.country or "")
        values = _values(row, await _without_suppressed(connection, actor.tenant_id, enrichment, country))
        before = {name: row._mapping[name] for name in values}
        changes = {**values, "last_enrichment_id": enrichment_id, "updated_at": func.now()}
        await connection.execute(update(CONTACTS).where(*mine).values(changes))
        await record(
            connection,
            actor,
            "contact.enrich",
            table=CONTACTS.name,
            row_id=contact_id,
            before=before,
            after=values,
        )
    return EnrichmentResult(contact_id, enrichment_id, sorted(values))


async def save_opt_outs(
    engine: AsyncEngine, actor: Actor, message_id: str, emails: Sequence[str], reason: str
) -> int | None:
    """Suppress addresses that bounced or unsubscribed; gives how many are new, or None for a repetition."""
    async with engine.begin() as connection:
        if not await claim_message(connection, actor.tenant_id, f"id {message_id}"):
            return None
        result = await add_suppressions(connection, actor, list(emails), f"{reason}, by {actor.name}")
        return result.counts["new"]


async def _without_suppressed(
    connection: AsyncConnection, tenant_id: UUID, enrichment: Mapping[str, Any], country: str | None
) -> dict[str, Any]:
    """What was found out without suppressed addresses and numbers; only the attempt is counted."""
    brought = set(all_identifiers(enrichment, country))
    suppressed = await find_suppressed(connection, tenant_id, brought)
    await count_attempts(connection, attempts_of(suppressed, brought))
    clean = redact_value(enrichment, suppressed, country) if suppressed else enrichment
    return dict(clean)


def _values(row: Any, enrichment: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that change: all that was found, and fields that are empty and that no person has set."""
    data = dict(enrichment.get("enriched_data") or {})
    if "additional_emails" in data:
        data["additional_emails"] = list(data["additional_emails"])[:MAX_EMAILS]
    stored = {key: enrichment[key] for key in ("status", "metadata") if enrichment.get(key)}
    values: dict[str, Any] = {"enrichment": {**data, **stored}}
    filled = {
        "phone_number": data.get("phone"),
        "address": _one_line(data.get("address")),
        "social_urls": {**_profiles(data), **row.social_urls},
    }
    for name, value in filled.items():
        is_free = not row._mapping[name] or name == "social_urls"
        if value and is_free and name not in row.edited_fields and value != row._mapping[name]:
            values[name] = value
    return values


def _profiles(data: Mapping[str, Any]) -> dict[str, str]:
    return {network: url for network, url in (data.get("social_profiles") or {}).items() if url}


def _one_line(address: Mapping[str, str] | None) -> str | None:
    parts = [(address or {}).get(name) for name in ("street", "zip", "city", "state", "country")]
    return ", ".join(part for part in parts if part) or None
