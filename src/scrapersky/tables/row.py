"""What every table's class descends from: types, names of constraints, and columns that many share."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey, LargeBinary, MetaData, Numeric, Table, Text, Uuid, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from scrapersky.tables.ids import new_id

# Made by the first migration; PostgreSQL 18 has its own and then it is used.
SERVER_ID = text("scrapersky_uuid7()")


class Row(DeclarativeBase):
    """A row of one of our tables."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's own name for it.
        str: Text,
        datetime: DateTime(timezone=True),
        UUID: Uuid,
        Decimal: Numeric,
        bytes: LargeBinary,
        dict[str, Any]: JSONB,
        list[str]: ARRAY(Text),
    }


def table_of(row: type[Row]) -> Table:
    """The table of a mapped class, as the engine wants it."""
    table = row.__table__
    if not isinstance(table, Table):
        raise TypeError(f"{row.__name__} is not mapped to a table")
    return table


class Timestamped:
    """A row with an identifier and the moments of its life."""

    id: Mapped[UUID] = mapped_column(
        primary_key=True, default=new_id, server_default=SERVER_ID, sort_order=-2
    )
    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=900)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=901)


class TenantScoped:
    """A row whose parent already vouches for its tenant."""

    tenant_id: Mapped[UUID] = mapped_column(sort_order=-1)


class RootOfTenant:
    """A row that stands at the top of what a tenant owns."""

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), sort_order=-1)
