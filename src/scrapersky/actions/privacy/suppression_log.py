"""Applies what the log knows and the database does not, as after the restore of an older backup."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from uuid import UUID

from sqlalchemy import select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.privacy.suppressions import BATCH, MAX_REASON, apply_open_suppressions
from scrapersky.extract.privacy.identifiers import NATIONAL, Identifier, with_country
from scrapersky.queries.privacy.suppressed_people import find_suppressed_people
from scrapersky.queries.read_model import in_array
from scrapersky.suppression_key import ERASE, WITHDRAW, LoggedSuppression, SuppressionKey, suppression_key

Place = tuple[UUID | None, str, bytes]
# Erases people of a tenant, with the reason.
Erase = Callable[[UUID, list[Identifier], str], Awaitable[object]]


async def apply_log(engine: AsyncEngine, erase: Erase) -> int:
    """Make the suppressions that the database does not know, and erase again whom it has not erased.

    Returns how many suppressions there were.
    """
    async with engine.connect() as connection:
        key = suppression_key(connection)
        logged = await asyncio.to_thread(_logged, key.read_log())
        missing = await _missing(connection, logged)
        unerased = await _unerased(connection, logged)
    # Before their contacts are deleted, because these name them.
    await _erase_again(engine, key, unerased, erase)
    async with engine.begin() as connection:
        for start in range(0, len(missing), BATCH):
            values = [
                {
                    "tenant_id": line.tenant_id,
                    "kind": line.kind,
                    "keyed_hash": line.keyed_hash,
                    "reason": line.reason[:MAX_REASON],
                }
                for line in missing[start : start + BATCH]
            ]
            await connection.execute(upsert(tables.suppressions).on_conflict_do_nothing(), values)
        await _mark_erased(connection, unerased)
    await apply_open_suppressions(engine)
    return len(missing)


async def _mark_erased(connection: AsyncConnection, places: Iterable[Place]) -> None:
    """Note that these people were searched for and erased, so that a start does not search again."""
    suppressions = tables.suppressions
    columns = tuple_(suppressions.c.tenant_id, suppressions.c.kind, suppressions.c.keyed_hash)
    ordered = list(places)
    for start in range(0, len(ordered), BATCH):
        marked = update(suppressions).where(columns.in_(ordered[start : start + BATCH]))
        await connection.execute(marked.values(is_erased=True))


async def _erase_again(
    engine: AsyncEngine, key: SuppressionKey, unerased: Mapping[Place, LoggedSuppression], erase: Erase
) -> None:
    """The log has only hashes: whoever is named in a text of the tenant and has such a hash is meant."""
    hashes: dict[UUID, set[bytes]] = defaultdict(set)
    national: dict[UUID, set[bytes]] = defaultdict(set)
    reasons: dict[UUID, str] = {}
    for line in unerased.values():
        if line.tenant_id is not None:
            hashes[line.tenant_id].add(line.keyed_hash)
            reasons[line.tenant_id] = line.reason
            if line.national_hash:
                national[line.tenant_id].add(line.national_hash)
    for tenant_id, meant in hashes.items():
        is_meant = partial(_is_meant, key, meant | national[tenant_id])
        named = await find_suppressed_people(
            engine, tenant_id, is_meant, with_national=bool(national[tenant_id])
        )
        people = {person for each in named for person in _with_country(each, partial(_is_meant, key, meant))}
        if people:
            await erase(tenant_id, sorted(people), reasons[tenant_id])


def _with_country(identifier: Identifier, is_meant: Callable[[Identifier], bool]) -> Iterator[Identifier]:
    """Itself, or for a number without its country the numbers that have a hash of the log."""
    if identifier.kind == NATIONAL:
        yield from filter(is_meant, with_country(identifier))
    else:
        yield identifier


def _is_meant(key: SuppressionKey, hashes: set[bytes], identifier: Identifier) -> bool:
    return not hashes.isdisjoint(key.hashes(identifier))


def _logged(lines: Iterable[LoggedSuppression]) -> dict[Place, LoggedSuppression]:
    """What holds after everything in the log; who was erased stays so when suppressed once more."""
    held: dict[Place, LoggedSuppression] = {}
    for line in lines:
        place = (line.tenant_id, line.kind, line.keyed_hash)
        if line.action == WITHDRAW:
            held.pop(place, None)
        elif place not in held or line.action == ERASE:
            held[place] = line
    return held


async def _missing(
    connection: AsyncConnection, logged: Mapping[Place, LoggedSuppression]
) -> list[LoggedSuppression]:
    known = await _known(connection, list(logged))
    tenants = set(await connection.scalars(select(tables.tenants.c.id)))
    return [
        line
        for place, line in logged.items()
        if place not in known and (line.tenant_id is None or line.tenant_id in tenants)
    ]


async def _unerased(
    connection: AsyncConnection, logged: Mapping[Place, LoggedSuppression]
) -> dict[Place, LoggedSuppression]:
    erased = {place: line for place, line in logged.items() if line.action == ERASE}
    done = await _known(connection, list(erased), only_erased=True)
    return {place: line for place, line in erased.items() if place not in done}


async def _known(
    connection: AsyncConnection, places: Sequence[Place], *, only_erased: bool = False
) -> set[Place]:
    suppressions = tables.suppressions.c
    query = select(suppressions.tenant_id, suppressions.kind, suppressions.keyed_hash)
    if only_erased:
        query = query.where(suppressions.is_erased)
    known: set[Place] = set()
    for start in range(0, len(places), BATCH):
        hashes = [place[2] for place in places[start : start + BATCH]]
        rows = await connection.execute(query.where(in_array(suppressions.keyed_hash, hashes)))
        known |= {(row.tenant_id, row.kind, row.keyed_hash) for row in rows}
    return known
