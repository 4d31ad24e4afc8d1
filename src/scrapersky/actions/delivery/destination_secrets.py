"""The secrets of a destination, encrypted together: the current one, and the one that it replaced."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import orjson

from scrapersky.engine.outcome import Discard
from scrapersky.secret_key import SecretKey, UndecryptableSecret

# The current secret and the one before it.
MAX_SECRETS = 2


def encrypt_secrets(key: SecretKey, destination_id: UUID, secrets: Sequence[str]) -> bytes | None:
    kept = list(dict.fromkeys(secrets))[:MAX_SECRETS]
    return key.encrypt(orjson.dumps(kept).decode(), context=_context(destination_id)) if kept else None


def decrypt_secrets(key: SecretKey, destination_id: UUID, encrypted: bytes | None) -> tuple[str, ...]:
    """The secrets, the newest first; none if the destination has none."""
    if encrypted is None:
        return ()
    try:
        return tuple(orjson.loads(key.decrypt(bytes(encrypted), context=_context(destination_id))))
    except UndecryptableSecret:
        problem = "The secret of the destination was encrypted under another SECRET_KEY"
        raise Discard(f"{problem}; set it again") from None


def _context(destination_id: UUID) -> str:
    """A secret that is copied to another row does not decrypt there."""
    return f"destination:{destination_id}"
