"""How to speak to PostgreSQL through a pooler in transaction mode, such as PgBouncer.

Each transaction may run on another server connection, and between two of them nothing belongs to us: so
nothing stays prepared and nothing is set for a session. The limits of time are set in every transaction, and
a statement that would commit alone gets one, because outside of it there is no limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine

IN_TRANSACTIONS = "every_statement_in_a_transaction"
# Without a cache the driver uses the unnamed statement, which leaves nothing behind.
ARGUMENTS: Mapping[str, Any] = {"statement_cache_size": 0, "prepared_statement_cache_size": 0}


def limit_transactions(engine: AsyncEngine, limits: Mapping[str, str]) -> None:
    """Set the limits in every transaction, for that transaction alone."""
    settings = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in limits.items())

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT {settings}")

    event.listen(engine.sync_engine, "begin", begin)


def single_statements(engine: AsyncEngine) -> AsyncEngine:
    """The engine for statements that commit alone, except behind a pooler."""
    if engine.get_execution_options().get(IN_TRANSACTIONS):
        return engine
    return engine.execution_options(isolation_level="AUTOCOMMIT")
