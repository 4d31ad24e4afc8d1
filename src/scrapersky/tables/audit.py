"""The audit log: who changed what; rows are added, never changed, and each holds the hash of the last."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.tables.row import RootOfTenant, Row
from scrapersky.tables.rules import lengths


class AuditEntry(RootOfTenant, Row):
    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=False), primary_key=True, sort_order=-2)
    # No foreign key: the entry outlives the user.
    user_id: Mapped[UUID | None]
    actor: Mapped[str]
    action: Mapped[str]
    table_name: Mapped[str | None]
    row_id: Mapped[str | None]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    previous_hash: Mapped[bytes | None]
    hash: Mapped[bytes | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        Index("ix_audit_log_tenant_id_created_at", "tenant_id", "created_at"),
        Index("ix_audit_log_row_id", "row_id"),
        *lengths(actor=200, action=100, table_name=63, row_id=36),
    )
