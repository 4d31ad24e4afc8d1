"""What a delivery carries: the contact, its evidence and its destination, read in one short query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select

from scrapersky import tables
from scrapersky.actions.contacts.rechecks import EmailRechecks
from scrapersky.declarations import statuses
from scrapersky.destinations import DeliveryPayload, SkippedDelivery
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.queries.contact_rows import contact_rows
from scrapersky.queries.places.duplicates import is_delivered_elsewhere, is_waiting_elsewhere
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import Query

# How long a delivery waits for that of the same contact of a linked listing.
TWIN_WAIT = timedelta(seconds=30)
# Decrypts the secrets of a destination, which are stored with its id.
OpenSecrets = Callable[[UUID, bytes | None], tuple[str, ...]]


def no_secrets(destination_id: UUID, encrypted: bytes | None) -> tuple[str, ...]:
    return ()


class DeliveryPayloads:
    """Without `rechecks` old verdicts on addresses count as they are."""

    def __init__(
        self,
        database: Database,
        open_secrets: OpenSecrets = no_secrets,
        *,
        rechecks: EmailRechecks | None = None,
    ) -> None:
        self._database, self._open_secrets, self._rechecks = database, open_secrets, rechecks

    async def load(
        self,
        tenant_id: UUID,
        delivery_id: UUID,
        contact_id: UUID | None,
        destination_id: UUID,
        *,
        external_id: str | None = None,
    ) -> DeliveryPayload | SkippedDelivery:
        """The payload of a claimed delivery; discarded when something it needs is gone or switched off."""
        query = self._query(tenant_id, delivery_id, contact_id, destination_id)
        rows = await self._database.rows(query)
        if not rows:
            raise Discard("the contact or the destination no longer exists")
        values = dict(rows[0]._mapping)
        kind, name, options, is_active, secret = (
            values.pop(key) for key in ("_kind", "_destination", "_options", "_is_active", "_secret")
        )
        _check_decisions(values)
        if not is_active:
            raise Discard(f"the destination {name!r} is switched off")
        is_repeated, is_second = (values.pop(key, False) for key in ("_is_repeated", "_is_second"))
        if contact_id is not None:
            values = await self._allowed(tenant_id, values)
            if is_repeated:
                return SkippedDelivery("the destination has the same contact of a linked listing")
            if is_second:
                # Whether the earlier one arrives is not known yet: its contact may be rejected or suppressed.
                raise Snooze("a linked listing brings the same contact first", wait=TWIN_WAIT)
            values = await self._recheck(tenant_id, values)
        return DeliveryPayload(
            kind,
            name,
            values,
            delivery_id,
            tenant_id,
            options,
            destination_id=destination_id,
            secrets=self._open_secrets(destination_id, secret),
            external_id=external_id,
            is_deletion=contact_id is None,
        )

    def _query(
        self, tenant_id: UUID, delivery_id: UUID, contact_id: UUID | None, destination_id: UUID
    ) -> Select[Any]:
        """The contact, if the delivery is not a deletion, and its destination."""
        contacts, destinations = tables.contacts, tables.destinations
        if contact_id is None:
            query: Select[Any] = (
                select().select_from(destinations).where(destinations.c.tenant_id == tenant_id)
            )
        else:
            query = (
                contact_rows(self._database.engine)
                .join(destinations, destinations.c.tenant_id == contacts.c.tenant_id)
                .where(contacts.c.tenant_id == tenant_id, contacts.c.id == contact_id)
                .add_columns(
                    contacts.c.domain_id,
                    contacts.c.page_id,
                    tables.domains.c.sitemap_curation_status.label("_domain_decision"),
                    is_delivered_elsewhere(destination_id).label("_is_repeated"),
                    is_waiting_elsewhere(destination_id, delivery_id).label("_is_second"),
                )
            )
        return query.where(destinations.c.id == destination_id).add_columns(
            destinations.c.kind.label("_kind"),
            destinations.c.name.label("_destination"),
            destinations.c.options.label("_options"),
            destinations.c.is_active.label("_is_active"),
            destinations.c.encrypted_secret.label("_secret"),
        )

    async def _allowed(self, tenant_id: UUID, contact: dict[str, Any]) -> dict[str, Any]:
        allowed = await Query(self._database.engine).read(
            lambda connection: withhold_suppressed(connection, tenant_id, tables.contacts, [contact])
        )
        if not allowed:
            raise Discard("the contact is suppressed")
        return allowed[0]

    async def _recheck(self, tenant_id: UUID, contact: dict[str, Any]) -> dict[str, Any]:
        """The contact with a verdict that is young enough; one that was valid must still be."""
        if self._rechecks is None:
            return contact
        [checked] = await self._rechecks.refresh(self._database.engine, tenant_id, [contact], required=True)
        results = [row["email_validation_result"] for row in (contact, checked)]
        if results[0] == "valid" and results[1] != "valid":
            raise Discard(f"the address is no longer valid: {checked['email_validation_reason']}")
        return checked


def _check_decisions(contact: dict[str, Any]) -> None:
    if contact.get("decision") in statuses.EXCLUDED:
        raise Discard(f"the contact is {contact['decision']}")
    if (domain := contact.pop("_domain_decision", None)) in statuses.EXCLUDED:
        raise Discard(f"the contact's domain is {domain}")
