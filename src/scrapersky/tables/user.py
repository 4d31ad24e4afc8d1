"""Users: people and the system itself, each at home in one tenant."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from scrapersky.declarations import statuses
from scrapersky.tables.row import RootOfTenant, Row, Timestamped
from scrapersky.tables.rules import lengths, word_of


class User(Timestamped, RootOfTenant, Row):
    __tablename__ = "users"

    # People sign in with the address alone, so it is unique over all tenants.
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(server_default=text("''"))
    role: Mapped[str] = mapped_column(server_default=text("'viewer'"))
    password_hash: Mapped[str | None]
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    last_seen_at: Mapped[datetime | None]

    __table_args__ = (
        word_of("role", statuses.ROLE),
        CheckConstraint("email = lower(email)", name="email_lower"),
        *lengths(email=254, name=200, password_hash=500),
    )
