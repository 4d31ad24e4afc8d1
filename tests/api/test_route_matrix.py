"""Every route of the router table against every kind of caller, in both modes, and with foreign ids."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import func, insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_key, add_person, add_session, add_tenant, bearer, cookie
from product import TENANT
from scrapersky import tables
from scrapersky.actions.accounts.api_keys import ROLES
from scrapersky.api.caller import RoleCheck, is_public
from scrapersky.api.context import PREFIX
from scrapersky.api.openapi.document import openapi_document
from scrapersky.web.console.application import ROUTERS

# Everything that needs no account. What is not here and has no role is a fault.
PUBLIC = {
    "POST /api/v3/session",
    "POST /api/v3/setup",
    "POST /api/v3/webhooks/n8n/enrichment-complete",  # Signed by the secret of a destination.
    "POST /api/v3/webhooks/n8n/opt-outs",  # The same.
    "GET /setup",
    "POST /setup",
    "GET /login",
    "POST /login",
    "GET /health",  # Without an account: booleans and numbers only.
    "GET /health/live",
    "GET /health/ready",
    "GET /static/{version}/{name:path}",
    "GET /docs/problems",
    "GET /system",  # Without an account it says at most that the database is unavailable.
}
# These answer 403 by a finer rule than the role, or end the caller's session; other tests are about them.
FINER = {"PUT /api/v3/users/{user_id:uuid}/password", "DELETE /api/v3/session", "GET /metrics"}
STREAMS = {"GET /api/v3/events"}
RANDOM_ID = str(uuid.UUID(int=0x5CA1AB1E, version=4))
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    role: str | None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)(?::\w+)?}", self.path)

    def address(self, value: str = RANDOM_ID) -> str:
        """The path with a value for its last parameter, and words that exist for the others."""
        words = {"stage": "read_page", "name": "read_page"}
        *_, last = self.parameters or [""]
        return re.sub(
            r"{(\w+)(?::\w+)?}",
            lambda match: value if match[1] == last and last not in words else words.get(match[1], value),
            self.path,
        )


def roles_in(dependant: Any) -> Iterator[str]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, RoleCheck):
            yield dependency.call.role
        yield from roles_in(dependency)


def routes_of(web: FastAPI) -> list[Route]:
    found = []
    for route in iter_route_contexts(web.routes):
        roles = sorted(roles_in(route.original_route.dependant), key=ROLES.index)  # type: ignore[attr-defined]
        for method in sorted(set(route.methods or ()) - {"HEAD"}):
            found.append(Route(method, str(route.path), roles[-1] if roles else None))
    return found


@pytest.fixture
def web(make_web: Any) -> FastAPI:
    app: FastAPI = make_web()
    return app


@pytest.fixture
def routes(web: FastAPI) -> list[Route]:
    return routes_of(web)


@pytest.fixture
def closed(routes: list[Route]) -> list[Route]:
    """The routes for programs; tests/web/console/test_roles.py is about those for people."""
    pages = {str(route.path) for router in ROUTERS for route in iter_route_contexts(router.routes)}
    return [route for route in routes if route.role and route.path not in {*pages, "/logout"}]


@pytest.fixture
async def client(web: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        yield client


async def call(
    client: httpx.AsyncClient, route: Route, headers: dict[str, str], address: str | None = None
) -> httpx.Response:
    body = {"json": {}} if route.method in UNSAFE - {"DELETE"} else {}
    return await client.request(route.method, address or route.address(), headers=headers, **body)  # type: ignore[arg-type]


async def credentials(db: AsyncEngine, kind: str) -> dict[str, str]:
    """The headers of a caller; an administrator always exists."""
    await add_person(db, "boss@example.com")
    if kind in ROLES:
        return cookie(await add_session(db, await add_person(db, f"{kind}@example.com", kind)))
    if kind == "anonymous":
        return {}
    admin = await add_person(db, "gone@example.com", is_active=kind != "key of a disabled user")
    if kind == "expired session":
        return cookie(await add_session(db, admin, expires_at=func.now() - timedelta(seconds=1)))
    if kind == "idle session":
        return cookie(await add_session(db, admin, last_seen_at=func.now() - timedelta(hours=13)))
    key = await add_key(db, admin, "admin", days=-1 if kind == "expired key" else 30)
    if kind == "revoked key":
        async with db.begin() as connection:
            await connection.execute(tables.api_keys.update().values(revoked_at=func.now()))
    return bearer(key)


def test_every_route_has_a_role_or_is_on_the_public_list(routes: list[Route]) -> None:
    assert len(routes) > 100
    assert {route.name for route in routes if route.role is None} == PUBLIC


def test_the_public_routes_of_the_api_are_marked(web: FastAPI) -> None:
    """The router refuses unknown callers on every other route, whatever role it names."""
    marked = {
        f"{method} {route.path}"
        for route in iter_route_contexts(web.routes)
        for method in route.methods or ()
        if is_public(route.endpoint)
    }
    assert marked == {name for name in PUBLIC if PREFIX in name}


def test_reading_needs_no_more_than_a_viewer_except_where_admins_are_concerned(closed: list[Route]) -> None:
    admin_only = {
        route.path.split("/")[3] for route in closed if route.method == "GET" and route.role == "admin"
    }
    assert admin_only <= {"users", "audit", "database", "settings", "tenants", "secrets", "system"}
    writable = [
        route.name for route in closed if route.method in UNSAFE and route.role == "viewer"
        and route.path.split("/")[3] not in ("session", "sessions", "users", "api-keys", "views", "rules")
    ]  # fmt: skip
    assert writable == []


# What changes more than rows of one's own tenant, or cannot be undone, is for administrators.
ADMIN_CHANGES = {
    "DELETE /destinations/{destination_id:uuid}",
    "DELETE /lead-score/{part}",
    "DELETE /settings/{name}",
    "PATCH /destinations/{destination_id:uuid}",
    "PATCH /tenants/{tenant_id:uuid}",
    "PATCH /users/{user_id:uuid}",
    "POST /destinations",
    "POST /destinations/{destination_id:uuid}/forget-previous-secret",
    "POST /destinations/{destination_id:uuid}/rotate-secret",
    "POST /erasures",
    "POST /jobs/prune",
    "POST /stages/{name}/pause",
    "POST /stages/{name}/resume",
    "POST /subject-exports",
    "POST /suppressions/all-tenants",
    "POST /tenants",
    "POST /tenants/{tenant_id:uuid}/admins",
    "POST /users",
    "PUT /lead-score/{part}",
    "PUT /settings/{name}",
}


def test_what_only_administrators_change_is_listed(closed: list[Route]) -> None:
    """The other tests believe the role that a route names."""
    found = {
        route.name.replace(PREFIX, "") for route in closed if route.method in UNSAFE and route.role == "admin"
    }
    assert found == ADMIN_CHANGES


def test_the_document_names_the_role_of_every_route(web: FastAPI, routes: list[Route]) -> None:
    described = {
        f"{method.upper()} {path}": operation.get("x-required-role")
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    }
    roles = {re.sub(r":\w+}", "}", route.name): route.role for route in routes if PREFIX in route.name}
    assert described == {name: role for name, role in roles.items() if name in described}
    assert len(described) > 100


@pytest.mark.parametrize(
    "kind",
    [
        "anonymous",
        "expired session",
        "idle session",
        "revoked key",
        "expired key",
        "key of a disabled user",
    ],
)
async def test_who_is_not_known_gets_401_everywhere(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route], kind: str
) -> None:
    headers = await credentials(db, kind)
    wrong = []
    for route in closed:
        answer = await call(client, route, headers)
        if answer.status_code != 401 or "www-authenticate" not in answer.headers:
            wrong.append(f"{route.name}: {answer.status_code}")
    assert not wrong


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_gets_403_beyond_its_rights_and_an_answer_within(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route], role: str
) -> None:
    headers = await credentials(db, role)
    wrong = []
    for route in closed:
        if route.name in FINER | STREAMS:
            continue
        answer = await call(client, route, headers)
        allowed = ROLES.index(role) >= ROLES.index(str(route.role))
        refused = answer.status_code in (401, 403)
        if refused is allowed or (refused and answer.status_code != 403) or answer.status_code >= 500:
            wrong.append(f"{route.name}: {answer.status_code} {answer.text[:200]}")
    assert not wrong


async def test_open_loopback_serves_everything_except_other_sites_and_wrong_keys(
    client: httpx.AsyncClient, closed: list[Route]
) -> None:
    wrong = []
    for route in closed:
        if route.name in FINER | STREAMS:
            continue
        answer = await call(client, route, {})
        if answer.status_code in (401, 403) or answer.status_code >= 500:
            wrong.append(f"{route.name}: {answer.status_code} {answer.text[:200]}")
        foreign = await call(client, route, {"Origin": "https://evil.example"})
        if foreign.status_code != 403:
            wrong.append(f"{route.name} from another site: {foreign.status_code}")
        key = await call(client, route, bearer("ssky_wrong"))
        if key.status_code != 401:
            wrong.append(f"{route.name} with a wrong key: {key.status_code}")
    assert not wrong


# ---- foreign ids


# The table of the ids in the paths below each resource.
TABLES = {
    "contacts": "contacts", "domains": "domains", "pages": "pages", "sitemap-files": "sitemap_files",
    "local-businesses": "local_businesses", "places": "places_staging", "jobs": "jobs", "sitemap": "jobs",
    "searches": "place_searches", "deliveries": "deliveries", "operations": "operations", "rules": "rules",
    "views": "saved_views", "users": "users", "sessions": "sessions", "api-keys": "api_keys",
    "dead-letters": "pages", "destinations": "destinations", "suppressions": "suppressions",
    "matches": "place_matches", "schedules": "schedules", "column-mappings": "column_mappings",
}  # fmt: skip
# Their parameters are names of the installation and not ids of rows of a tenant.
BY_NAME = {"settings", "stages", "database", "alerts", "secrets", "integrations", "lead-score"}
# Only administrators of the default tenant may use these at all.
DEFAULT_TENANT_ONLY = {"tenants"}


async def add_rows(db: AsyncEngine, user_id: uuid.UUID) -> dict[str, str]:
    """One row of each kind in the default tenant; gives their ids."""
    ids = {name: uuid.uuid4() for name in {*TABLES.values(), "destinations"}}
    site = {"domain_id": ids["domains"], "host": "secret-shop.example"}
    named = {"user_id": user_id, "name": "secret-shop", "table_name": "pages"}
    values: dict[str, dict[str, Any]] = {
        "domains": {"domain": "secret-shop.example", "host": "secret-shop.example"},
        "pages": {**site, "url": "https://secret-shop.example/page"},
        "sitemap_files": {**site, "url": "https://secret-shop.example/sitemap.xml"},
        "contacts": {
            "domain_id": ids["domains"], "source_url": "https://secret-shop.example/page",
            "email": "info@secret-shop.example",
        },
        "local_businesses": {"place_id": "secret-shop", "business_name": "secret-shop"},
        "places_staging": {"place_id": "secret-shop", "name": "secret-shop"},
        "place_searches": {"business_type": "secret-shop", "location": "secret-shop"},
        "place_matches": {
            "place_a": ids["places_staging"], "place_b": ids["places_staging"], "log_odds": 0.5,
            "evidence": {}, "verdict": "unsure",
        },
        "destinations": {"name": "secret-shop", "kind": "csv"},
        "deliveries": {"contact_id": ids["contacts"], "destination_id": ids["destinations"]},
        "suppressions": {"kind": "email", "keyed_hash": bytes(32), "reason": "secret-shop"},
        "operations": {"action": "curate", "table_name": "pages"},
        "rules": {**named, "filters": {}, "decision": "Rejected"},
        "saved_views": {**named, "is_shared": True},
        "column_mappings": {"name": "secret-shop", "columns": {"name": "Firm"}},
        "schedules": {
            "user_id": user_id, "name": "secret-shop", "kind": "crawl", "every_days": 7,
            "time_of_day": "06:00", "time_zone": "UTC", "next_run_at": datetime(2100, 1, 1, tzinfo=UTC),
        },
    }  # fmt: skip
    async with db.begin() as connection:
        for name, row in values.items():
            table = tables.metadata.tables[name]
            await connection.execute(insert(table).values({"id": ids[name], "tenant_id": TENANT, **row}))
        job = {
            "tenant_id": TENANT,
            "job_type": "sitemap",
            "job_id": ids["jobs"],
            "result_data": {"domain": "secret-shop"},
        }
        await connection.execute(insert(tables.jobs).values(job))
        await add_ids(connection, ids, user_id)
    return {name: str(value) for name, value in ids.items()}


async def add_ids(connection: Any, ids: dict[str, uuid.UUID], user_id: uuid.UUID) -> None:
    ids["users"] = user_id
    hashed = {"user_id": user_id, "tenant_id": TENANT, "expires_at": func.now() + timedelta(days=1)}
    session = {"id": ids["sessions"], "token_hash": bytes(32), **hashed}
    key = {
        "id": ids["api_keys"],
        "name": "secret-shop",
        "key_prefix": "ssky_secret",
        "secret_hash": bytes(32),
    }
    await connection.execute(insert(tables.sessions).values(session))
    await connection.execute(insert(tables.api_keys).values({**key, **hashed}))


async def snapshot(db: AsyncEngine) -> dict[str, list[str]]:
    """Every row of the default tenant that people own, as text."""
    rows = {}
    async with db.connect() as connection:
        for name in sorted({*TABLES.values(), "destinations"}):
            query = text(f"SELECT t::text FROM {name} t WHERE tenant_id = :tenant ORDER BY 1")
            rows[name] = [row[0] for row in await connection.execute(query, {"tenant": TENANT})]
    return rows


@pytest.fixture
async def other_admin(db: AsyncEngine) -> dict[str, str]:
    person = await add_person(db, "far@example.com", tenant_id=await add_tenant(db))
    return cookie(await add_session(db, person))


async def test_a_foreign_id_is_answered_like_one_that_does_not_exist(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route], other_admin: dict[str, str]
) -> None:
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    before = await snapshot(db)
    wrong, compared = [], 0
    for route in closed:
        resource = route.path.removeprefix(f"{PREFIX}/").split("/")[0]
        if not route.parameters or resource in BY_NAME:
            continue
        if resource in DEFAULT_TENANT_ONLY:
            answer = await call(client, route, other_admin, route.address(str(TENANT)))
            if answer.status_code not in (403, 404):
                wrong.append(f"{route.name}: {answer.status_code}")
            continue
        foreign_id = ids[TABLES[resource]]
        foreign = await call(client, route, other_admin, route.address(foreign_id))
        unknown = await call(client, route, other_admin, route.address(RANDOM_ID))
        compared += 1
        if foreign.status_code not in (404, 422) or not same(foreign, unknown, foreign_id):
            wrong.append(
                f"{route.name}: {foreign.status_code} {foreign.text} / {unknown.status_code} {unknown.text}"
            )
    assert compared > 20
    assert not wrong, "\n".join(wrong)
    assert await snapshot(db) == before


def same(foreign: httpx.Response, unknown: httpx.Response, foreign_id: str) -> bool:
    """Whether two answers are the same but for the id and the correlation id."""
    bodies = [
        {name: value for name, value in answer.json().items() if name != "instance"}
        for answer in (foreign, unknown)
    ]
    return foreign.status_code == unknown.status_code and str(bodies[0]).replace(
        foreign_id, RANDOM_ID
    ) == str(bodies[1])


async def test_no_list_statistic_or_export_shows_rows_of_another_tenant(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route], other_admin: dict[str, str]
) -> None:
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    seen = []
    for route in closed:
        if route.method != "GET" or route.parameters or route.name in STREAMS:
            continue
        answer = await call(client, route, other_admin)
        assert answer.status_code < 500, f"{route.name}: {answer.text}"
        leaked = [
            value for value in ("secret-shop", "boss@example.com", *ids.values()) if value in answer.text
        ]
        seen += [f"{route.name}: {leaked}"] if leaked else []
    assert not seen


async def test_foreign_ids_in_lists_change_nothing(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route], other_admin: dict[str, str], web: FastAPI
) -> None:
    """Bodies with ids, whatever their field is called, are answered alike for foreign and unknown ids."""
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    document = (await client.get(f"{PREFIX}/openapi.json", headers=other_admin)).json()
    before, tried = await snapshot(db), 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            resource = path.removeprefix(f"{PREFIX}/").split("/")[0]
            field = id_list_field(document, operation)
            if field is None or "{" in path or resource not in TABLES:
                continue
            bodies = [
                body_with(document, operation, field, value) for value in (ids[TABLES[resource]], RANDOM_ID)
            ]
            answers = [
                await client.request(method.upper(), path, json=body, headers=other_admin) for body in bodies
            ]
            tried += answers[0].status_code != 422
            assert answers[0].status_code == answers[1].status_code, path
            assert neutral(answers[0], ids) == neutral(answers[1], ids), path
    assert tried >= 6
    assert await snapshot(db) == before


def schema_of(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema: dict[str, Any] = content.get("schema", {})
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def id_list_field(document: dict[str, Any], operation: dict[str, Any]) -> str | None:
    """The field that takes a list of UUIDs."""
    for name, field in schema_of(document, operation).get("properties", {}).items():
        variants = [field, *field.get("anyOf", [])]
        if any(variant.get("items", {}).get("format") == "uuid" for variant in variants):
            return str(name)
    return None


def body_with(document: dict[str, Any], operation: dict[str, Any], field: str, value: str) -> dict[str, Any]:
    """The example of the schema, or the first of each choice, with this id."""
    schema = schema_of(document, operation)
    body: dict[str, Any] = dict(next(iter(schema.get("examples", [])), {}))
    for name in schema.get("required", []):
        variants = schema["properties"][name]
        reference = variants.get("$ref", "").rpartition("/")[2]
        choices = (document["components"]["schemas"][reference] if reference else variants).get("enum", ["x"])
        body.setdefault(name, choices[0])
    return {**body, field: [value]}


def neutral(answer: httpx.Response, ids: dict[str, str]) -> str:
    """The answer without ids and times."""
    plain = re.sub(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", "ID", answer.text)
    return re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)", "TIME", plain)


# ---- single ids in bodies and parameters


ID_FIELDS = {
    "domain_id": "domains", "page_id": "pages", "search_id": "place_searches", "job_id": "jobs",
    "local_business_id": "local_businesses", "place_row_id": "places_staging", "user_id": "users",
    "owner_id": "users", "contact_id": "contacts", "destination_id": "deliveries",
    "discovery_job_id": "place_searches", "after": "operations", "operation_id": "operations",
    "before": "suppressions", "view_id": "saved_views",
}  # fmt: skip


def single_ids(document: dict[str, Any], described: dict[str, Any]) -> list[str]:
    """The names of fields that take one UUID."""
    return [
        name
        for name, field in described.items()
        if any(variant.get("format") == "uuid" for variant in [field, *field.get("anyOf", [])])
    ]


async def test_a_foreign_id_in_a_field_or_a_filter_is_answered_like_an_unknown_one(
    client: httpx.AsyncClient, db: AsyncEngine, other_admin: dict[str, str]
) -> None:
    """C6: single ids in bodies, and ids as parameters of lists, facets, statistics and exports."""
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    document = (await client.get(f"{PREFIX}/openapi.json", headers=other_admin)).json()
    before, tried, wrong = await snapshot(db), 0, []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            address = re.sub(r"{\w+}", RANDOM_ID, path)
            schema = schema_of(document, operation)
            example = dict(next(iter(schema.get("examples", [])), {}))
            requests: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
                (name, {}, {**example, name: "ID"})
                for name in single_ids(document, schema.get("properties", {}))
            ]
            requests += [
                (parameter["name"], {parameter["name"]: "ID"}, {})
                for parameter in operation.get("parameters", [])
                if parameter["in"] == "query" and '"uuid"' in json.dumps(parameter["schema"])
            ]
            for name, params, body in requests:
                answers = [
                    await client.request(
                        method.upper(),
                        address,
                        params=dict.fromkeys(params, value),
                        json={**body, name: value} if body else None,
                        headers=other_admin,
                    )
                    for value in (str(TENANT) if name == "tenant_id" else ids[ID_FIELDS[name]], RANDOM_ID)
                ]
                tried += 1
                statuses = {answer.status_code for answer in answers}
                if len(statuses) > 1 or neutral(answers[0], ids) != neutral(answers[1], ids):
                    wrong.append(f"{method} {path} {name}: {[answer.text[:300] for answer in answers]}")
    assert tried > 20
    assert not wrong, "\n".join(wrong)
    assert await snapshot(db) == before


# ---- methods


@pytest.mark.parametrize("method", ["TRACE", "OPTIONS", "HEAD", "FOO", "PROPFIND"])
async def test_other_methods_get_405_with_the_right_ones_on_every_route(
    client: httpx.AsyncClient, db: AsyncEngine, routes: list[Route], method: str
) -> None:
    """API-14."""
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    admin = cookie(await add_session(db, await add_person(db, "admin@example.com")))
    allowed: dict[str, set[str]] = {}
    for route in routes:
        allowed.setdefault(route.path, set()).add(route.method)
    before, wrong = await snapshot(db), []
    for path, methods in allowed.items():
        if method == "HEAD" and path.startswith("/health"):
            continue  # Load balancers probe with it.
        address = re.sub(r"{\w+(:\w+)?}", ids["pages"], path)
        answer = await client.request(method, address, headers=admin)
        named = set(answer.headers.get("Allow", "").split(", "))
        is_right = methods <= named if "{" in path else methods == named - {"HEAD"}
        if answer.status_code != 405 or not is_right:
            wrong.append(f"{method} {path}: {answer.status_code} {answer.headers.get('Allow')}")
    assert not wrong, "\n".join(wrong)
    assert await snapshot(db) == before


async def test_reading_rows_by_their_id_changes_nothing(
    client: httpx.AsyncClient, db: AsyncEngine, closed: list[Route]
) -> None:
    """C7: every GET with an id that exists, by its owner."""
    ids = await add_rows(db, await add_person(db, "boss@example.com"))
    admin = cookie(await add_session(db, await add_person(db, "admin@example.com")))
    before, found = await snapshot(db), 0
    for route in closed:
        resource = route.path.removeprefix(f"{PREFIX}/").split("/")[0]
        if route.method == "GET" and route.parameters and resource in TABLES:
            answer = await call(client, route, admin, route.address(ids[TABLES[resource]]))
            assert answer.status_code in (200, 404), route.name
            found += answer.status_code == 200
    assert found > 10
    assert await snapshot(db) == before
