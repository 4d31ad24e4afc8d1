"""Contacts in Brevo: many by one import, few by one call each; both create or update by e-mail address."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from scrapersky.destinations.api_request import (
    LONG_ANSWER,
    KeyRefused,
    Pace,
    Refused,
    call_service,
    read_json,
)
from scrapersky.destinations.destination import BatchResult, DeliveryPayload, DestinationContext
from scrapersky.destinations.field_map import mapped_texts
from scrapersky.destinations.webhook import contact_id
from scrapersky.engine.outcome import Discard
from scrapersky.errors import DestinationError
from scrapersky.fetch.page import Page

SERVICE = "Brevo"
# About ten calls a second.
SECONDS_PER_CALL = 0.1
# From this number on, one import is faster than single calls.
IMPORT_FROM = 10
POLLS, POLL_SECONDS = 20, 0.5
# What Brevo calls a process that has ended.
ENDED = ("completed",)


class Brevo:
    """The secret is an API key. The option `list_id` is the list that contacts are added to.

    Brevo knows a contact by `ext_id`, which is our identifier, so that it can be deleted without naming it.
    """

    kind: ClassVar[str] = "brevo"
    batch_size: ClassVar[int] = 100

    def __init__(self, context: DestinationContext) -> None:
        self._fetcher, self._url = context.fetcher, context.brevo_url.rstrip("/")
        self._pace = Pace(SECONDS_PER_CALL)

    async def deliver(self, payload: DeliveryPayload) -> str:
        if not payload.contact.get("email"):
            raise Discard("Brevo needs an e-mail address")
        body = {"email": payload.contact["email"], "ext_id": contact_id(payload), "updateEnabled": True}
        lists = {"listIds": _lists(payload)} if _lists(payload) else {}
        await self._call(payload, "POST", "/contacts", {**body, **lists, "attributes": mapped_texts(payload)})
        return contact_id(payload)

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> BatchResult:
        # An import needs a list, and says nothing about single contacts that it refuses.
        reachable = {
            str(payload.contact["email"]).lower(): payload
            for payload in payloads
            if payload.contact.get("email")
        }
        if len(reachable) < IMPORT_FROM or not _lists(payloads[0]):
            return {payload.delivery_id: await self._answer(payload) for payload in payloads}
        imported = {payload.delivery_id for payload in reachable.values()}
        others = [payload for payload in payloads if payload.delivery_id not in imported]
        answers: dict[Any, str | Exception] = {
            payload.delivery_id: await self._answer(payload) for payload in others
        }
        await self._import(list(reachable.values()))
        return answers | {payload.delivery_id: contact_id(payload) for payload in reachable.values()}

    async def delete(self, payload: DeliveryPayload) -> str:
        identifier = quote(str(payload.external_id), safe="")
        try:
            await self._call(payload, "DELETE", f"/contacts/{identifier}?identifierType=ext_id")
        except Refused as error:
            if error.status != 404:
                raise
        return str(payload.external_id)

    async def check(self, payload: DeliveryPayload) -> str:
        """Brevo ignores attributes that it does not know, so they are compared here."""
        answer = read_json(await self._call(payload, "GET", "/contacts/attributes"), SERVICE)
        known = {str(entry.get("name")) for entry in answer.get("attributes", []) if isinstance(entry, dict)}
        for list_id in _lists(payload):
            await self._call(payload, "GET", f"/contacts/lists/{list_id}")
        unknown = sorted(set(mapped_texts(payload)) - known)
        if unknown:
            names = ", ".join(unknown)
            return f"Brevo has no attribute {names} and would ignore it; create it or change the mapping"
        return "ok: Brevo accepts the key"

    # ---- calls

    async def _answer(self, payload: DeliveryPayload) -> str | Exception:
        try:
            return await self.deliver(payload)
        except KeyRefused:
            raise
        except Discard as error:
            return error

    async def _import(self, payloads: Sequence[DeliveryPayload]) -> None:
        rows = [
            {
                "email": payload.contact["email"],
                "attributes": {**mapped_texts(payload), "EXT_ID": contact_id(payload)},
            }
            for payload in payloads
        ]
        body = {
            "jsonBody": rows,
            "listIds": _lists(payloads[0]),
            "updateExistingContacts": True,
            "emptyContactsAttributes": False,
            "disableNotification": True,
        }
        page = await self._call(payloads[0], "POST", "/contacts/import", body)
        process = read_json(page, SERVICE).get("processId")
        if not isinstance(process, int):
            raise DestinationError("Brevo accepted an import without naming its process")
        await self._wait(payloads[0], process)

    async def _wait(self, payload: DeliveryPayload, process: int) -> None:
        """Until the import has ended; one that takes longer is repeated later, which does no harm."""
        for _ in range(POLLS):
            state = read_json(await self._call(payload, "GET", f"/processes/{process}"), SERVICE)
            if state.get("status") in ENDED:
                return
            await asyncio.sleep(POLL_SECONDS)
        raise DestinationError("Brevo's import takes too long")

    async def _call(self, payload: DeliveryPayload, method: str, path: str, content: Any = None) -> Page:
        if not payload.secret:
            raise KeyRefused("The destination has no API key")
        await self._pace.wait()
        headers = {"api-key": payload.secret}
        return await call_service(
            self._fetcher,
            method,
            f"{self._url}{path}",
            service=SERVICE,
            headers=headers,
            content=content,
            limits=LONG_ANSWER,
        )


def _lists(payload: DeliveryPayload) -> list[int]:
    number = str(payload.options.get("list_id") or "")
    return [int(number)] if number.isascii() and number.isdigit() else []
