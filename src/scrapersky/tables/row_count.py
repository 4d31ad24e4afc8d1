"""How many rows have which status: folded counts, and the changes since the last fold."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import BigInteger, Column, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row


class RowCount(Row):
    """Only the fold writes here, so no two writers ever meet on a counter."""

    __tablename__ = "row_counts"

    table_name: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    # The values of the table's facet columns, in the order of `counts.FACETS`.
    facets: Mapped[list[str | None]] = mapped_column(ARRAY(Text), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (
        {"postgresql_with": {"fillfactor": 50, "autovacuum_vacuum_scale_factor": 0,
                             "autovacuum_vacuum_threshold": 1_000}},
    )  # fmt: skip


# Written by triggers alone and read whole: without a key or an index, an insert is as cheap as it can be.
ROW_COUNT_CHANGES = Table(
    "row_count_changes",
    Row.metadata,
    Column("table_name", Text, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("facets", ARRAY(Text), nullable=False),
    Column("number", BigInteger, nullable=False),
    postgresql_with={"autovacuum_vacuum_scale_factor": 0, "autovacuum_vacuum_threshold": 5_000},
)
