"""Whom to name for rows, by the licence of the source that they come from."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Table, case, or_

from scrapersky import tables
from scrapersky.declarations.attributions import ATTRIBUTIONS, DERIVED_ATTRIBUTIONS


def attribution(table: Table) -> ColumnElement[Any] | None:
    """Of the rows of a table, in a query that has their domains too; None if it names no source."""
    contacts, domains = tables.contacts, tables.domains
    if "source" in table.c and "place_id" in table.c:
        return listed_attribution(table)
    if table is contacts:
        return derived_attribution(contacts.c.lead_source, domains.c.lead_source)
    return derived_attribution(domains.c.lead_source) if table is domains else None


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
