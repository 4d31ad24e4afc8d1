"""What requests may do with each table, and the policies that show them one tenant's rows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, text

from scrapersky.declarations import DECLARATIONS, POLITE_DECLARATIONS
from scrapersky.declarations.facets import FACETS
from scrapersky.tables.columns import metadata
from scrapersky.tables.tenant_isolation.roles import APP_ROLE, CURRENT_TENANT, PREPARE_ROLE
from scrapersky.tables.tenant_isolation.search_functions import search_statements

OWN_ROWS = "tenant_id = scrapersky_tenant()"
OWN_HOSTS = "EXISTS (SELECT FROM domains WHERE domains.host = {table}.host)"
# Who the rows belong to where no tenant_id says so.
ROW_OWNERS = {
    "tenants": "id = scrapersky_tenant()",
    # Hosts are called for all tenants together; a request sees those of its own domains.
    "hosts": OWN_HOSTS.format(table="hosts"),
    "credits": f"host = '' OR {OWN_HOSTS.format(table='credits')}",
}
# A person may end the pause of a host (actions/hosts.py).
HOST_PAUSE_COLUMNS = (
    "next_allowed_at", "consecutive_errors", "backoff_until", "backoff_reason", "robots_status",
    "robots_retry_at", *(queue.waiting_since for queue in POLITE_DECLARATIONS),
)  # fmt: skip
EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"
# What requests need of tables that are not simply their tenant's own. Triggers and workers write the others.
RIGHTS = {
    "audit_heads": "SELECT",
    "audit_log": "SELECT, INSERT",
    "audit_values": "SELECT, INSERT",
    "failures": "SELECT",
    "import_notes": "SELECT",
    "osm_elements": "SELECT",
    "page_bodies": "SELECT",
    "page_sitemaps": "SELECT",
    "row_count_changes": "SELECT",
    "row_counts": "SELECT",
    "search_cells": "SELECT",
    "zombies": "SELECT",
    # Tables without a tenant_id; one that is not listed here cannot be made.
    "alerts": "SELECT",
    "credits": "SELECT",
    "daily_calls": "",
    "hosts": f"SELECT, UPDATE ({', '.join(HOST_PAUSE_COLUMNS)})",
    "scheduler_slots": "SELECT",
    # The preview of a search makes free calls, which are counted too.
    "service_calls": "SELECT, INSERT, UPDATE",
    "stage_controls": "SELECT",
    "stage_stats": "SELECT",
    "stage_totals": "SELECT",
    "tenants": "SELECT",
    "workers": "SELECT",
    # Looked up before a caller is known, as the owner.
    "login_failures": "",
    "setup_links": "",
}
# Rows that every tenant may read although they are not its own.
SHARED_ROWS = {"suppressions": "tenant_id IS NULL"}


def isolation_statements(tables: list[Table]) -> list[str]:
    """The role, its rights, and the policies of every table."""
    statements = [PREPARE_ROLE, CURRENT_TENANT, f"GRANT USAGE ON SCHEMA public TO {APP_ROLE}"]
    for table in tables:
        if rights := _rights(table):
            statements.append(f"GRANT {rights} ON {table.name} TO {APP_ROLE}")
        if policies := policy_statements(table):
            statements += [
                f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY",
                f"ALTER TABLE {table.name} FORCE ROW LEVEL SECURITY",
                *policies.values(),
            ]
    return [*statements, *_trusted_triggers(), *search_statements(APP_ROLE)]


def _rights(table: Table) -> str:
    if "tenant_id" in table.c:
        return RIGHTS.get(table.name, EVERYTHING)
    if table.name not in RIGHTS:
        raise KeyError(f"{table.name} has no tenant_id: say in RIGHTS what a request may do with it")
    return RIGHTS[table.name]


def policy_statements(table: Table) -> dict[str, str]:
    """The statements that make the table's policies, by name; none if its rows belong to no tenant."""
    own = OWN_ROWS if "tenant_id" in table.c else ROW_OWNERS.get(table.name)
    if own is None:
        return {}
    create = f"CREATE POLICY {{}} ON {table.name}"
    policies = {
        "tenant": f"{create.format('tenant')} TO {APP_ROLE} USING ({own}) WITH CHECK ({own})",
        # Workers write as the owner, with the tenant in every key.
        "owner": f"{create.format('owner')} TO CURRENT_USER USING (true) WITH CHECK (true)",
    }
    if shared := SHARED_ROWS.get(table.name):
        policies["shared"] = f"{create.format('shared')} FOR SELECT TO {APP_ROLE} USING ({shared})"
    return policies


def _trusted_triggers() -> list[str]:
    """Triggers that write where a request may not: they run as the owner."""
    wakes = [f"{queue.name}_wake" for queue in DECLARATIONS if queue.host]
    counts = [f"{table}_count_{change}" for table in FACETS for change in ("insert", "update", "delete")]
    return [
        f"ALTER FUNCTION {name}() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"
        for name in (*wakes, *counts)
    ]


def complete_policies(connection: Connection) -> None:
    """Make the policies that are missing; those of the owner name whoever owns the tables now.

    A backup does not bring the owner's, because the owner may have another name here.
    """
    roles: dict[tuple[str, str], Any] = {
        (row.tablename, row.policyname): row.roles
        for row in connection.execute(
            text("SELECT tablename, policyname, roles::text[] FROM pg_policies WHERE schemaname = 'public'")
        )
    }
    owner = connection.scalar(text("SELECT current_user::text"))
    for table in metadata.sorted_tables:
        for name, statement in policy_statements(table).items():
            if (table.name, name) not in roles:
                connection.execute(text(statement))
            elif name == "owner" and roles[table.name, name] != [owner]:
                connection.execute(text(f"ALTER POLICY owner ON {table.name} TO CURRENT_USER"))


HIDDEN_TABLES = """SELECT c.relname FROM pg_class c
WHERE c.relrowsecurity AND row_security_active(c.oid) AND NOT EXISTS (
  SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'owner'
    AND p.polroles = ARRAY[current_user::regrole::oid])
ORDER BY c.relname"""


def partly_hidden_tables(connection: Connection) -> list[str]:
    """The tables whose policies apply to us and do not show us every row."""
    return list(connection.scalars(text(HIDDEN_TABLES)))
