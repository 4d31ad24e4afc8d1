"""The audit log: who changed what, in a chain of hashes for each tenant, with values that can be erased."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, metadata, tenant_column

# The last entry of each tenant's chain: whoever adds an entry locks it, and a cut end is noticed.
audit_heads = sa.Table(
    "audit_heads",
    metadata,
    sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
    # The oldest entry that retention has left, and the newest.
    sa.Column("first_number", sa.BigInteger, nullable=False, server_default=sa.text("1")),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    postgresql_with={"fillfactor": 50},
)

# Entries name people by id and say which fields changed; rows are added, never changed.
audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
    # The place in the chain, the two hashes and the time are set by the trigger, whatever the writer says.
    sa.Column("number", sa.BigInteger, sa.FetchedValue(), primary_key=True, autoincrement=False),
    # No foreign key: the entry outlives the user.
    sa.Column("user_id", sa.Uuid),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("table_name", sa.Text),
    sa.Column("row_id", sa.Text),
    sa.Column("changed_fields", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("correlation_id", sa.Text),
    sa.Column("operation_id", sa.Uuid),
    # A hash of the values with a random key; once the key is erased with them, nobody can guess them.
    sa.Column("values_hash", sa.LargeBinary),
    sa.Column("previous_hash", sa.LargeBinary, sa.FetchedValue(), nullable=False),
    sa.Column("hash", sa.LargeBinary, sa.FetchedValue(), nullable=False),
    sa.Column("created_at", Timestamp, sa.FetchedValue(), nullable=False),
    sa.Index("ix_audit_log_created_at", "created_at"),
    constraints.filled_index("ix_audit_log_row_id", "row_id", "tenant_id"),
    *constraints.max_lengths(actor=254, action=100, table_name=63, row_id=200, correlation_id=200),
)

# The values before and after, and the key of their hash. Erasing a row leaves the log verifiable.
audit_values = sa.Table(
    "audit_values",
    metadata,
    tenant_column(),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("key", sa.LargeBinary, nullable=False),
    sa.Column("before", JSONB(none_as_null=True)),
    sa.Column("after", JSONB(none_as_null=True)),
    sa.Column("created_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.PrimaryKeyConstraint("tenant_id", "number"),
    sa.ForeignKeyConstraint(
        ["tenant_id", "number"], ["audit_log.tenant_id", "audit_log.number"], ondelete="CASCADE"
    ),
    sa.CheckConstraint("octet_length(key) = 32", name="key_length"),
    sa.Index("ix_audit_values_created_at", "created_at"),
)

VALUES_HASH = """CREATE FUNCTION audit_values_hash(key bytea, before jsonb, after jsonb) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT sha256(key || convert_to(jsonb_build_array(before, after)::text, 'UTF8')) $$"""

# Over everything in the entry and the hash before it; the time as a number, because text depends on the zone.
ENTRY_HASH = """CREATE FUNCTION audit_entry_hash(entry audit_log) RETURNS bytea
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(entry.previous_hash || convert_to(jsonb_build_array(
    entry.tenant_id, entry.number, entry.user_id, entry.actor, entry.action, entry.table_name, entry.row_id,
    entry.changed_fields, entry.correlation_id, entry.operation_id, encode(entry.values_hash, 'hex'),
    (extract(epoch FROM entry.created_at) * 1000000)::bigint)::text, 'UTF8')) $$"""

# Runs as the owner, because a request may not write the head. The lock lasts until the writer's transaction
# ends, so the numbers have no gaps and the order of the chain is that of the commits.
CHAIN = """CREATE FUNCTION audit_log_chain() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$ BEGIN
  INSERT INTO audit_heads AS head (tenant_id, number, hash) VALUES (NEW.tenant_id, 1, sha256(''))
    ON CONFLICT (tenant_id) DO UPDATE SET number = head.number + 1
    RETURNING number, hash INTO NEW.number, NEW.previous_hash;
  NEW.created_at := clock_timestamp();
  NEW.hash := audit_entry_hash(NEW);
  UPDATE audit_heads SET hash = NEW.hash WHERE tenant_id = NEW.tenant_id;
  RETURN NEW;
END $$"""

# Retention says that it is at work, in its own transaction; everybody else may only add.
GUARD = """CREATE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' AND current_setting('scrapersky.retention', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the audit log is only added to' USING ERRCODE = 'insufficient_privilege';
END $$"""

# The chain begins after what retention has deleted.
BEGINNING = """CREATE FUNCTION audit_log_beginning() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE audit_heads AS head SET first_number = greatest(head.first_number, gone.number + 1)
    FROM (SELECT tenant_id, max(number) AS number FROM old_rows GROUP BY tenant_id) AS gone
    WHERE head.tenant_id = gone.tenant_id;
  RETURN NULL;
END $$"""

VALUES_GUARD = """CREATE FUNCTION audit_values_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'values of the audit log are erased or kept, never changed'
    USING ERRCODE = 'insufficient_privilege';
END $$"""

AUDIT_STATEMENTS = [
    VALUES_HASH,
    ENTRY_HASH,
    CHAIN,
    GUARD,
    BEGINNING,
    VALUES_GUARD,
    "CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW"
    " EXECUTE FUNCTION audit_log_chain()",
    "CREATE TRIGGER audit_log_guard BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW"
    " EXECUTE FUNCTION audit_log_guard()",
    "CREATE TRIGGER audit_log_guard_all BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT"
    " EXECUTE FUNCTION audit_log_guard()",
    "CREATE TRIGGER audit_log_beginning AFTER DELETE ON audit_log REFERENCING OLD TABLE AS old_rows"
    " FOR EACH STATEMENT EXECUTE FUNCTION audit_log_beginning()",
    "CREATE TRIGGER audit_values_guard BEFORE UPDATE ON audit_values FOR EACH ROW"
    " EXECUTE FUNCTION audit_values_guard()",
]
