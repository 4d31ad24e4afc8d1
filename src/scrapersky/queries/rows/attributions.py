"""Whom to name for rows, by the licence of the source that they come from."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, or_

from scrapersky.declarations.attributions import ATTRIBUTIONS, DERIVED_ATTRIBUTIONS


def listed_attribution(table: Any) -> ColumnElement[Any]:
    """For places and businesses."""
    return case(*((table.c.source == source, name) for source, name in ATTRIBUTIONS.items()), else_=None)


def derived_attribution(*origins: ColumnElement[Any]) -> ColumnElement[Any]:
    """For what was derived from the data of a source: `origins` are the columns that may name it."""
    names = [
        (or_(*(origin == source for origin in origins)), name)
        for source, name in DERIVED_ATTRIBUTIONS.items()
    ]
    return case(*names, else_=None)
