"""D9: every request that changes something leaves one entry in the audit log, and names who it was."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from matches_lab import add_match
from operation_lab import add_rows
from people import PASSWORD, add_key, add_person, add_session, add_tenant, cookie
from product import TENANT, WHO, add_job
from scrapersky import tables
from scrapersky.actions.accounts.setup_links import create_setup_link
from scrapersky.api.decision_bodies import RESOURCES
from scrapersky.api.openapi.document import openapi_document
from webhook_lab import add_workflow, sign

PREFIX = "/api/v3"
BOSS = "boss@example.com"
# These read, however they are sent.
UNCHANGING = {
    "POST /rules/preview",
    "POST /subject-exports",
    "POST /google-places/preview",
    "POST /integrations/{name}/test",
}
CURATED = {path: resource for resource in RESOURCES for path in (resource.status_path, resource.path) if path}
Arranged = tuple[str, dict[str, Any]]


class Installation:
    """Makes, for each request, fresh rows that it can change; gives its address and arguments."""

    def __init__(self, db: AsyncEngine) -> None:
        self.db, self.number = db, 0

    def name(self) -> str:
        self.number += 1
        return f"name-{self.number}"

    async def arrange(self, method: str, path: str) -> Arranged:
        own = getattr(self, "_".join(re.findall(r"\w+", f"{method.lower()} {path}")), None)
        if own is not None:
            arranged: Arranged = await own(path)
            return arranged
        return await self.curated(method, path)

    async def curated(self, method: str, path: str) -> Arranged:
        """The routes that all curated resources have in common."""
        root = max((known for known in CURATED if path.startswith(known)), key=len)
        resource, rest = CURATED[root], path.removeprefix(root)
        [row_id] = await add_rows(self.db, resource.entity.name, 1)
        if rest.startswith("/{row_id}"):
            editing = {} if method == "DELETE" or rest.endswith("/run") else {"json": self.edit(root)}
            return path.format(row_id=row_id), editing
        if rest in ("/decisions", "/run", "/reset"):
            if rest == "/reset":
                await self.change(resource.entity.table, row_id, **{resource.entity.curation_column: "Maybe"})
            decision = {"decision": "Maybe"} if rest == "/decisions" else {}
            return path, {"json": {"ids": [str(row_id)], **decision}}
        status = resource.status_fields[0] if root == resource.status_path else "status"
        chosen = {} if rest.endswith("filtered") else {resource.ids_field: [str(row_id)]}
        return path, {"json": {status: "Maybe", **chosen}}

    def edit(self, root: str) -> dict[str, Any]:
        return {"priority_level": 1} if root == "/pages" else {"notes": self.name()}

    async def change(self, table: Any, row_id: Any, **values: Any) -> None:
        async with self.db.begin() as connection:
            await connection.execute(table.update().where(table.c.id == row_id).values(values))

    async def add(self, table: Any, **values: Any) -> uuid.UUID:
        row_id = uuid.uuid4()
        async with self.db.begin() as connection:
            await connection.execute(insert(table).values({"id": row_id, **values}))
        return row_id

    async def person(self) -> uuid.UUID:
        return await add_person(self.db, f"{self.name()}@example.com", "viewer")

    # ---- accounts

    async def post_session(self, path: str) -> Arranged:
        email = f"{self.name()}@example.com"
        await add_person(self.db, email, "viewer")
        # A login with the cookie of a session would end that one.
        return path, {"json": {"email": email, "password": PASSWORD}, "headers": cookie("none")}

    async def delete_session(self, path: str) -> Arranged:
        return path, {"headers": cookie(await add_session(self.db, await self.person()))}

    async def delete_sessions_session_id(self, path: str) -> Arranged:
        await add_session(self.db, await self.person())
        async with self.db.connect() as connection:
            newest = select(tables.sessions.c.id).order_by(tables.sessions.c.created_at.desc())
            session_id = (await connection.execute(newest.limit(1))).scalar_one()
        return path.format(session_id=session_id), {}

    async def post_users(self, path: str) -> Arranged:
        body = {"email": f"{self.name()}@example.com", "password": "thirteen purple canoes"}
        return path, {"json": {**body, "role": "viewer"}}

    async def patch_users_user_id(self, path: str) -> Arranged:
        return path.format(user_id=await self.person()), {"json": {"role": "operator"}}

    async def put_users_user_id_password(self, path: str) -> Arranged:
        return path.format(user_id=await self.person()), {"json": {"password": "thirteen purple canoes"}}

    async def post_api_keys(self, path: str) -> Arranged:
        return path, {"json": {"name": self.name(), "scopes": ["read"]}}

    async def delete_api_keys_key_id(self, path: str) -> Arranged:
        await add_key(self.db, await self.person(), "read")
        async with self.db.connect() as connection:
            key_id = (await connection.execute(select(tables.api_keys.c.id).limit(1))).scalar_one()
        return path.format(key_id=key_id), {}

    async def post_setup(self, path: str) -> Arranged:
        email = f"{self.name()}@example.com"
        await add_person(self.db, email, "viewer")
        token = await create_setup_link(self.db, WHO, email=email)
        return path, {"json": {"token": token, "email": email, "password": "thirteen purple canoes"}}

    # ---- the installation

    async def alert(self, path: str) -> Arranged:
        alert = {"kind": "stuck", "subject": self.name(), "message": "m"}
        return path.format(alert_id=await self.add(tables.alerts, **alert)), {}

    post_alerts_alert_id_acknowledge = post_alerts_alert_id_resolve = alert

    async def put_settings_name(self, path: str) -> Arranged:
        return path.format(name="AUTO_DEEP_SCAN"), {"json": {"value": True}}

    async def delete_settings_name(self, path: str) -> Arranged:
        return path.format(name="AUTO_DEEP_SCAN"), {}

    async def match(self, path: str) -> Arranged:
        return path.format(match_id=await add_match(self.db)), {"json": {"verdict": "same"}}

    put_matches_match_id = match

    async def delete_matches_match_id(self, path: str) -> Arranged:
        return path.format(match_id=await add_match(self.db)), {}

    async def put_lead_score_part(self, path: str) -> Arranged:
        return path.format(part="evidence"), {"json": {"weight": 5}}

    async def delete_lead_score_part(self, path: str) -> Arranged:
        return path.format(part="evidence"), {}

    async def post_tenants(self, path: str) -> Arranged:
        return path, {"json": {"name": self.name()}}

    async def patch_tenants_tenant_id(self, path: str) -> Arranged:
        return path.format(tenant_id=await add_tenant(self.db)), {"json": {"name": self.name()}}

    async def post_tenants_tenant_id_admins(self, path: str) -> Arranged:
        body = {"email": f"{self.name()}@example.com", "password": "thirteen purple canoes"}
        return path.format(tenant_id=await add_tenant(self.db)), {"json": body}

    async def stage(self, path: str) -> Arranged:
        later = datetime.now(UTC) + timedelta(hours=1)
        await add_rows(self.db, "page", 1, page_processing_status="Queued", page_processing_due_at=later)
        return path.format(name="read_page"), {"json": {}} if path.endswith("pause") else {}

    post_stages_name_pause = post_stages_name_resume = post_stages_name_run = stage

    # ---- queues

    async def failed_page(self) -> uuid.UUID:
        failed = {"page_processing_status": "Error", "page_processing_error": "HTTP 503"}
        [row_id] = await add_rows(self.db, "page", 1, **failed)
        return row_id

    async def dead_letters(self, path: str) -> Arranged:
        return path, {"json": {"stage": "read_page", "ids": [str(await self.failed_page())]}}

    post_dead_letters_requeue = post_dead_letters_discard = dead_letters

    async def put_dead_letters_stage_row_id_investigation(self, path: str) -> Arranged:
        address = path.format(stage="read_page", row_id=await self.failed_page())
        return address, {"json": {"state": "investigating", "note": "DNS"}}

    async def post_jobs_prune(self, path: str) -> Arranged:
        job_id = await add_job(self.db)
        async with self.db.begin() as connection:
            statement = "UPDATE jobs SET status = 'complete', created_at = '2020-01-01', "
            statement += f"updated_at = '2020-01-01', finished_at = '2020-01-01' WHERE id = {job_id}"
            await connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            await connection.exec_driver_sql(statement)
        return path, {"json": {"older_than_days": 30}}

    async def post_jobs_job_id_cancel(self, path: str) -> Arranged:
        return path.format(job_id=await add_job(self.db)), {}

    async def post_jobs_job_id_requeue(self, path: str) -> Arranged:
        return path.format(job_id=await add_job(self.db, status="failed", error="no")), {}

    async def post_operations_operation_id_cancel(self, path: str) -> Arranged:
        pending = {"tenant_id": TENANT, "action": "curate", "table_name": "pages", "status": "pending"}
        return path.format(operation_id=await self.add(tables.operations, **pending)), {}

    # ---- submissions and rows

    async def post_pages_read_all(self, path: str) -> Arranged:
        await add_rows(self.db, "page", 1, priority_level=3)
        return path, {"json": {}}

    async def put_places_staging_queue_deep_scan(self, path: str) -> Arranged:
        [row_id] = await add_rows(self.db, "place", 1)
        return path, {"json": {"place_ids": [str(row_id)]}}

    async def post_contacts(self, path: str) -> Arranged:
        return path, {"json": {"domain": "example.com", "email": f"{self.name()}@example.com"}}

    async def contact_ids(self, path: str) -> Arranged:
        [row_id] = await add_rows(self.db, "contact", 1)
        add = {"add": ["vip"]} if path.endswith("tags") else {}
        return path, {"json": {"contact_ids": [str(row_id)], **add}}

    post_contacts_tags = post_contacts_delete = post_contacts_validate = contact_ids

    async def contact(self, path: str) -> Arranged:
        [row_id] = await add_rows(self.db, "contact", 1)
        changed = (
            {"tags": ["vip"]}
            if path.endswith("tags")
            else {"name": "Ada", "email": f"{self.name()}@example.com"}
        )
        return path.format(row_id=row_id), {"json": changed}

    put_contacts_row_id = patch_contacts_row_id = put_contacts_row_id_tags = contact

    async def post_contacts_validate_all(self, path: str) -> Arranged:
        await add_rows(self.db, "contact", 1)
        return path, {"json": {}}

    async def post_sitemap_files(self, path: str) -> Arranged:
        return path, {"json": {"sitemap_url": f"https://{self.name()}.com/sitemap.xml"}}

    async def post_sitemap_scan(self, path: str) -> Arranged:
        return path, {"json": {"base_url": f"{self.name()}.com"}}

    async def submission(self, path: str) -> Arranged:
        kind = path.split("/")[1]
        field, end = {
            "domains": ("domains", ""),
            "sitemaps": ("sitemap_urls", "/sitemap.xml"),
            "pages": ("urls", "/contact"),
        }[kind]
        line = f"https://{self.name()}.com{end}" if end else f"{self.name()}.com"
        if path.endswith("csv"):
            return path, {"files": {"file": ("a.csv", line.encode())}}
        return path, {"json": {field: [line]}}

    post_domains_direct_submit = post_sitemaps_direct_submit = post_pages_direct_submit = submission
    post_domains_import_csv = post_sitemaps_import_csv = post_pages_import_csv = submission

    async def post_searches(self, path: str) -> Arranged:
        return path, {"json": {"business_type": "bakery", "location": "Berlin"}}

    # ---- destinations

    async def post_destinations(self, path: str) -> Arranged:
        hook = {"kind": "webhook", "options": {"url": "https://example.com/hook"}}
        return path, {"json": {"name": self.name(), **hook}}

    async def destination(self, path: str) -> Arranged:
        name = self.name()
        await add_workflow(self.db, name=name)
        async with self.db.connect() as connection:
            named = select(tables.destinations.c.id).where(tables.destinations.c.name == name)
            destination_id = (await connection.execute(named)).scalar_one()
        return path.format(destination_id=destination_id), {}

    delete_destinations_destination_id = destination
    post_destinations_destination_id_rotate_secret = destination
    post_destinations_destination_id_forget_previous_secret = destination
    post_destinations_destination_id_test = destination

    async def patch_destinations_destination_id(self, path: str) -> Arranged:
        return (await self.destination(path))[0], {"json": {"name": self.name()}}

    async def post_destinations_destination_id_send(self, path: str) -> Arranged:
        [row_id] = await add_rows(self.db, "contact", 1)
        address, _ = await self.destination(path)
        return address, {"json": {"ids": [str(row_id)], "include": ["hidden", "webmail", "unverified"]}}

    async def post_webhooks_n8n_enrichment_complete(self, path: str) -> Arranged:
        [row_id] = await add_rows(self.db, "contact", 1)
        moment = datetime.now(UTC).isoformat()
        body = {"contact_id": str(row_id), "enrichment_id": self.name(), "status": "complete"}
        return await self.signed(path, {**body, "timestamp": moment})

    async def post_webhooks_n8n_opt_outs(self, path: str) -> Arranged:
        return await self.signed(path, {"emails": [f"{self.name()}@firma.de"], "reason": "bounce"})

    async def signed(self, path: str, message: dict[str, Any]) -> Arranged:
        secret, body = await add_workflow(self.db, name=self.name()), json.dumps(message).encode()
        return path, {"content": body, "headers": sign(secret, body, message=self.name())}

    # ---- presets

    async def post_rules(self, path: str) -> Arranged:
        body = {"name": self.name(), "entity": "page", "filter": {"page_type": "login"}, "decision": "Maybe"}
        return path, {"json": body}

    async def rule(self, path: str) -> Arranged:
        async with self.db.connect() as connection:
            rule_id = (await connection.execute(select(tables.rules.c.id))).scalar_one()
        return path.format(rule_id=rule_id), {"json": {"name": self.name()}}

    patch_rules_rule_id = rule

    async def delete_rules_rule_id(self, path: str) -> Arranged:
        return (await self.rule(path))[0], {}

    async def post_column_mappings(self, path: str) -> Arranged:
        return path, {"json": {"name": self.name(), "columns": {"name": "Firm"}}}

    async def patch_column_mappings_mapping_id(self, path: str) -> Arranged:
        values = {"tenant_id": TENANT, "name": self.name(), "columns": {"name": "Firm"}}
        mapping_id = await self.add(tables.column_mappings, **values)
        return path.format(mapping_id=mapping_id), {"json": {"name": self.name()}}

    async def delete_column_mappings_mapping_id(self, path: str) -> Arranged:
        where, _ = await self.patch_column_mappings_mapping_id(path)
        return where, {}

    async def post_searches_import_csv(self, path: str) -> Arranged:
        return path, {"files": {"file": ("list.csv", b"name\nShop\n")}}

    async def post_views(self, path: str) -> Arranged:
        return path, {"json": {"name": self.name(), "entity": "page"}}

    async def view(self, path: str) -> Arranged:
        async with self.db.connect() as connection:
            view_id = (await connection.execute(select(tables.saved_views.c.id))).scalar()
        return path.format(view_id=view_id), {"json": {"name": self.name()}}

    patch_views_view_id = view

    async def delete_views_view_id(self, path: str) -> Arranged:
        return (await self.view(path))[0], {}

    async def post_schedules(self, path: str) -> Arranged:
        return path, {"json": {"name": self.name(), "kind": "crawl", "every_days": 7}}

    async def schedule(self, path: str) -> Arranged:
        schedule_id = await self.add(
            tables.schedules,
            tenant_id=TENANT,
            user_id=WHO.user_id,
            name=self.name(),
            kind="crawl",
            every_days=7,
            time_of_day="06:00",
            time_zone="UTC",
            next_run_at=datetime(2100, 1, 1, tzinfo=UTC),
            is_enabled=not path.endswith("/resume"),
        )
        return path.format(schedule_id=schedule_id), {}

    post_schedules_schedule_id_pause = post_schedules_schedule_id_resume = schedule
    post_schedules_schedule_id_run = delete_schedules_schedule_id = schedule

    # ---- people's data

    async def suppressions(self, path: str) -> Arranged:
        return path, {"json": {"entries": [f"{self.name()}@firma.de"], "reason": "objected"}}

    post_suppressions = post_suppressions_all_tenants = post_erasures = suppressions

    async def post_suppressions_import_csv(self, path: str) -> Arranged:
        file = ("list.csv", f"{self.name()}@firma.de".encode())
        return path, {"data": {"reason": "old list"}, "files": {"file": file}}

    async def delete_suppressions_suppression_id(self, path: str) -> Arranged:
        row = {"tenant_id": TENANT, "kind": "email", "keyed_hash": bytes(32), "reason": "x"}
        return path.format(suppression_id=await self.add(tables.suppressions, **row)), {}


def changing_routes() -> list[tuple[str, str]]:
    routes = [
        (method.upper(), path.removeprefix(PREFIX))
        for path, methods in openapi_document()["paths"].items()
        for method in methods
        if method != "get"
    ]
    return [route for route in routes if " ".join(route) not in UNCHANGING]


@pytest.fixture
async def ask(
    open_api: Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]],
    places_file: str,
    db: AsyncEngine,
) -> AsyncIterator[Callable[..., Awaitable[httpx.Response]]]:
    """Requests of an administrator, unless they bring other credentials."""
    boss = cookie(await add_session(db, await add_person(db, BOSS)))

    async with open_api(overture_path=places_file) as api:

        async def send(method: str, address: str, **arguments: Any) -> httpx.Response:
            headers = {**boss, **arguments.pop("headers", {})}
            answer = await api.request(method, f"{PREFIX}{address}", headers=headers, **arguments)
            api.cookies.clear()
            return answer

        yield send


async def entries(db: AsyncEngine) -> dict[tuple[uuid.UUID, int], Any]:
    """The whole log, of all tenants."""
    async with db.connect() as connection:
        rows = await connection.execute(tables.audit_log.select())
    return {(row.tenant_id, row.number): row for row in rows}


async def test_every_request_that_changes_something_has_one_audit_entry(
    ask: Callable[..., Awaitable[httpx.Response]], db: AsyncEngine
) -> None:
    installation, wrong, actions = Installation(db), [], set()
    last_operation = ""
    for method, path in changing_routes():
        if path == "/operations/{operation_id}/undo":
            address, arguments = path.format(operation_id=last_operation), dict[str, Any]()
        else:
            address, arguments = await installation.arrange(method, path)
        before = await entries(db)
        answer = await ask(method, address, **arguments)
        assert answer.is_success, (method, path, answer.text)
        made = [entry for key, entry in (await entries(db)).items() if key not in before]
        if len(made) != 1 or made[0].correlation_id != answer.headers["X-Correlation-Id"]:
            wrong.append((method, path, [entry.action for entry in made]))
            continue
        actions.add(made[0].action)
        if made[0].operation_id and made[0].action == "page.curate":
            last_operation = str(made[0].operation_id)
        if path.startswith("/webhooks/"):
            # The workflow that signed the message, whoever else is known.
            assert made[0].actor.startswith("n8n "), made[0].actor
        elif path not in ("/session", "/setup") and made[0].actor != BOSS:
            wrong.append((method, path, made[0].actor))
    assert wrong == []
    assert len(actions) > 40
