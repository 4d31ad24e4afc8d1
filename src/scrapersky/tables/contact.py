"""Contacts: ways to reach a business, each once per domain, with where it was read."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import VALIDATE_EMAIL, statuses
from scrapersky.tables.row import Row, TenantScoped, Timestamped
from scrapersky.tables.rules import (
    HIGH_CHURN_STORAGE,
    add_queue_indexes,
    lengths,
    linkable,
    queue_parts,
    same_tenant,
    sane_moments,
    trigram_index,
    word_of,
)


class Contact(Timestamped, TenantScoped, Row):
    __tablename__ = "contacts"

    if TYPE_CHECKING:
        email_validation_status: Mapped[str | None]
        email_validation_error: Mapped[str | None]

    domain_id: Mapped[UUID]
    page_id: Mapped[UUID | None]
    email: Mapped[str | None]
    email_type: Mapped[str | None]
    email_relation: Mapped[str | None]
    is_email_hidden: Mapped[bool] = mapped_column(server_default=text("false"))
    phone_number: Mapped[str | None]
    phone_type: Mapped[str | None]
    phone_extension: Mapped[str | None]
    name: Mapped[str | None]
    job_title: Mapped[str | None]
    address: Mapped[str | None]
    country: Mapped[str | None]
    social_urls: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    confidence: Mapped[float | None]
    # Where it was read and why it may be kept: no contact without both (D15).
    source_url: Mapped[str]
    lawful_basis: Mapped[str] = mapped_column(server_default=text("'legitimate interest'"))
    last_seen_at: Mapped[datetime] = mapped_column(server_default=text("now()"))
    contact_curation_status: Mapped[str] = mapped_column(server_default=text(f"'{statuses.NEW}'"))
    email_validation_result: Mapped[str | None]
    email_validation_score: Mapped[int | None] = mapped_column(SmallInteger)
    email_validation_reason: Mapped[str | None]
    email_validation_suggestion: Mapped[str | None]
    email_validated_at: Mapped[datetime | None]
    enrichment: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    last_enrichment_id: Mapped[str | None]
    lead_source: Mapped[str | None]
    notes: Mapped[str | None]
    tags: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))

    __table_args__ = (
        *queue_parts(VALIDATE_EMAIL),
        word_of("contact_curation_status", statuses.CURATION),
        word_of("email_validation_result", statuses.EMAIL_RESULT),
        linkable(),
        UniqueConstraint("domain_id", "email", "tenant_id"),
        Index(
            "uq_contacts_phone_only",
            "domain_id",
            "phone_number",
            "tenant_id",
            unique=True,
            postgresql_where=text("email IS NULL"),
        ),
        CheckConstraint("email IS NOT NULL OR phone_number IS NOT NULL", name="reachable"),
        CheckConstraint("email_validation_score BETWEEN 0 AND 100", name="email_validation_score_range"),
        CheckConstraint("source_url <> ''", name="source_url_given"),
        same_tenant("domain_id", "domains", cascade=True),
        same_tenant("page_id", "pages"),
        Index("ix_contacts_page_id", "page_id"),
        # How many unrelated domains show the same address or number: the mark of an agency.
        Index("ix_contacts_email", "email", "tenant_id"),
        Index("ix_contacts_phone_number", "phone_number", "tenant_id"),
        trigram_index("idx_contacts_text_trgm", "email", "name", "phone_number"),
        *lengths(
            email=254, phone_number=50, name=300, job_title=300, address=1_000, source_url=2_048, notes=10_000
        ),
        *sane_moments("email_validated_at", "last_seen_at"),
        HIGH_CHURN_STORAGE,
    )


add_queue_indexes(Contact, VALIDATE_EMAIL)
