"""The person or system on whose behalf an action is performed."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Actor:
    """The tenant and user an action is attributed to; automatic actions belong to the system user.

    `name` is what the audit log shows; `correlation_id` ties the changes of one request together.
    """

    tenant_id: UUID
    user_id: UUID
    name: str = ""
    correlation_id: str | None = None
