"""How Alembic runs our migrations: on a connection it is handed, in one transaction, never waiting long."""

from __future__ import annotations

from alembic import context

from scrapersky.tables import metadata

LOCK_TIMEOUT = "SET LOCAL lock_timeout = '5s'"
STATEMENT_TIMEOUT = "SET LOCAL statement_timeout = '15min'"


def write_sql() -> None:
    """Write the migrations as SQL for somebody else to run."""
    context.configure(dialect_name="postgresql", target_metadata=metadata, literal_binds=True)
    with context.begin_transaction():
        context.execute(LOCK_TIMEOUT)
        context.execute(STATEMENT_TIMEOUT)
        context.run_migrations()


def run() -> None:
    """Run the migrations on the connection of the caller."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, compare_server_default=True)
    with context.begin_transaction():
        context.execute(LOCK_TIMEOUT)
        context.execute(STATEMENT_TIMEOUT)
        context.run_migrations()
    connection.commit()


if context.is_offline_mode():
    write_sql()
else:
    run()
