"""HubSpot's contacts as its published API describes them: batch upsert, properties, permanent deletion.

It keeps contacts by e-mail address, refuses property values that are not texts, batches above 100 and
addresses that occur twice in one, and counts what it created. `faults` makes it
fail in the ways that services do.
"""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from aiohttp import web

from scrapersky_demo.contracts.faults import Faults, Handler

MAX_BATCH = 100
PROPERTIES = (
    "email", "firstname", "lastname", "phone", "jobtitle", "website", "address", "country", "company",
)  # fmt: skip


@dataclass(slots=True)
class HubSpotServer:
    """An account with one token."""

    token: str = "pat-demo"  # noqa: S105 - of an invented account.
    versions: tuple[str, ...] = ("2026-09", "v3")
    properties: set[str] = field(default_factory=lambda: set(PROPERTIES))
    calls_per_10_seconds: int = 100
    faults: Faults = field(default_factory=Faults)
    # Contacts by address, how often each was created, and every request for the tests.
    contacts: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    calls: deque[float] = field(default_factory=deque)
    _ids: int = 100

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=16 * 2**20)
        application.router.add_get("/crm/v3/properties/contacts", self._list_properties)
        for version in self.versions:
            path = "/crm/v3/objects" if version == "v3" else f"/crm/objects/{version}"
            application.router.add_get(f"{path}/contacts", self._list)
            application.router.add_post(f"{path}/contacts/batch/upsert", self._upsert)
            application.router.add_post(f"{path}/contacts/gdpr-delete", self._delete)
        return application

    @property
    def _guard(self) -> Any:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.headers.get("Authorization") != f"Bearer {self.token}":
                return _problem(401, "INVALID_AUTHENTICATION", "Authentication credentials not found")
            if wait := self._too_many():
                answer = _problem(429, "RATE_LIMITS", "You have reached your ten_secondly_rolling limit")
                answer.headers["Retry-After"] = str(wait)
                return answer
            return await self.faults.serve(request, handler)

        return guard

    def _too_many(self) -> int:
        now = time.monotonic()
        while self.calls and self.calls[0] < now - 10:
            self.calls.popleft()
        if len(self.calls) >= self.calls_per_10_seconds:
            return max(1, int(self.calls[0] + 10 - now) + 1)
        self.calls.append(now)
        return 0

    async def _list_properties(self, request: web.Request) -> web.Response:
        return web.json_response({"results": [{"name": name} for name in sorted(self.properties)]})

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"results": list(self.contacts.values())[: int(request.query.get("limit", 10))]}
        )

    async def _upsert(self, request: web.Request) -> web.Response:
        try:
            body = await request.json()
        except json.JSONDecodeError:
            return _problem(400, "VALIDATION_ERROR", "Invalid input JSON")
        self.requests.append((request.path, body))
        inputs = body.get("inputs") if isinstance(body, dict) else None
        if not isinstance(inputs, list) or not 0 < len(inputs) <= MAX_BATCH:
            return _problem(400, "VALIDATION_ERROR", f"Expected 1 to {MAX_BATCH} inputs")
        if problem := self._first_problem(inputs):
            return _problem(400, "VALIDATION_ERROR", problem)
        started = _now()
        results, errors = [], []
        for entry in inputs:
            if "@" not in entry["id"]:
                errors.append(_row_error(entry))
            else:
                results.append(self._store(entry))
        answer: dict[str, Any] = {
            "status": "COMPLETE",
            "results": results,
            "requestedAt": started,
            "startedAt": started,
            "completedAt": _now(),
        }
        if errors:
            answer |= {"numErrors": len(errors), "errors": errors}
        return web.json_response(answer, status=207 if errors else 200)

    def _first_problem(self, inputs: list[Any]) -> str:
        """What makes HubSpot refuse the whole batch."""
        seen: set[str] = set()
        for entry in inputs:
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
                return "Every input needs an id"
            if entry.get("idProperty") != "email":
                return "idProperty must name a unique property"
            values = entry.get("properties")
            if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
                return "Property values must be strings"
            if unknown := sorted(set(values) - self.properties):
                return f"Property {unknown[0]} does not exist"
            if entry["id"].lower() in seen:
                return "Duplicate ids found in batch input"
            seen.add(entry["id"].lower())
        return ""

    def _store(self, entry: dict[str, Any]) -> dict[str, Any]:
        email, now = entry["id"].lower(), _now()
        known = self.contacts.get(email)
        if known is None:
            self._ids += 1
            known = {"id": str(self._ids), "properties": {}, "createdAt": now, "archived": False}
            self.contacts[email] = known
            self.created[email] = self.created.get(email, 0) + 1
        is_new = not known["properties"]
        known["properties"] |= {**entry["properties"], "email": email}
        known["updatedAt"] = now
        answer = {**known, "new": is_new}
        if trace := entry.get("objectWriteTraceId"):
            answer["objectWriteTraceId"] = trace
        return answer

    async def _delete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append((request.path, body))
        for email, known in list(self.contacts.items()):
            if known["id"] == body.get("objectId"):
                del self.contacts[email]
        return web.Response(status=204)


def _problem(status: int, category: str, message: str) -> web.Response:
    body = {"status": "error", "message": message, "correlationId": str(uuid4()), "category": category}
    return web.json_response(body, status=status)


def _row_error(entry: dict[str, Any]) -> dict[str, Any]:
    trace = entry.get("objectWriteTraceId")
    return {
        "status": "error",
        "category": "VALIDATION_ERROR",
        "message": "Email address is invalid",
        "context": {"objectWriteTraceId": [trace]} if trace else {"ids": [entry["id"]]},
        "errors": [],
        "links": {},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
