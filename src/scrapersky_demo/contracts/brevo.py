"""Brevo's contacts as its reference describes them: single contacts, imports, attributes and lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from scrapersky_demo.contracts.faults import Faults, Handler

ATTRIBUTES = ("FIRSTNAME", "LASTNAME", "SMS", "EXT_ID", "JOB_TITLE", "EMAIL_TYPE", "SOURCE_URL")


@dataclass(slots=True)
class BrevoServer:
    """An account with one key and one list; unknown attributes are ignored, as Brevo does."""

    key: str = "xkeysib-demo"
    lists: set[int] = field(default_factory=lambda: {7})
    attributes: set[str] = field(default_factory=lambda: set(ATTRIBUTES))
    # An import has ended after this many questions about it.
    polls: int = 1
    faults: Faults = field(default_factory=Faults)
    contacts: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    processes: dict[int, list[Any]] = field(default_factory=dict)

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=16 * 2**20)
        add = application.router
        add.add_get("/v3/contacts/attributes", self._list_attributes)
        add.add_get("/v3/contacts/lists/{id}", self._show_list)
        add.add_post("/v3/contacts", self._create)
        add.add_post("/v3/contacts/import", self._import)
        add.add_get("/v3/processes/{id}", self._process)
        add.add_delete("/v3/contacts/{id}", self._delete)
        return application

    @property
    def _guard(self) -> Any:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.headers.get("api-key") != self.key:
                return _problem(401, "unauthorized", "Key not found")
            return await self.faults.serve(request, handler)

        return guard

    async def _list_attributes(self, request: web.Request) -> web.Response:
        rows = [{"name": name, "category": "normal", "type": "text"} for name in sorted(self.attributes)]
        return web.json_response({"attributes": rows})

    async def _show_list(self, request: web.Request) -> web.Response:
        if int(request.match_info["id"]) not in self.lists:
            return _problem(404, "document_not_found", "List ID does not exist")
        return web.json_response({"id": int(request.match_info["id"]), "name": "Leads"})

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append((request.path, body))
        if "@" not in str(body.get("email")):
            return _problem(400, "invalid_parameter", "Invalid email address")
        is_known = body["email"].lower() in self.contacts
        if is_known and not body.get("updateEnabled"):
            return _problem(400, "duplicate_parameter", "Contact already exist")
        number = self._store(body, body.get("ext_id"))
        return web.Response(status=204) if is_known else web.json_response({"id": number}, status=201)

    async def _import(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append((request.path, body))
        if not body.get("listIds") or not set(body["listIds"]) <= self.lists:
            return _problem(400, "missing_parameter", "listIds is missing or unknown")
        number = len(self.processes) + 1
        self.processes[number] = [self.polls, body["jsonBody"]]
        return web.json_response({"processId": number}, status=202)

    async def _process(self, request: web.Request) -> web.Response:
        process = self.processes[int(request.match_info["id"])]
        if process[0]:
            process[0] -= 1
            return web.json_response({"id": int(request.match_info["id"]), "status": "in_process"})
        for row in process[1]:
            self._store(row, row["attributes"].get("EXT_ID"))
        return web.json_response({"id": int(request.match_info["id"]), "status": "completed"})

    def _store(self, row: dict[str, Any], ext_id: str | None) -> int:
        email = row["email"].lower()
        if email not in self.contacts:
            self.contacts[email] = {"id": len(self.contacts) + 1, "attributes": {}}
            self.created[email] = self.created.get(email, 0) + 1
        known = self.contacts[email]
        values = row.get("attributes") or {}
        known["attributes"] |= {name: value for name, value in values.items() if name in self.attributes}
        known["ext_id"] = ext_id or known.get("ext_id")
        return int(known["id"])

    async def _delete(self, request: web.Request) -> web.Response:
        identifier = request.match_info["id"]
        self.requests.append((request.path_qs, None))
        for email, known in list(self.contacts.items()):
            if request.query.get("identifierType") == "ext_id" and known.get("ext_id") == identifier:
                del self.contacts[email]
                return web.Response(status=204)
        return _problem(404, "document_not_found", "Contact does not exist")


def _problem(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"code": code, "message": message}, status=status)
