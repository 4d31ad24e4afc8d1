"""The undo journal: what each row was before an operation changed it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import Row, TenantScoped
from scrapersky.tables.rules import lengths, same_tenant


class OperationChange(TenantScoped, Row):
    __tablename__ = "operation_changes"

    operation_id: Mapped[UUID] = mapped_column(primary_key=True)
    # Text, because some tables count their rows by numbers.
    row_id: Mapped[str] = mapped_column(primary_key=True)
    before: Mapped[dict[str, Any]]

    __table_args__ = (same_tenant("operation_id", "operations", cascade=True), *lengths(row_id=36))
