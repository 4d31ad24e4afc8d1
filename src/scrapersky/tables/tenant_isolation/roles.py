"""The role that requests act as, and how a transaction becomes that of one tenant."""

from __future__ import annotations

from sqlalchemy import Connection, text

APP_ROLE = "scrapersky_app"
# Our own SQLSTATE: the role cannot be prepared, and the message says what an administrator must run.
ROLE_UNAVAILABLE = "SKY01"

# The role belongs to the whole server, so another database of ours may have made it, even at this moment.
# Since PostgreSQL 16 membership alone does not allow SET ROLE; the right has a name of its own.
PREPARE_ROLE = f"""DO $do$ DECLARE
  privilege text := CASE WHEN current_setting('server_version_num')::int >= 160000
    THEN 'SET' ELSE 'MEMBER' END;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{APP_ROLE}') THEN
    BEGIN
      CREATE ROLE {APP_ROLE} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION USING ERRCODE = '{ROLE_UNAVAILABLE}', MESSAGE = format('%1$s may not create the role '
          '{APP_ROLE}; an administrator must run: CREATE ROLE {APP_ROLE} NOLOGIN; GRANT {APP_ROLE} TO %1$I;',
          current_user);
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = '{APP_ROLE}' AND (rolsuper OR rolbypassrls)) THEN
    RAISE EXCEPTION USING ERRCODE = '{ROLE_UNAVAILABLE}', MESSAGE = 'the role {APP_ROLE} would see every '
      'tenant; an administrator must run: ALTER ROLE {APP_ROLE} NOSUPERUSER NOBYPASSRLS;';
  END IF;
  IF NOT pg_has_role(current_user, '{APP_ROLE}', privilege) THEN
    BEGIN
      EXECUTE format('GRANT {APP_ROLE} TO %I', current_user);
    EXCEPTION
      WHEN unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION USING ERRCODE = '{ROLE_UNAVAILABLE}', MESSAGE = format('%1$s may not act as the role '
          '{APP_ROLE}; an administrator must run: GRANT {APP_ROLE} TO %1$I;', current_user);
    END;
  END IF;
END $do$"""  # noqa: S608 - the names are ours.

# Raises unless the transaction names a tenant: a setting that was never set, the empty text that a setting
# becomes after the transaction that set it, and anything else but a UUID.
CURRENT_TENANT = """CREATE FUNCTION scrapersky_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT current_setting('scrapersky.tenant')::uuid $$"""

# For this transaction alone, so that a connection that returns to the pool is the owner's again. A plan for
# any value would be wrong for most: a filter matches ten rows or a million.
ENTER_TENANT = """SELECT set_config('role', $1, true), set_config('scrapersky.tenant', $2, true),
  set_config('scrapersky.correlation_id', $3, true),
  set_config('plan_cache_mode', 'force_custom_plan', true)"""


def enter_tenant(connection: Connection, tenant_id: str, correlation_id: str = "") -> None:
    """Confine the transaction, from its first statement to its end, to the tenant's rows."""
    connection.exec_driver_sql(ENTER_TENANT, (APP_ROLE, tenant_id, correlation_id))


def prepare_role(connection: Connection) -> None:
    """Make the role where it is missing and let us act as it."""
    connection.execute(text(PREPARE_ROLE))
