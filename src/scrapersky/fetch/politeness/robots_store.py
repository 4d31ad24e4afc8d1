"""Copies of robots.txt in the hosts table, shared by all workers, behind a small cache in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from scrapersky import tables
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement, unnest_rows
from scrapersky.fetch.politeness.robots_cache import MemoryRobotsStore, RobotsCopy

OUTCOMES = {"rules": "found", "none": "none", "unreachable": "unreachable"}
_NAMES = ("host", "robots_txt", "robots_status", "robots_error", "robots_retry_at")
# Up to the end of its line, whatever ends it.
_COMMENT = re.compile(r"(?:^|(?<=[\s\ufeff]))#[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*")
STATUSES = {word: outcome for outcome, word in OUTCOMES.items()}


class DatabaseRobotsStore:
    """Copies that all workers share. Keys are host names, so `www` and the bare name have a row each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache = MemoryRobotsStore(size=5_000)
        self._rows = BatchLoader(self._load)
        self._writes = BatchLoader(self._store)

    async def get(self, host: str) -> RobotsCopy | None:
        if known := await self._cache.get(host):
            return known
        row = await self._rows.load(host[:253])
        if row is None or row.robots_fetched_at is None or row.robots_status not in STATUSES:
            return None
        outcome = STATUSES[row.robots_status]
        copy = RobotsCopy(
            outcome,
            row.robots_fetched_at,
            (row.robots_txt or "").encode(),
            error=row.robots_error or "",
            retry_at=row.robots_retry_at if outcome == "unreachable" else None,
        )
        return copy if outcome == "unreachable" else await self._remember(host, copy)

    async def _remember(self, host: str, copy: RobotsCopy) -> RobotsCopy:
        await self._cache.put(host, copy)
        return copy

    async def _load(self, names: list[str]) -> Mapping[str, Any]:
        return {row.host: row for row in await self._database.fetch(_SELECT, {"names": names})}

    async def put(self, host: str, copy: RobotsCopy) -> None:
        if copy.outcome != "unreachable":
            await self._remember(host, copy)
        await self._writes.load((host[:253], copy))

    async def _store(self, copies: list[tuple[str, RobotsCopy]]) -> Mapping[tuple[str, RobotsCopy], bool]:
        """Copies that came at the same time, in one statement, which locks hosts in the usual order."""
        rows = [_values(host, copy) for host, copy in sorted(dict(copies).items(), key=itemgetter(0))]
        await self._database.fetch(_UPSERT, {f"{name}_list": [row[name] for row in rows] for name in _NAMES})
        return {}


def _values(host: str, copy: RobotsCopy) -> dict[str, Any]:
    # Comments decide nothing, and name people whom no erasure of contacts would find.
    text = _COMMENT.sub("", copy.text.decode("utf-8", "replace").replace("\x00", ""))[:524_288]
    return {
        "host": host,
        "robots_txt": text or None,
        "robots_status": OUTCOMES[copy.outcome],
        "robots_error": copy.error[:1_024] or (f"HTTP {copy.status}" if copy.status else None),
        "robots_retry_at": copy.retry_at,
    }


def _select() -> Any:
    hosts = tables.hosts.c
    known = select(hosts.host, hosts.robots_status, hosts.robots_txt, hosts.robots_fetched_at)
    known = known.add_columns(hosts.robots_error, hosts.robots_retry_at)
    return known.where(hosts.host == any_(bindparam("names", type_=ARRAY(Text()))))


def _upsert() -> Any:
    hosts = tables.hosts
    copies = unnest_rows(**{name: hosts.c[name].type for name in _NAMES})
    values = select(*(copies.c[name] for name in _NAMES), func.now())
    statement = insert(hosts).from_select([*_NAMES, "robots_fetched_at"], values, include_defaults=False)
    newer = {name: statement.excluded[name] for name in (*_NAMES[1:], "robots_fetched_at")}
    return statement.on_conflict_do_update(index_elements=["host"], set_=newer)


# Built once: building a statement takes longer than running it.
_SELECT, _UPSERT = Statement(_select()), Statement(_upsert())
