"""The score of a validated address as it counts today: the one place where age lowers it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import SmallInteger, cast, func
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.database import EMAIL_HALF_LIFE

DEFAULT_HALF_LIFE_DAYS = 180
SECONDS_PER_DAY = 86_400


def half_life_days(engine: AsyncEngine) -> int:
    """EMAIL_SCORE_HALF_LIFE_DAYS, which the engine carries; its default for an engine made without it."""
    return int(engine.get_execution_options().get(EMAIL_HALF_LIFE, DEFAULT_HALF_LIFE_DAYS))


def current_score(engine: AsyncEngine) -> Any:
    """The stored score, halved once for every half-life since the address was validated."""
    contacts = tables.contacts.c
    age = func.extract("epoch", func.now() - contacts.email_validated_at) / SECONDS_PER_DAY
    weight = func.power(0.5, func.greatest(age, 0) / half_life_days(engine))
    score = func.round(contacts.email_validation_score * func.coalesce(weight, 1))
    return cast(score, SmallInteger).label("email_validation_score")
