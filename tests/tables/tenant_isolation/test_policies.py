"""Tenants are kept apart by the database itself (C4): asked of its catalogue, for every table."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.database import tenant_engine
from scrapersky.errors import StartupError
from scrapersky.tables.migrate import migrate, prepare_server
from scrapersky.tables.tenant_isolation.policies import EVERYTHING, RIGHTS
from scrapersky.tables.tenant_isolation.roles import APP_ROLE, PREPARE_ROLE

# Tables without row-level security: what happens in the installation as a whole, with nobody's rows in it.
NOBODYS_ROWS = {
    "alembic_version": "requests have no right to it",
    "alerts": "troubles of the installation; they name stages, not rows",
    "login_failures": "requests have no right to it",
    "service_calls": "how often a service was called for all, by month",
    "setup_links": "requests have no right to it",
    "scheduler_slots": "when the jobs of the fleet ran",
    "stage_controls": "which stages are paused, for all",
    "stage_stats": "figures of the fleet",
    "stage_totals": "figures of the fleet",
    "workers": "processes of the fleet",
}
# Tables that only the owner uses, before it is known who the caller is.
NO_RIGHTS = {name for name, rights in RIGHTS.items() if not rights}
# Keys without the tenant, and why no tenant learns from them or gets into the way of another.
KEYS_OVER_ALL_TENANTS = {
    "uq_sessions_token_hash": "a cookie is looked up before its tenant is known",
    "uq_users_os_user": "a command is looked up by its user before its tenant is known",
    "uq_users_email": "people sign in with the address alone; only admins add accounts",
    "uq_api_keys_key_prefix": "a caller with a key names no tenant; we choose the prefix at random",
    "uq_suppressions_all": "holds for every tenant, and no request may write such a row",
}
# Callers never choose an identifier, so one that is taken already tells them nothing.
IDENTIFIER = re.compile(r"id|(page|sitemap_file|operation|row)_id")
# The system user and administrators of the installation act in every tenant; requests cannot set these.
SIGNATURES = {"created_by", "updated_by"}

TABLES = """SELECT c.oid, c.relname AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
  EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS has_tenant
FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace"""
UNIQUE_KEYS = """SELECT t.relname AS table, i.relname AS name, k.indisprimary AS is_primary,
  array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = i.oid ORDER BY a.attnum) AS columns
FROM pg_index k JOIN pg_class i ON i.oid = k.indexrelid JOIN pg_class t ON t.oid = k.indrelid
WHERE k.indisunique AND t.relnamespace = 'public'::regnamespace"""
LINKS = """SELECT k.conname AS name,
  k.conrelid::regclass::text AS table, k.confrelid::regclass::text AS parent,
  array(SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) AS columns
FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace"""
GRANTS = """SELECT c.relname AS table, lower(a.privilege_type) AS privilege, NULL AS column
FROM pg_class c, aclexplode(c.relacl) a
WHERE a.grantee = CAST(:role AS regrole) AND c.relnamespace = 'public'::regnamespace
UNION ALL SELECT c.relname, lower(a.privilege_type), t.attname::text
FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
WHERE a.grantee = CAST(:role AS regrole)"""
DEFINERS = """SELECT p.proname AS name, p.proconfig AS config,
  p.prorettype = 'trigger'::regtype AS is_trigger,
  EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0)
    AS for_everybody
FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace"""


@pytest.fixture
async def plain_db(plain_database_url: str) -> AsyncIterator[AsyncEngine]:
    """A database whose owner is subject to row-level security."""
    engine = create_async_engine(plain_database_url)
    yield engine
    await engine.dispose()


async def rows(engine: AsyncEngine, query: str, **values: Any) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(text(query), values)).all())


async def test_every_table_with_somebodys_rows_has_forced_policies(db: AsyncEngine) -> None:
    found = await rows(db, TABLES)
    assert {table.name for table in found} == {*tables.metadata.tables, "alembic_version"}
    open_tables = {table.name for table in found if not (table.enabled and table.forced)}
    assert open_tables == {*NOBODYS_ROWS, *NO_RIGHTS}
    assert not [table.name for table in found if table.has_tenant and table.name in open_tables]


async def test_the_policy_of_a_request_holds_for_reading_and_for_writing(db: AsyncEngine) -> None:
    policies = await rows(db, "SELECT * FROM pg_policies WHERE schemaname = 'public'")
    [owner] = await rows(db, "SELECT current_user::text AS name")
    of_tables: dict[str, dict[str, Any]] = {}
    for policy in policies:
        of_tables.setdefault(policy.tablename, {})[policy.policyname] = policy
    assert set(of_tables) == set(tables.metadata.tables) - set(NOBODYS_ROWS) - NO_RIGHTS
    for name, its in of_tables.items():
        assert set(its) <= {"tenant", "owner", "shared"}, name
        tenant, of_owner = its["tenant"], its["owner"]
        assert (tenant.roles, tenant.cmd, tenant.permissive) == ([APP_ROLE], "ALL", "PERMISSIVE")
        assert tenant.qual == tenant.with_check, name
        assert "scrapersky_tenant()" in tenant.qual or "domains" in tenant.qual, name
        assert (of_owner.roles, of_owner.qual, of_owner.with_check) == ([owner.name], "true", "true")
        assert "shared" not in its or its["shared"].cmd == "SELECT"


async def test_the_tenant_is_in_every_unique_key_and_every_link(db: AsyncEngine) -> None:
    with_tenant = {table.name for table in await rows(db, TABLES) if table.has_tenant}
    keys = [key for key in await rows(db, UNIQUE_KEYS) if key.table in with_tenant]
    bare = {
        key.name
        for key in keys
        if "tenant_id" not in key.columns
        and not (key.is_primary and all(IDENTIFIER.fullmatch(column) for column in key.columns))
    }
    assert bare == set(KEYS_OVER_ALL_TENANTS)
    links = [link for link in await rows(db, LINKS) if {link.table, link.parent} <= with_tenant]
    assert len(links) > 20
    bare_links = {link.name: set(link.columns) for link in links if "tenant_id" not in link.columns}
    assert {name for name, columns in bare_links.items() if not columns <= SIGNATURES} == set()


async def test_the_role_of_requests_is_nobody_special(db: AsyncEngine) -> None:
    [role] = await rows(db, "SELECT * FROM pg_roles WHERE rolname = :name", name=APP_ROLE)
    powers = ("super", "bypassrls", "canlogin", "createrole", "createdb", "replication")
    assert [power for power in powers if getattr(role, f"rol{power}")] == []
    owned = "SELECT 1 FROM pg_shdepend WHERE refobjid = CAST(:name AS regrole) AND deptype = 'o'"
    assert await rows(db, owned, name=APP_ROLE) == []
    assert (
        await rows(db, "SELECT 1 FROM pg_auth_members WHERE member = CAST(:n AS regrole)", n=APP_ROLE) == []
    )


async def test_a_request_has_exactly_the_rights_that_are_listed(db: AsyncEngine) -> None:
    whole: dict[str, set[str]] = {}
    columns: dict[str, set[str]] = {}
    for grant in await rows(db, GRANTS, role=APP_ROLE):
        of_table = whole if grant.column is None else columns
        of_table.setdefault(grant.table, set()).add(grant.column or grant.privilege)
    wanted = {name: RIGHTS.get(name, EVERYTHING) for name in tables.metadata.tables}
    assert whole == {
        name: set(re.sub(r", UPDATE \(.*\)", "", rights).lower().split(", "))
        for name, rights in wanted.items()
        if rights
    }
    assert set(columns) == {"hosts"}
    assert not columns["hosts"] & {"host", "robots_txt", "worker", "lease_seq"}


async def test_functions_that_run_as_the_owner_trust_no_search_path(db: AsyncEngine) -> None:
    definers = {function.name: function for function in await rows(db, DEFINERS)}
    assert {"search_pages", "search_contacts", "pages_count_update", "read_page_wake"} <= set(definers)
    for name, function in definers.items():
        assert function.config == ["search_path=pg_catalog, public, pg_temp"], name
        assert function.is_trigger or not function.for_everybody, name


async def test_a_view_shows_what_its_reader_may_see(db: AsyncEngine) -> None:
    views = "SELECT relname, reloptions FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = :schema"
    [schema] = await rows(db, "SELECT 'public'::regnamespace::oid AS oid")
    found = await rows(db, views.replace(":schema", str(schema.oid)))
    assert [view.relname for view in found if "security_invoker=true" not in (view.reloptions or [])] == []


@pytest.mark.parametrize("tenant", [None, "", "somebody", "0", str(TENANT)[:-1]])
async def test_without_a_proper_tenant_no_row_is_read(tenant: str | None, make: Any, db: AsyncEngine) -> None:
    await make("pages")
    async with db.connect() as connection:
        await connection.execute(text("SELECT set_config('role', :role, true)"), {"role": APP_ROLE})
        if tenant is not None:
            setting = text("SELECT set_config('scrapersky.tenant', :tenant, true)")
            await connection.execute(setting, {"tenant": tenant})
        for name in sorted(set(tables.metadata.tables) - {*NOBODYS_ROWS, *NO_RIGHTS, "credits", "hosts"}):
            point = await connection.begin_nested()
            try:
                found = await connection.scalar(text(f"SELECT count(*) FROM {name}"))
                assert found == 0, name
            except DBAPIError as error:
                assert "uuid" in str(error) or "scrapersky.tenant" in str(error), name  # noqa: PT017
            await point.rollback()


async def two_tenants(engine: AsyncEngine) -> Any:
    """The default tenant and another, each with a domain of the same name; gives the id of the other."""
    other = uuid4()
    async with engine.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
        for tenant in (TENANT, other):
            values = {"tenant_id": tenant, "domain": "shop.example", "host": "shop.example"}
            await connection.execute(insert(tables.domains).values(values))
    return other


async def test_a_request_can_neither_give_nor_take_rows(db: AsyncEngine) -> None:
    other = await two_tenants(db)
    mine = tenant_engine(db, TENANT)
    async with mine.begin() as connection:
        assert (await connection.execute(text("UPDATE domains SET title = 'x'"))).rowcount == 1
        assert (await connection.execute(text("DELETE FROM domains WHERE title IS NULL"))).rowcount == 0
    for attack in (
        "INSERT INTO domains (tenant_id, domain, host) VALUES (:other, 'new.example', 'new.example')",
        "UPDATE domains SET tenant_id = :other",
        "INSERT INTO suppressions (tenant_id, kind, keyed_hash, reason) "
        "VALUES (NULL, 'email', sha256(''), 'all')",
    ):
        values = {"other": other} if ":other" in attack else {}
        async with mine.connect() as connection:
            with pytest.raises(DBAPIError, match="row-level security"):
                await connection.execute(text(attack), values)
    [theirs] = await rows(db, "SELECT title FROM domains WHERE tenant_id = :other", other=other)
    assert theirs.title is None


async def test_a_suppression_for_all_is_seen_by_all(db: AsyncEngine) -> None:
    other = await two_tenants(db)
    values = [
        {"tenant_id": tenant, "kind": "email", "keyed_hash": bytes([number]) * 32, "reason": "asked"}
        for number, tenant in enumerate((None, TENANT, other))
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.suppressions), values)
    seen = "SELECT tenant_id FROM suppressions"
    assert {row.tenant_id for row in await rows(tenant_engine(db, TENANT), seen)} == {None, TENANT}
    async with tenant_engine(db, TENANT).begin() as connection:
        assert (await connection.execute(text("DELETE FROM suppressions"))).rowcount == 1


async def test_hosts_of_others_are_not_seen(db: AsyncEngine) -> None:
    other = await two_tenants(db)
    async with db.begin() as connection:
        theirs = {"tenant_id": other, "domain": "theirs.example", "host": "theirs.example"}
        await connection.execute(insert(tables.domains).values(theirs))
        names = [{"host": "nobodys.example"}]
        await connection.execute(insert(tables.hosts), names)
        spent = [{"day": text("now()"), "host": host, "spent": 1} for host in ("", "theirs.example")]
        for row in spent:
            await connection.execute(insert(tables.credits).values(row))
    mine = tenant_engine(db, TENANT)
    assert [row.host for row in await rows(mine, "SELECT host FROM hosts")] == ["shop.example"]
    assert [row.host for row in await rows(mine, "SELECT host FROM credits")] == [""]
    async with mine.begin() as connection:
        update = text("UPDATE hosts SET backoff_until = now()")
        assert (await connection.execute(update)).rowcount == 1


async def test_rows_that_a_request_writes_are_counted_and_wake_the_workers(
    db: AsyncEngine, plain_db: AsyncEngine
) -> None:
    """Triggers write where the request itself may not, whoever owns the tables."""
    await check_triggers(db)
    await check_triggers(plain_db)


async def check_triggers(engine: AsyncEngine) -> None:
    other = await two_tenants(engine)
    mine = tenant_engine(engine, TENANT)
    async with mine.begin() as connection:
        domain = await connection.scalar(select(tables.domains.c.id))
        page = {"domain_id": domain, "url": "https://shop.example/1", "page_processing_status": "Queued"}
        await connection.execute(insert(tables.pages).values(tenant_id=TENANT, **page))
        job = insert(tables.jobs).values(tenant_id=TENANT, job_type="note", created_by=USER)
        assert (await connection.execute(job.returning(tables.jobs.c.id))).scalar_one() > 0
    [host] = await rows(engine, "SELECT * FROM hosts WHERE read_page_waiting_since IS NOT NULL")
    assert host.host == "shop.example"
    count = "SELECT sum(number) AS number FROM row_count_changes WHERE table_name = 'pages'"
    assert [row.number for row in await rows(mine, count)] == [1]
    assert [row.number for row in await rows(tenant_engine(engine, other), count)] == [None]
    async with mine.connect() as connection:
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("DELETE FROM row_count_changes"))


async def test_an_owner_who_is_no_superuser_sees_all_tenants(plain_db: AsyncEngine) -> None:
    await two_tenants(plain_db)
    [owner] = await rows(plain_db, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    assert not owner.rolsuper
    assert len(await rows(plain_db, "SELECT 1 FROM domains")) == 2
    assert len(await rows(tenant_engine(plain_db, TENANT), "SELECT 1 FROM domains")) == 1


async def test_a_connection_without_transactions_is_refused(db: AsyncEngine) -> None:
    careless = tenant_engine(db, TENANT).execution_options(isolation_level="AUTOCOMMIT")
    with pytest.raises(RuntimeError, match="as the owner"):
        await rows(careless, "SELECT 1 FROM domains")


async def test_who_may_not_create_roles_is_told_what_to_run(
    server_url: Any, plain_db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the name of a role that does not exist yet; the real one exists once per server."""
    role = f"app_{uuid4().hex[:8]}"
    script = PREPARE_ROLE.replace(APP_ROLE, role)
    [owner] = await rows(plain_db, "SELECT current_user::text AS name")
    admin = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
    monkeypatch.setattr("scrapersky.tables.tenant_isolation.roles.PREPARE_ROLE", script)
    try:
        for wanted in (f"CREATE ROLE {role} NOLOGIN; GRANT {role} TO {owner.name};", f"GRANT {role} TO "):
            with pytest.raises(StartupError) as refused:
                await prepare(plain_db)
            [line] = str(refused.value).splitlines()
            assert wanted in line
            # At first only half of it is done, so the second line asks for the other half.
            command = line.split("must run: ")[1].split(";")
            async with admin.connect() as connection:
                await connection.execute(text(command[0]))
        await prepare(plain_db)
        async with admin.connect() as connection:
            await connection.execute(text(f"ALTER ROLE {role} BYPASSRLS"))
        with pytest.raises(StartupError, match="would see every tenant"):
            await prepare(plain_db)
    finally:
        async with admin.connect() as connection:
            await connection.execute(text(f"DROP ROLE IF EXISTS {role}"))
        await admin.dispose()


async def prepare(engine: AsyncEngine) -> None:
    await prepare_server(make_url(str(engine.url)).render_as_string(hide_password=False))


async def test_an_owner_of_another_name_gets_the_policies_of_the_owner(
    server_url: Any, db: AsyncEngine, database_url: str
) -> None:
    """As after a restore under another name, or REASSIGN OWNED."""
    async with db.begin() as connection:
        await connection.execute(text(f"ALTER POLICY owner ON pages TO {APP_ROLE}"))
        await connection.execute(text("DROP POLICY tenant ON pages"))
        await connection.execute(text("DROP POLICY owner ON contacts"))
    await migrate(database_url)
    await test_the_policy_of_a_request_holds_for_reading_and_for_writing(db)
