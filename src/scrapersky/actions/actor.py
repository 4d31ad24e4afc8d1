"""The person or system on whose behalf an action is performed."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Actor:
    """The tenant and user an action is attributed to; automatic actions belong to the system user."""

    tenant_id: UUID
    user_id: UUID
