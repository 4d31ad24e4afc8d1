"""The lead score: admins edit its weights, and maintenance keeps the scores of all contacts current."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.declarations.lead_score import MAX_WEIGHT, MAX_WORDS, SCORE_PARTS, ScorePart
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.storage.lead_scores import BATCH, score_due_contacts, score_next_contacts

PARTS, RUNS = tables.lead_score_parts, tables.lead_score_runs
SCORE_INTERVAL = timedelta(seconds=5)
# Freshness falls with time, and domains get new metadata without a change of their contacts.
SCORE_AGAIN_AFTER = timedelta(days=1)
MAX_WORD_LENGTH = 100
FIRST = UUID(int=0)


async def set_score_part(
    engine: AsyncEngine,
    actor: Actor,
    name: str,
    *,
    weight: int | None = None,
    words: Sequence[str] | None = None,
) -> None:
    """Change the weight or the words of a part; what is None stays. All contacts are scored again."""
    part = get_score_part(name)
    if weight is not None and not 0 <= weight <= MAX_WEIGHT:
        raise InvalidInput(f"Invalid weight {weight:,}; expected 0 to {MAX_WEIGHT}")
    checked = None if words is None else _check_words(part, words)
    async with engine.begin() as connection:
        before = await _stored(connection, actor, part)
        values = {
            "weight": before["weight"] if weight is None else weight,
            "words": before["words"] if checked is None else checked,
        }
        statement = insert(PARTS).values(
            tenant_id=actor.tenant_id, part=name, updated_by=actor.user_id, **values
        )
        changes = {**values, "updated_by": actor.user_id, "updated_at": func.now()}
        await connection.execute(
            statement.on_conflict_do_update(index_elements=["tenant_id", "part"], set_=changes)
        )
        await _score_all_again(connection, actor.tenant_id)
        await _record(connection, actor, "lead_score.set", name, before, values)


async def reset_score_part(engine: AsyncEngine, actor: Actor, name: str) -> None:
    """Return a part to its default."""
    part = get_score_part(name)
    async with engine.begin() as connection:
        before = await _stored(connection, actor, part)
        mine = PARTS.c.tenant_id == actor.tenant_id, PARTS.c.part == name
        if (await connection.execute(delete(PARTS).where(*mine))).rowcount:
            await _score_all_again(connection, actor.tenant_id)
            after = {"weight": part.weight, "words": []}
            await _record(connection, actor, "lead_score.reset", name, before, after)


def get_score_part(name: str) -> ScorePart:
    if name not in SCORE_PARTS:
        raise NotFound(f"Invalid part {name[:50]!r}; expected one of {', '.join(SCORE_PARTS)}")
    return SCORE_PARTS[name]


def _check_words(part: ScorePart, words: Sequence[str]) -> list[str]:
    cleaned = list(dict.fromkeys(word.strip() for word in words if word.strip()))
    if cleaned and not part.has_words:
        raise InvalidInput(f"The part {part.name} compares with no words")
    if len(cleaned) > MAX_WORDS:
        raise InvalidInput(f"More than {MAX_WORDS} words")
    for word in cleaned:
        if len(word) > MAX_WORD_LENGTH or not word.isprintable() or not any(map(str.isalnum, word)):
            raise InvalidInput(
                f"Invalid word {word[:50]!r}; expected letters or digits, up to {MAX_WORD_LENGTH} characters"
            )
    return cleaned


async def _stored(connection: AsyncConnection, actor: Actor, part: ScorePart) -> dict[str, Any]:
    query = select(PARTS.c.weight, PARTS.c.words).where(
        PARTS.c.tenant_id == actor.tenant_id, PARTS.c.part == part.name
    )
    row = (await connection.execute(query.with_for_update())).mappings().first()
    return dict(row) if row else {"weight": part.weight, "words": []}


async def _record(
    connection: AsyncConnection, actor: Actor, action: str, name: str, before: Any, after: Any
) -> None:
    await record(
        connection, actor, action, table=PARTS.name, row_id=name, before={name: before}, after={name: after}
    )


async def _score_all_again(connection: AsyncConnection, tenant_id: UUID) -> None:
    statement = insert(RUNS).values(tenant_id=tenant_id)
    again = {"cursor": None, "finished_at": None}
    await connection.execute(statement.on_conflict_do_update(index_elements=["tenant_id"], set_=again))


async def score_leads(engine: AsyncEngine) -> int:
    """Score what is due, and continue the runs over all contacts of a tenant; returns how many contacts.

    A run keeps its place with each batch, so one that is interrupted continues where it was.
    """
    total = 0
    while True:
        async with engine.begin() as connection:
            number = await score_due_contacts(connection)
        total += number
        if number < BATCH:
            break
    async with engine.begin() as connection:
        await _begin_daily_runs(connection)
    while await _continue_run(engine):
        total += BATCH
    return total


async def _begin_daily_runs(connection: AsyncConnection) -> None:
    """Tenants without a run have just been added, or have never edited a weight."""
    missing = select(tables.tenants.c.id).where(tables.tenants.c.id.not_in(select(RUNS.c.tenant_id)))
    first = insert(RUNS).from_select(["tenant_id"], missing, include_defaults=False).on_conflict_do_nothing()
    await connection.execute(first)
    is_old = RUNS.c.finished_at < func.now() - SCORE_AGAIN_AFTER
    await connection.execute(update(RUNS).where(is_old).values(cursor=None, finished_at=None))


async def _continue_run(engine: AsyncEngine) -> bool:
    """One batch of a run that is not finished; False if there is none."""
    async with engine.begin() as connection:
        query = select(RUNS).where(RUNS.c.finished_at.is_(None)).order_by(RUNS.c.tenant_id).limit(1)
        run = (await connection.execute(query.with_for_update())).first()
        if run is None:
            return False
        last = await score_next_contacts(connection, run.tenant_id, run.cursor or FIRST)
        values = {"cursor": last} if last else {"cursor": None, "finished_at": func.now()}
        await connection.execute(update(RUNS).where(RUNS.c.tenant_id == run.tenant_id).values(values))
    return True
