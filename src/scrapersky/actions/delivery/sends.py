"""Sends contacts to a destination: those that a person picked, or all that match, with what is left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import CurationResult, decide
from scrapersky.actions.operations import DELIVER_CONTACTS, Decision
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.delivery.left_out import CONTACT, INCLUDABLE, SendPreview
from scrapersky.queries.rows.filters import Filters


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Contacts for a destination, by ids or by filters; `include` names reasons that do not count here."""

    destination_id: UUID
    ids: Sequence[UUID] | None = None
    filters: Filters | None = None
    include: Collection[str] = ()
    expected: int | None = None
    grace: timedelta = timedelta(0)
    rule_id: UUID | None = None

    def check(self) -> None:
        if unknown := sorted(set(self.include) - set(INCLUDABLE)):
            raise InvalidInput(f"Invalid reason {unknown[0][:50]!r}; expected one of {', '.join(INCLUDABLE)}")


async def preview_send(engine: AsyncEngine, actor: Actor, send: Send) -> dict[str, int]:
    """How many contacts would be sent, and how many would be left out for each reason."""
    send.check()
    destination = await DestinationQuery(engine, actor.tenant_id).show(send.destination_id)
    preview = SendPreview(engine, actor.tenant_id)
    return await preview.count(destination["kind"], send.filters or Filters(), send.ids, send.include)


async def send_contacts(
    engine: AsyncEngine, actor: Actor, send: Send, *, in_background: bool = False
) -> CurationResult:
    """Queue the deliveries as one operation, which can be cancelled and taken back while they wait."""
    decision = await send_decision(engine, actor, send)
    return await decide(engine, actor, decision, in_background=in_background)


async def send_decision(engine: AsyncEngine, actor: Actor, send: Send) -> Decision:
    """The decision that sends the contacts; a destination that is switched off is refused."""
    send.check()
    destination = await DestinationQuery(engine, actor.tenant_id).show(send.destination_id)
    if not destination["is_active"]:
        raise Conflict(f"The destination {destination['name']!r} is switched off; enable it first")
    return Decision(
        entity=CONTACT,
        action=DELIVER_CONTACTS,
        value=str(send.destination_id),
        ids=send.ids,
        filters=send.filters,
        expected=send.expected,
        grace=send.grace,
        rule_id=send.rule_id,
        options={"kind": destination["kind"], "include": sorted(set(send.include))},
    )
