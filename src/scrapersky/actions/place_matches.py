"""Links places that are the same business: automatically where it is clear, else as a person decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.read_model import in_array
from scrapersky.storage.place_matches import SAME, compare_due_places

MATCHES, IDENTITIES = tables.place_matches, tables.place_identities
MATCH_INTERVAL = timedelta(seconds=5)


async def match_places(engine: AsyncEngine) -> int:
    """Compare and link what is new or has changed; returns how many places. The engine is the owner's."""
    total = 0
    while True:
        async with engine.begin() as connection:
            number, touched = await compare_due_places(connection)
            for tenant_id, places in touched.items():
                await _link(connection, tenant_id, places)
        total += number
        # A key that has become shared makes earlier places due again, so the last batch is an empty one.
        if not number:
            return total


async def decide_match(engine: AsyncEngine, actor: Actor, match_id: UUID, verdict: str) -> None:
    """A person says whether two places are the same; no later comparison changes that."""
    if verdict not in (statuses.SAME, statuses.DIFFERENT):
        raise InvalidInput(
            f"Invalid verdict {verdict[:50]!r}; expected {statuses.SAME} or {statuses.DIFFERENT}"
        )
    await _decide(engine, actor, match_id, "match.decide", verdict)


async def reset_match(engine: AsyncEngine, actor: Actor, match_id: UUID) -> None:
    """Take a person's decision back; the pair is judged by its evidence again."""
    await _decide(engine, actor, match_id, "match.reset", None)


async def _decide(
    engine: AsyncEngine, actor: Actor, match_id: UUID, action: str, verdict: str | None
) -> None:
    mine = MATCHES.c.id == match_id, MATCHES.c.tenant_id == actor.tenant_id
    async with engine.begin() as connection:
        row = (await connection.execute(select(MATCHES).where(*mine).with_for_update())).first()
        if row is None:
            raise NotFound(f"There is no match {match_id}")
        values: dict[str, Any] = {
            "verdict": verdict or statuses.UNSURE,
            "decided_by": None,
            "decided_at": None,
        }
        if verdict:
            values |= {"decided_by": actor.user_id, "decided_at": func.now()}
        await connection.execute(update(MATCHES).where(*mine).values(values))
        await _link(connection, actor.tenant_id, {row.place_a, row.place_b})
        before, after = {"verdict": row.verdict}, {"verdict": values["verdict"]}
        await record(
            connection, actor, action, table=MATCHES.name, row_id=match_id, before=before, after=after
        )


async def _link(connection: AsyncConnection, tenant_id: UUID, places: Collection[UUID]) -> None:
    """Form the groups of these places, and of all that are paired with them, anew."""
    pairs, members = await _component(connection, tenant_id, places)
    columns = IDENTITIES.c
    query = select(columns.place_row_id, columns.source, columns.same_as)
    known = {
        row.place_row_id: row
        for row in await connection.execute(query.where(in_array(columns.place_row_id, members)))
    }
    sources = {place: row.source for place, row in known.items()}
    groups = form_groups(pairs, sources)
    verdicts: dict[str, list[UUID]] = defaultdict(list)
    for pair in pairs:
        if pair.decided_at is None:
            is_one = groups[pair.place_a] is groups[pair.place_b]
            verdicts[statuses.SAME if is_one else statuses.UNSURE].append(pair.id)
    for verdict, ids in verdicts.items():
        changed = in_array(MATCHES.c.id, ids), MATCHES.c.verdict != verdict
        await connection.execute(update(MATCHES).where(*changed).values(verdict=verdict))
    for place, row in known.items():
        # The place that came first stands for all.
        first = min(groups.get(place, {place}))
        same_as = None if first == place else first
        if row.same_as != same_as:
            mine = columns.place_row_id == place
            await connection.execute(update(IDENTITIES).where(mine).values(same_as=same_as))


async def _component(
    connection: AsyncConnection, tenant_id: UUID, places: Collection[UUID]
) -> tuple[list[Any], set[UUID]]:
    """All pairs that the places are connected by, and the places in them."""
    members, frontier = set(places), set(places)
    pairs: dict[UUID, Any] = {}
    while frontier:
        query = select(MATCHES).where(
            MATCHES.c.tenant_id == tenant_id,
            or_(in_array(MATCHES.c.place_a, frontier), in_array(MATCHES.c.place_b, frontier)),
        )
        rows = (await connection.execute(query)).all()
        pairs |= {row.id: row for row in rows}
        frontier = {place for row in rows for place in (row.place_a, row.place_b)} - members
        members |= frontier
    return list(pairs.values()), members


def form_groups(pairs: Iterable[Any], sources: dict[UUID, str]) -> dict[UUID, frozenset[UUID]]:
    """The group of each place in the pairs; the surest pairs are joined first, those of people before them.

    A group never holds two places that a person has called different, and two of one source only if a person
    has called them the same.
    """
    pairs = list(pairs)
    groups = {place: frozenset({place}) for pair in pairs for place in (pair.place_a, pair.place_b)}
    different = [
        {pair.place_a, pair.place_b}
        for pair in pairs
        if pair.decided_at and pair.verdict == statuses.DIFFERENT
    ]
    joinable = [
        pair
        for pair in pairs
        if (pair.verdict == statuses.SAME if pair.decided_at else pair.log_odds >= SAME)
    ]
    for pair in sorted(joinable, key=lambda pair: (pair.decided_at is None, -pair.log_odds, pair.id)):
        left, right = groups[pair.place_a], groups[pair.place_b]
        both = left | right
        if left is right or any(apart <= both for apart in different):
            continue
        is_clash = {sources.get(place) for place in left} & {sources.get(place) for place in right}
        if is_clash and pair.decided_at is None:
            continue
        groups |= dict.fromkeys(both, both)
    return groups
