"""Contacts in HubSpot: batches of up to 100 that create or update by e-mail address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from uuid import UUID

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
from scrapersky.engine.outcome import Discard
from scrapersky.errors import DestinationError
from scrapersky.fetch.page import Page

SERVICE = "HubSpot"
LEGACY_VERSION = "v3"
# 100 calls in 10 seconds on every plan.
SECONDS_PER_CALL = 0.1
Answers = dict[UUID, str | Exception]


class HubSpot:
    """The secret is the token of a service key or a private app with the scope crm.objects.contacts.write."""

    kind: ClassVar[str] = "hubspot"
    batch_size: ClassVar[int] = 100

    def __init__(self, context: DestinationContext) -> None:
        self._fetcher = context.fetcher
        self._url, self._version = context.hubspot_url.rstrip("/"), context.hubspot_version
        self._pace = Pace(SECONDS_PER_CALL)

    async def deliver(self, payload: DeliveryPayload) -> str:
        answer = (await self.deliver_batch([payload]))[payload.delivery_id]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> BatchResult:
        answers: Answers = {
            payload.delivery_id: Discard("HubSpot needs an e-mail address")
            for payload in payloads
            if not payload.contact.get("email")
        }
        for batch in _without_repetition([payload for payload in payloads if payload.contact.get("email")]):
            answers |= await self._upsert(batch)
        return answers

    async def delete(self, payload: DeliveryPayload) -> str:
        """Delete for good, so that the address cannot be restored from HubSpot's recycle bin."""
        try:
            await self._call(payload, "POST", "gdpr-delete", {"objectId": payload.external_id})
        except Refused as error:
            if error.status != 404:
                raise
        return str(payload.external_id)

    async def check(self, payload: DeliveryPayload) -> str:
        await self._call(payload, "GET", "?limit=1")
        known = await self._properties(payload)
        unknown = sorted(set(mapped_texts(payload)) - known) if known else []
        if unknown:
            return f"HubSpot has no property {', '.join(unknown)}; create it there or change the mapping"
        return "ok: HubSpot accepts the token" + ("" if known else "; it may not read the properties")

    # ---- calls

    async def _upsert(self, payloads: Sequence[DeliveryPayload]) -> Answers:
        """Create or update; if HubSpot refuses the whole batch, its halves show which contacts it meant."""
        inputs = [
            {
                "id": str(payload.contact["email"]),
                "idProperty": "email",
                "objectWriteTraceId": str(payload.delivery_id),
                "properties": mapped_texts(payload),
            }
            for payload in payloads
        ]
        try:
            page = await self._call(payloads[0], "POST", "batch/upsert", {"inputs": inputs})
        except Refused as error:
            if len(payloads) == 1:
                return {payloads[0].delivery_id: error}
            middle = len(payloads) // 2
            return {**await self._upsert(payloads[:middle]), **await self._upsert(payloads[middle:])}
        return read_answer(payloads, read_json(page, SERVICE))

    async def _call(self, payload: DeliveryPayload, method: str, path: str, content: Any = None) -> Page:
        """Call the version of the settings; an account that does not have it yet gets the one before."""
        if not payload.secret:
            raise KeyRefused("The destination has no token")
        try:
            return await self._send(payload, method, self._path(self._version, path), content)
        except Refused as error:
            if error.status != 404 or self._version == LEGACY_VERSION or path == "gdpr-delete":
                raise
        return await self._send(payload, method, self._path(LEGACY_VERSION, path), content)

    async def _send(self, payload: DeliveryPayload, method: str, path: str, content: Any) -> Page:
        await self._pace.wait()
        return await call_service(
            self._fetcher,
            method,
            f"{self._url}{path}",
            service=SERVICE,
            headers={"Authorization": f"Bearer {payload.secret}"},
            content=content,
            limits=LONG_ANSWER,
        )

    def _path(self, version: str, path: str) -> str:
        objects = "/crm/v3/objects" if version == LEGACY_VERSION else f"/crm/objects/{version}"
        return f"{objects}/contacts{'' if path.startswith('?') else '/'}{path}"

    async def _properties(self, payload: DeliveryPayload) -> set[str]:
        """The names of the account's properties; none if the token may not read them."""
        try:
            page = await self._send(payload, "GET", "/crm/v3/properties/contacts", None)
        except (KeyRefused, Refused):
            return set()
        return {str(entry.get("name")) for entry in read_json(page, SERVICE).get("results", [])}


def read_answer(payloads: Sequence[DeliveryPayload], answer: dict[str, Any]) -> Answers:
    """What became of each contact, found by its trace id or its address, never by its position.

    A contact that the answer does not mention is not known to be stored, so it is retried.
    """
    traces = {str(payload.delivery_id): payload.delivery_id for payload in payloads}
    emails = {str(payload.contact["email"]).lower(): payload.delivery_id for payload in payloads}
    answers: Answers = {
        payload.delivery_id: DestinationError("HubSpot's answer does not mention the contact")
        for payload in payloads
    }
    for error in _objects(answer.get("errors")):
        refusal = Discard(f"HubSpot refused the contact: {str(error.get('message'))[:300]}")
        for trace in _mentioned(error):
            if identifier := traces.get(trace) or emails.get(trace.lower()):
                answers[identifier] = refusal
    for result in _objects(answer.get("results")):
        address = str((result.get("properties") or {}).get("email") or "").lower()
        identifier = traces.get(str(result.get("objectWriteTraceId"))) or emails.get(address)
        if identifier and isinstance(result.get("id"), str) and result["id"]:
            answers[identifier] = result["id"]
    return answers


def _mentioned(error: dict[str, Any]) -> Iterator[str]:
    context = error.get("context")
    for values in context.values() if isinstance(context, dict) else ():
        yield from (str(value) for value in (values if isinstance(values, list) else [values]))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _without_repetition(payloads: Sequence[DeliveryPayload]) -> Iterator[list[DeliveryPayload]]:
    """Batches in which every address occurs once: HubSpot refuses others, and the last one must win."""
    rest = list(payloads)
    while rest:
        batch: dict[str, DeliveryPayload] = {}
        later = []
        for payload in rest:
            address = str(payload.contact["email"]).lower()
            if address in batch:
                later.append(payload)
            else:
                batch[address] = payload
        yield list(batch.values())
        rest = later
