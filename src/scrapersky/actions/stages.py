"""Pauses and resumes stages of the whole fleet."""

from __future__ import annotations

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.queries.read_model import get_declaration


async def pause_stage(engine: AsyncEngine, stage: str, reason: str = "") -> None:
    """Within seconds nothing more is claimed; items that run may finish."""
    await _set_paused(engine, stage, paused=True, reason=reason)


async def resume_stage(engine: AsyncEngine, stage: str) -> None:
    await _set_paused(engine, stage, paused=False, reason="")


async def _set_paused(engine: AsyncEngine, stage: str, *, paused: bool, reason: str) -> None:
    get_declaration(stage)
    values = {"paused": paused, "reason": reason[:1_024] or None, "updated_at": func.now()}
    statement = insert(tables.stage_controls).values(stage=stage, **values)
    async with engine.begin() as connection:
        await connection.execute(statement.on_conflict_do_update(index_elements=["stage"], set_=values))
