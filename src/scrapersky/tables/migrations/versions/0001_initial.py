"""All tables, with their indexes, rules and first rows."""

from __future__ import annotations

from pathlib import Path

from alembic import context, op
from sqlalchemy import text

from scrapersky.settings import Settings

revision = "0001_initial"
down_revision = None


def upgrade() -> None:
    # The statements are beside this file as SQL, so that they can be read and checked as what they are.
    script = Path(__file__).with_suffix(".sql").read_text()
    for statement in script.removesuffix(";\n").split(";\n\n"):
        op.execute(text(statement))
    tenant = _chosen("default_tenant_id")
    user = _chosen("scheduler_system_user_id")
    op.execute(text(f"INSERT INTO tenants (id, name) VALUES ('{tenant}', 'Default')"))
    op.execute(
        text(
            "INSERT INTO users (id, tenant_id, email, name, role) VALUES "
            f"('{user}', '{tenant}', 'system-{user}@scrapersky.invalid', 'ScraperSky', 'system')"
        )
    )


def _chosen(name: str) -> str:
    return str(context.config.attributes.get(name) or Settings.model_fields[name].default)
