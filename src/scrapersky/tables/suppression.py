"""Suppressions: who must not be kept or contacted, known only by a keyed hash."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import Row, Timestamped
from scrapersky.tables.rules import lengths, word_of

FOUND_BY = ("kind", "keyed_hash")
ONE_TENANT, ALL_TENANTS = "tenant_id IS NOT NULL", "tenant_id IS NULL"


class Suppression(Timestamped, Row):
    __tablename__ = "suppressions"

    # NULL holds for every tenant.
    tenant_id: Mapped[UUID | None] = mapped_column(ForeignKey("tenants.id"), sort_order=-1)
    kind: Mapped[str]
    keyed_hash: Mapped[bytes]
    reason: Mapped[str]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        word_of("kind", statuses.SUPPRESSION_KIND),
        CheckConstraint("octet_length(keyed_hash) = 32", name="keyed_hash_length"),
        Index(
            "uq_suppressions_tenant", "tenant_id", *FOUND_BY, unique=True, postgresql_where=text(ONE_TENANT)
        ),
        Index("uq_suppressions_all", *FOUND_BY, unique=True, postgresql_where=text(ALL_TENANTS)),
        *lengths(reason=500),
    )
