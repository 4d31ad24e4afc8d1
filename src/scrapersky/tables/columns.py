"""The one `metadata`, and the types and columns that many tables share."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Column, DateTime, ForeignKey, MetaData, Uuid, func, text

from scrapersky.tables.ids import new_id

# Made by the first migration; PostgreSQL 18 has its own and then it is used.
SERVER_ID = text("scrapersky_uuid7()")
Timestamp = DateTime(timezone=True)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def id_column() -> Column[UUID]:
    return Column("id", Uuid, primary_key=True, default=new_id, server_default=SERVER_ID)


def tenant_column(*, references: bool = False) -> Column[UUID]:
    """The tenant of a row; it references the tenant itself unless a link to a parent row vouches for it."""
    keys = [ForeignKey("tenants.id")] if references else []
    return Column("tenant_id", Uuid, *keys, nullable=False)


def timestamps() -> list[Column[Any]]:
    return [
        Column("created_at", Timestamp, nullable=False, server_default=func.now()),
        Column("updated_at", Timestamp, nullable=False, server_default=func.now()),
    ]
