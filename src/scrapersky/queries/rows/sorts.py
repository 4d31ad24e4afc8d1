"""The orders in which a list can be read; each is the order of an index, and none leaves two rows equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, and_, desc, func, literal_column, or_, tuple_

from scrapersky import tables
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import Entity


@dataclass(frozen=True, slots=True)
class Sort:
    """An order by `keys`, each with whether it descends.

    `is_facet_order`: rows with the same facets are in the order of their ids, as in the index of the facets.
    """

    name: str
    about: str
    keys: tuple[tuple[str, bool], ...]
    is_facet_order: bool = False

    @property
    def text(self) -> str:
        """The sort as a parameter."""
        return f"-{self.name}" if self.keys[0][1] else self.name

    @property
    def last_key(self) -> Sort:
        return replace(self, keys=self.keys[-1:])

    def order_by(self, columns: Any) -> list[ColumnElement[Any]]:
        return [
            desc(key_column(columns, name)) if descends else key_column(columns, name)
            for name, descends in self.keys
        ]

    def after(self, columns: Any, values: tuple[Any, ...]) -> ColumnElement[bool]:
        """The condition of the rows that come after the row with these keys."""
        first, descends = self.keys[0]
        if len({direction for _, direction in self.keys}) == 1:
            own = [key_column(columns, name) for name, _ in self.keys]
            row, bound = tuple_(*own), tuple_(*values, types=[key.type for key in own])
            return row < bound if descends else row > bound
        # The keys run in two directions: the first key is past the value, or equal and the rest is past.
        is_past = columns[first] < values[0] if descends else columns[first] > values[0]
        rest = replace(self, keys=self.keys[1:]).after(columns, values[1:])
        return or_(is_past, and_(columns[first] == values[0], rest))

    def values(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """The keys of a row, as a cursor holds them."""
        return tuple(0.0 if row[name] is None else row[name] for name, _ in self.keys)


def key_column(columns: Any, name: str) -> ColumnElement[Any]:
    """What the rows are compared by: a row without a confidence is less sure than all others."""
    key: ColumnElement[Any] = columns[name]
    return func.coalesce(key, literal_column("0")) if name == "confidence" else key


def sorts(entity: Entity) -> Mapping[str, Sort]:
    """The orders of a list, ascending, by their names."""
    made = [Sort("created_at", "the order in which rows were created", (("id", False),), is_facet_order=True)]
    if entity.is_curated:
        made.append(Sort("updated_at", "the time of the last change", (("updated_at", False), ("id", False))))
    if entity.table is tables.pages:
        keys = ("priority_level", False), ("id", True)
        made.append(Sort("priority_level", "priority, then the newest", keys, is_facet_order=True))
    if entity.table is tables.contacts:
        made.append(Sort("lead_score", "the lead score", (("lead_score", False), ("id", False))))
        made.append(Sort("confidence", "how sure it is", (("confidence", False), ("id", False))))
    if entity.table is tables.domains:
        made.append(Sort("domain", "the domain name", (("domain", False),)))
    return {sort.name: sort for sort in made}


def default_sort(entity: Entity) -> Sort:
    """The newest rows first; pages by priority before that (R073)."""
    return parse_sort(entity, "priority_level" if entity.table is tables.pages else "-created_at")


def parse_sort(entity: Entity, text: str | None) -> Sort:
    """A sort as it is written: `created_at`, `-created_at` or `created_at:desc`."""
    if text is None:
        return default_sort(entity)
    name, _, direction = text.removeprefix("-").partition(":")
    known = sorts(entity)
    if name not in known or direction not in ("", "asc", "desc") or (direction and text.startswith("-")):
        expected = ", ".join(f"{sort}, -{sort}" for sort in known)
        raise InvalidInput(f"Invalid sort {text[:50]!r} of {entity.plural}; expected one of {expected}")
    descends = text.startswith("-") or direction == "desc"
    return _reverse(known[name]) if descends else known[name]


def _reverse(sort: Sort) -> Sort:
    """The other direction; among pages of the same priority the newest still come first."""
    if sort.name == "priority_level":
        return replace(sort, keys=(("priority_level", True), ("id", True)))
    return replace(sort, keys=tuple((name, not descends) for name, descends in sort.keys))
