"""What connections carry for suppressions: keyed hashes, and the log outside the database."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.errors import ScraperSkyError

if TYPE_CHECKING:
    # Its module loads the phone numbers of the world, which a short command does not need.
    from scrapersky.extract.privacy.identifiers import Identifier

# What a line of the log says: that somebody is suppressed, is not any more, or was erased as well.
SUPPRESS, WITHDRAW, ERASE = "suppress", "withdraw", "erase"
# The engine option that holds the key.
SUPPRESSION_KEY = "scrapersky_suppression_key"


class LoggedSuppression(NamedTuple):
    """One line of the log: who is suppressed from then on, is not any more, or was erased."""

    tenant_id: UUID | None
    kind: str
    keyed_hash: bytes
    reason: str
    action: str = SUPPRESS
    # Of a number that was erased, without its country: texts of an older backup may write it so.
    national_hash: bytes = b""


class MissingSuppressionKey(ScraperSkyError):
    """A connection that carries no key cannot compare anything with the suppressions."""


class SuppressionKey:
    """Loads the installation's key when the first identifier is hashed."""

    def __init__(self, load: Callable[[], Callable[[bytes], list[bytes]]], log: Callable[[], Path]) -> None:
        self._load, self._log = load, log
        self._hashes: Callable[[bytes], list[bytes]] | None = None

    def hashes(self, identifier: Identifier) -> list[bytes]:
        """Under the current key first; a suppression that was made under the previous key still holds."""
        if self._hashes is None:
            self._hashes = self._load()
        return self._hashes(f"{identifier.kind}:{identifier.value}".encode())

    def append_log(self, lines: Sequence[LoggedSuppression]) -> None:
        """Write before the transaction commits: a line too many suppresses somebody who asked for it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        data = "".join(f"{json.dumps(_as_json(line, now))}\n" for line in lines).encode()
        path = self._log()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
        finally:
            os.close(file)

    def read_log(self) -> Iterator[LoggedSuppression]:
        """The lines of the log, the oldest first; a line that a crash cut off is passed over."""
        path = self._log()
        if not path.exists():
            return
        with path.open(encoding="utf-8") as file:
            for line in file:
                if (logged := _parse(line)) is not None:
                    yield logged


def _as_json(line: LoggedSuppression, now: str) -> dict[str, Any]:
    return {
        "at": now,
        "action": line.action,
        "tenant_id": str(line.tenant_id) if line.tenant_id else None,
        "kind": line.kind,
        "keyed_hash": line.keyed_hash.hex(),
        "reason": line.reason,
        **({"national_hash": line.national_hash.hex()} if line.national_hash else {}),
    }


def _parse(line: str) -> LoggedSuppression | None:
    try:
        values = json.loads(line)
        tenant = values["tenant_id"]
        return LoggedSuppression(
            UUID(tenant) if tenant else None,
            values["kind"],
            bytes.fromhex(values["keyed_hash"]),
            values["reason"],
            values["action"],
            bytes.fromhex(values.get("national_hash", "")),
        )
    except (ValueError, KeyError, TypeError):
        return None


def suppression_key(connection: AsyncConnection) -> SuppressionKey:
    key: SuppressionKey | None = connection.sync_connection.get_execution_options().get(  # type: ignore[union-attr]
        SUPPRESSION_KEY
    )
    if key is None:
        raise MissingSuppressionKey("This connection has no key for suppressions; open it with make_engine")
    return key
