"""Copies of robots.txt in the hosts table, for the whole fleet, with a small memory in front."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from scrapersky.engine.database import Database, Prepared
from scrapersky.fetch.robots_cache import MemoryRobots, RobotsCopy
from scrapersky.tables import Host, table_of

OUTCOMES = {"rules": "found", "none": "none", "unreachable": "unreachable"}
WORDS = {word: outcome for outcome, word in OUTCOMES.items()}


class FleetRobots:
    """What one worker read, all know. Keys are host names, so `www` and the bare name have a row each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._near = MemoryRobots(size=5_000)

    async def get(self, host: str) -> RobotsCopy | None:
        if known := await self._near.get(host):
            return known
        rows = await self._database.fetch(_LOOK, {"name": host[:253]})
        if not rows or rows[0].robots_fetched_at is None or rows[0].robots_status not in WORDS:
            return None
        row = rows[0]
        outcome = WORDS[row.robots_status]
        again = row.robots_fetched_at + timedelta(minutes=5) if outcome == "unreachable" else None
        copy = RobotsCopy(outcome, row.robots_fetched_at, (row.robots_txt or "").encode(), retry_at=again)
        await self._near.put(host, copy)
        return copy

    async def put(self, host: str, copy: RobotsCopy) -> None:
        await self._near.put(host, copy)
        text = copy.text.decode("utf-8", "replace").replace("\x00", "")[:524_288]
        values: dict[str, Any] = {
            "robots_txt": text or None,
            "robots_status": OUTCOMES[copy.outcome],
            "robots_error": None if copy.status is None else f"HTTP {copy.status}",
        }
        await self._database.fetch(_KEEP, {"host": host[:253], **values})


def _look() -> Any:
    hosts = table_of(Host).c
    known = select(hosts.robots_status, hosts.robots_txt, hosts.robots_fetched_at)
    return known.where(hosts.host == bindparam("name"))


def _keep() -> Any:
    names = ("robots_txt", "robots_status", "robots_error")
    fetched = {"robots_fetched_at": func.now()}
    statement = insert(table_of(Host)).values(
        host=bindparam("host"), **{name: bindparam(name) for name in names}, **fetched
    )
    newer = {name: statement.excluded[name] for name in names}
    return statement.on_conflict_do_update(index_elements=["host"], set_={**newer, **fetched})


# Made once: to make them takes longer than to run them.
_LOOK, _KEEP = Prepared(_look()), Prepared(_keep())
