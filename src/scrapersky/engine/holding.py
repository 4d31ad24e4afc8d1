"""Which host the running item holds; whoever calls that host needs no further permission."""

from __future__ import annotations

from contextvars import ContextVar

HELD_HOST: ContextVar[str | None] = ContextVar("held_host", default=None)
