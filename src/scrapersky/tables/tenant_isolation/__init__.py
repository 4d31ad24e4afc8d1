"""Row-level security: a transaction that serves a request runs as a role that sees one tenant's rows."""

from scrapersky.tables.tenant_isolation.policies import (
    complete_policies,
    isolation_statements,
    partly_hidden_tables,
)
from scrapersky.tables.tenant_isolation.roles import APP_ROLE, ROLE_UNAVAILABLE, enter_tenant, prepare_role

__all__ = [
    "APP_ROLE",
    "ROLE_UNAVAILABLE",
    "complete_policies",
    "enter_tenant",
    "isolation_statements",
    "partly_hidden_tables",
    "prepare_role",
]
