"""The whole schema as statements: tables, indexes, functions and triggers, in the order they can be made."""

from __future__ import annotations

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.schema import CreateIndex, CreateTable

from scrapersky.declarations import COLUMN_OWNERS, DECLARATIONS
from scrapersky.declarations.facets import FACETS
from scrapersky.declarations.queue import Queue
from scrapersky.engine.ddl import queue_triggers
from scrapersky.tables.audit_tables import AUDIT_STATEMENTS
from scrapersky.tables.columns import metadata
from scrapersky.tables.counts import count_triggers
from scrapersky.tables.score_tables import IS_SCORING, SCORE_STATEMENTS
from scrapersky.tables.search_tables import IS_MATCHING, MATCH_STATEMENTS
from scrapersky.tables.tenant_isolation import isolation_statements

# Text is found without it too, only slower: a server that has none, or forbids it, is good enough.
TRIGRAMS = """DO $do$ BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'pg_trgm may not be installed here; searching text will be slow';
END $do$"""

# PostgreSQL 18 makes such identifiers itself; older servers put the time into a random one.
MAKE_ID = """DO $do$ BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    CREATE FUNCTION scrapersky_uuid7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT uuidv7()';
  ELSE
    CREATE FUNCTION scrapersky_uuid7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
      SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid $$;
  END IF;
END $do$"""

TOUCH = """CREATE FUNCTION scrapersky_touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.updated_at := now(); RETURN NEW;
END $$"""

# A row written by hand, without the politeness key, gets the key of its domain.
HOST_OF_DOMAIN = """CREATE FUNCTION scrapersky_host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  SELECT d.host INTO NEW.host FROM domains d WHERE d.id = NEW.domain_id; RETURN NEW;
END $$"""
HOST_IS_DOMAIN = """CREATE FUNCTION domains_host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.host := NEW.domain; RETURN NEW;
END $$"""
HOST_TRIGGERS = [
    "CREATE TRIGGER domains_0_host BEFORE INSERT ON domains FOR EACH ROW"
    " WHEN (NEW.host IS NULL) EXECUTE FUNCTION domains_host()",
    "CREATE TRIGGER sitemap_files_0_host BEFORE INSERT ON sitemap_files FOR EACH ROW"
    " WHEN (NEW.host IS NULL) EXECUTE FUNCTION scrapersky_host()",
    "CREATE TRIGGER pages_0_host BEFORE INSERT ON pages FOR EACH ROW"
    " WHEN (NEW.host IS NULL) EXECUTE FUNCTION scrapersky_host()",
    "CREATE TRIGGER jobs_0_host BEFORE INSERT ON jobs FOR EACH ROW"
    " WHEN (NEW.host = '' AND NEW.domain_id IS NOT NULL) EXECUTE FUNCTION scrapersky_host()",
]

# The bodies are compressed before they are stored.
# What we think of a row is not a change of the row.
OPINIONS = {"contacts": IS_SCORING, "places_staging": IS_MATCHING}
BODIES_AS_THEY_ARE = "ALTER TABLE page_bodies ALTER COLUMN body SET STORAGE EXTERNAL"


def schema_statements() -> list[str]:
    """Everything that makes an empty database ours, but for its first rows."""
    dialect = asyncpg.dialect()  # type: ignore[no-untyped-call]
    tables = metadata.sorted_tables
    made = [str(CreateTable(table).compile(dialect=dialect)) for table in tables]
    indexes = [
        index for table in tables for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    made += [_index(str(CreateIndex(index).compile(dialect=dialect))) for index in indexes]
    functions = [TRIGRAMS, MAKE_ID, TOUCH, HOST_OF_DOMAIN, HOST_IS_DOMAIN]
    statements = [*functions, *made, BODIES_AS_THEY_ARE, *HOST_TRIGGERS, *AUDIT_STATEMENTS]
    statements += [*SCORE_STATEMENTS, *MATCH_STATEMENTS]
    statements += [_touch_trigger(table) for table in tables if "updated_at" in table.c]
    statements += [statement for queue in DECLARATIONS for statement in _rules_of(queue)]
    statements += [statement for table in FACETS for statement in count_triggers(table)]
    statements += isolation_statements(list(tables))
    return [_tidy(statement) for statement in statements]


def _index(statement: str) -> str:
    if "gin_trgm_ops" not in statement:
        return statement
    has = "EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')"
    return f"DO $do$ BEGIN\n  IF {has} THEN\n    {statement};\n  END IF;\nEND $do$"


def _rules_of(queue: Queue) -> list[str]:
    statements = queue_triggers(queue)
    if queue in COLUMN_OWNERS:
        return statements
    # The owner of the columns already guards the status; this stage only needs to be woken.
    return [statement for statement in statements if f"{queue.name}_wake" in statement]


def _touch_trigger(table: Table) -> str:
    # The renewal of a lease is a sign of life of the worker, not a change of the row.
    renewals = [
        f"(NEW.{queue.status} = OLD.{queue.status}"
        f" AND NEW.{queue.column('lease_until')} > OLD.{queue.column('lease_until')})"
        for queue in COLUMN_OWNERS
        if queue.table == table.name
    ]
    renewals += [OPINIONS[table.name]] if table.name in OPINIONS else []
    unless = f" AND NOT coalesce({' OR '.join(renewals)}, false)" if renewals else ""
    return (
        f"CREATE TRIGGER {table.name}_touch BEFORE UPDATE ON {table.name} FOR EACH ROW"
        f" WHEN (NEW.updated_at = OLD.updated_at{unless}) EXECUTE FUNCTION scrapersky_touch()"
    )


def _tidy(statement: str) -> str:
    lines = [line.replace("\t", "  ").rstrip() for line in statement.strip().splitlines()]
    return "\n".join(line for line in lines if line)
