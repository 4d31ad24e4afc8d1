"""Lists of rows: pages of them in a fixed order, how many match, and how many have each value of a facet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    Row,
    Select,
    Uuid,
    column,
    desc,
    false,
    func,
    literal,
    select,
    true,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.database import tenant_engine
from scrapersky.errors import InvalidInput
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import TenantRowsQuery, count_up_to, estimate_rows, in_array
from scrapersky.queries.rows.attributions import attribution
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import (
    NONE,
    Condition,
    Filters,
    Parameter,
    conditions,
    parameters,
    parse_filters,
    pattern,
)
from scrapersky.queries.rows.sorts import Sort, default_sort, sorts
from scrapersky.tables.constraints import LISTED_SINCE
from scrapersky.tables.counts import counted_rows
from scrapersky.tables.tenant_isolation.search_functions import TEXT_COLUMNS, search_function

# Rows that a search finds are counted up to this number; so many rows are sorted quickly.
MAX_COUNTED = 10_000
# The rows that the command line reads with one statement.
ROWS_AT_ONCE = 1_000
Keys = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """The number of matching rows; one that is not exact is the largest number that was counted."""

    number: int
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some rows of a list; `next_keys` are those of the last row, if more follow."""

    rows: list[dict[str, Any]]
    next_keys: Keys | None
    total: Total


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """For every facet the number of rows by value, as if the facet's own filter were not set."""

    facets: dict[str, dict[Any, int]]
    total: Total


@dataclass(frozen=True, slots=True)
class _Selection:
    """The filters of a list, sorted by how they are answered.

    `conditions` hold beside those on facets. `is_narrow`: an index finds the few rows that meet them.
    `is_uncounted`: they match more than can be counted; `first_matches` are as many of them as are.
    """

    facets: Filters
    conditions: list[Condition] = field(default_factory=list)
    first_matches: list[UUID] | None = None
    is_narrow: bool = False
    is_uncounted: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Which rows of a list are wanted: so many after a row, or after so many rows, of an order."""

    sort: Sort
    after: Keys | None
    offset: int
    limit: int


Combinations = dict[tuple[Any, ...], int]


class ListQuery(TenantRowsQuery):
    """The lists of one tenant, read as the role that sees no other tenant's rows."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(tenant_engine(engine, tenant_id), tenant_id)

    async def page(
        self,
        entity: Entity,
        filters: Filters,
        *,
        sort: Sort | None = None,
        after: Keys | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> RowPage:
        """The rows after a row, or after so many rows, and the number of all that match."""
        filters = parse_filters(entity, filters.params)
        # The counts and the rows must be of one moment: the counts say where the rows are.
        async with self.snapshot() as connection:
            selection = await self._select(connection, entity, filters)
            place = _Place(sort or default_sort(entity), after, offset, limit)
            return await self._page(connection, entity, selection, place)

    async def name(self, entity: Entity, row_id: UUID) -> str | None:
        """What people call one row, or the source of a row without a name; nothing if there is none."""
        columns = entity.table.c
        name = columns[entity.name_column]
        label = func.coalesce(name, columns.source) if "source" in columns else name
        row_name: str | None = await self.scalar(select(label).where(columns.id == row_id))
        return row_name

    async def page_and_facets(
        self,
        entity: Entity,
        filters: Filters,
        *,
        sort: Sort | None = None,
        after: Keys | None = None,
        limit: int = 50,
    ) -> tuple[RowPage, FacetCounts]:
        """Both of the same moment, with one search for the texts of the filters."""
        filters = parse_filters(entity, filters.params)
        async with self.snapshot() as connection:
            selection = await self._select(connection, entity, filters)
            place = _Place(sort or default_sort(entity), after, 0, limit)
            page = await self._page(connection, entity, selection, place)
            return page, await self._facets(connection, entity, selection)

    async def list_rows(
        self, entity: Entity, filters: Filters | None = None, *, sort: Sort | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The first rows, as many as are wanted."""
        rows: list[dict[str, Any]] = []
        after = None
        while len(rows) < limit:
            size = min(limit - len(rows), ROWS_AT_ONCE)
            page = await self.page(entity, filters or Filters(), sort=sort, after=after, limit=size)
            rows += page.rows
            after = page.next_keys
            if after is None:
                break
        return rows

    async def count(self, entity: Entity, filters: Filters) -> int:
        """The exact number of matching rows; a search may read all of them."""
        filters = parse_filters(entity, filters.params)
        async with self.snapshot() as connection:
            selection = await self._select(connection, entity, filters)
            if selection.conditions:
                conditions = self._conditions(entity, selection)
                count = select(func.count()).select_from(entity.table).where(*conditions)
                return int((await connection.execute(count)).scalar_one())
            combinations = await self._combinations(connection, entity)
        return sum(_matching(entity, combinations, selection.facets).values())

    async def facets(self, entity: Entity, filters: Filters) -> FacetCounts:
        """The number of rows by value of every facet, each without its own filter."""
        filters = parse_filters(entity, filters.params)
        async with self.snapshot() as connection:
            selection = await self._select(connection, entity, filters)
            return await self._facets(connection, entity, selection)

    async def _facets(
        self, connection: AsyncConnection, entity: Entity, selection: _Selection
    ) -> FacetCounts:
        if selection.conditions:
            combinations, is_exact = await self._count_matching(connection, entity, selection)
        else:
            combinations, is_exact = await self._combinations(connection, entity), True
        numbers = {}
        for place, name in enumerate(entity.facets):
            values: dict[Any, int] = defaultdict(int)
            for combination, number in _matching(
                entity, combinations, selection.facets.without(name)
            ).items():
                values[combination[place]] += number
            numbers[name] = dict(values)
        total = sum(_matching(entity, combinations, selection.facets).values())
        return FacetCounts(numbers, Total(total, is_exact))

    async def named(
        self, entity: Entity, ids: Sequence[UUID], filters: Filters
    ) -> tuple[list[dict[str, Any]], set[UUID]]:
        """The rows with these ids as the list shows them, and the ids of those that match the filters."""
        columns, sort = entity.table.c, default_sort(entity)
        is_named = *self._own(entity), in_array(columns.id, set(ids))
        keys = select(*_key_columns(columns, sort)).where(*is_named)
        matching = select(columns.id).where(*is_named, *conditions(entity, self._tenant_id, filters))
        async with self.snapshot() as connection:
            rows = [dict(row) for row in (await connection.execute(_rows(entity, keys, sort))).mappings()]
            rows = await withhold_suppressed(connection, self._tenant_id, entity.table, rows)
            matching_ids = set((await connection.scalars(matching)).all())
        return rows, matching_ids

    async def newer(self, entity: Entity, filters: Filters, since: UUID, *, limit: int) -> int:
        """How many matching rows have been created since an id was made, up to a limit."""
        order = sorts(entity)["created_at"]
        page = await self.page(entity, filters, sort=order, after=(since,), limit=limit)
        return len(page.rows)

    # ---- filters

    async def _select(self, connection: AsyncConnection, entity: Entity, filters: Filters) -> _Selection:
        """Sort the filters by how they are answered; search for their texts first."""
        known = parameters(entity)
        facets = {name: values for name, values in filters.params.items() if known[name].is_facet}
        conditions: list[Condition] = []
        first_matches: list[UUID] | None = None
        is_narrow = is_uncounted = False
        for name, values in filters.params.items():
            if name in facets:
                continue
            match = known[name].match(entity.table.c, values)
            table = _searched_table(entity, known[name])
            ids = await self._search(connection, table, values) if table else None
            if ids is not None and len(ids) > MAX_COUNTED:
                first_matches = ids if table == entity.table.name else None
                ids = None
            if ids is not None:
                owner = "id" if table == entity.table.name else "domain_id"
                conditions.append(in_array(entity.table.c[owner], ids))
            if ids is None or known[name].sought != TEXT_COLUMNS[table]:
                conditions.append(match)
            is_narrow |= ids is not None or known[name].is_indexed
            is_uncounted |= bool(table) and ids is None
        if len(conditions) > 1:
            # Those that another condition excludes would be missing among as many as are counted.
            first_matches = None
        is_uncounted = is_uncounted and not is_narrow
        return _Selection(Filters(**facets), conditions, first_matches, is_narrow, is_uncounted)

    async def _search(self, connection: AsyncConnection, table: str, values: Sequence[str]) -> list[UUID]:
        """The ids of the rows that contain one of the texts, one more than are counted if they are more."""
        ids: set[UUID] = set()
        for value in values:
            search = getattr(func, search_function(table))(pattern(value), MAX_COUNTED + 1, type_=Uuid)
            matches = select(func.array_agg(search.column_valued("id")))
            matching = (await connection.execute(matches)).scalar_one() or []
            if matching[:1] == [None]:
                raise InvalidInput(
                    f"{value[:50]!r} is too short to be found among so many rows; use at least three"
                    " letters or digits in a row"
                )
            ids |= set(matching)
            if len(ids) > MAX_COUNTED:
                break
        return list(ids)[: MAX_COUNTED + 1]

    # ---- counts

    async def _combinations(self, connection: AsyncConnection, entity: Entity) -> Combinations:
        """The number of the tenant's rows by combination of facets, from the row counts."""
        counts = counted_rows(entity.table.name)
        facets = [counts.c[name] for name in entity.facets]
        number = func.sum(counts.c.number)
        query = select(*facets, number).where(counts.c.tenant_id == self._tenant_id)
        return _as_combinations(await connection.execute(query.group_by(*facets).having(number > 0)))

    async def _count_matching(
        self, connection: AsyncConnection, entity: Entity, selection: _Selection
    ) -> tuple[Combinations, bool]:
        """The same of the rows that meet the conditions, up to a limit; and whether that is all of them."""
        columns = [entity.table.c[name] for name in entity.facets]
        conditions = selection.conditions
        if selection.first_matches is not None:
            conditions = [in_array(entity.table.c.id, selection.first_matches)]
        matching = select(*columns).where(*self._own(entity), *conditions).limit(MAX_COUNTED + 1)
        rows = matching.subquery()
        facets = [rows.c[name] for name in entity.facets]
        query = select(*facets, func.count()).group_by(*facets)
        combinations = _as_combinations(await connection.execute(query))
        return combinations, sum(combinations.values()) <= MAX_COUNTED

    async def _total(
        self, connection: AsyncConnection, entity: Entity, selection: _Selection, matching: Combinations
    ) -> Total:
        number = sum(matching.values())
        if not selection.conditions or not number:
            return Total(number)
        if selection.is_uncounted:
            return Total(min(number, MAX_COUNTED), is_exact=False)
        conditions = self._conditions(entity, selection)
        counted = (
            await connection.execute(select(count_up_to(entity.table, *conditions, limit=MAX_COUNTED + 1)))
        ).scalar_one()
        return Total(min(counted, MAX_COUNTED), is_exact=counted <= MAX_COUNTED)

    # ---- rows

    async def _page(
        self, connection: AsyncConnection, entity: Entity, selection: _Selection, place: _Place
    ) -> RowPage:
        combinations = await self._combinations(connection, entity)
        matching = _matching(entity, combinations, selection.facets)
        total = await self._total(connection, entity, selection, matching)
        if not total.number:
            return RowPage([], None, total)
        sort, size = place.sort, place.offset + place.limit + 1
        if not total.is_exact and selection.is_narrow:
            is_sorted_sooner = await self._is_sorted_sooner(connection, entity, selection, matching, size)
            selection = replace(selection, is_narrow=is_sorted_sooner)
        allowed: list[dict[str, Any]] = []
        after, offset = place.after, place.offset
        while True:
            missing = place.limit - len(allowed)
            size = offset + missing + 1
            keys = self._keys(entity, selection, matching, sort, after, size=size).offset(offset)
            rows = [dict(row) for row in (await connection.execute(_rows(entity, keys, sort))).mappings()]
            has_more = len(rows) > missing
            rows = rows[:missing]
            after = sort.values(rows[-1]) if has_more else None
            allowed += await withhold_suppressed(connection, self._tenant_id, entity.table, rows)
            if after is None or len(allowed) == place.limit:
                return RowPage(allowed, after, total)
            # Rows that are withheld, which are about to be deleted, leave no gap.
            offset = 0

    async def _is_sorted_sooner(
        self,
        connection: AsyncConnection,
        entity: Entity,
        selection: _Selection,
        matching: Combinations,
        size: int,
    ) -> bool:
        """Whether to sort all rows that match, or to look for the first ones in every combination of facets.

        The rarer they are among the rows with these facets, the more of those have to be read for one match.
        """
        conditions = self._conditions(entity, selection)
        matches = max(await estimate_rows(connection, entity.table, *conditions), 1.0)
        rows_per_match = sum(matching.values()) / matches
        return matches <= len(matching) * size * rows_per_match

    def _keys(
        self,
        entity: Entity,
        selection: _Selection,
        matching: Combinations,
        sort: Sort,
        after: Keys | None,
        *,
        size: int,
    ) -> Select[Any]:
        """The sort keys of the first rows, from the index that finds them soonest."""
        has_index = sort.name != "priority_level" and not selection.facets
        is_few = sum(matching.values()) <= MAX_COUNTED
        if selection.is_narrow or has_index or not (sort.is_facet_order or is_few):
            return self._in_order(entity, selection, sort, after).limit(size)
        branches = [
            self._branch(entity, selection, sort, group, size=size)
            for group in _groups(entity, matching, sort, after)
        ]
        if not branches:
            return select(*_key_columns(entity.table.c, sort)).where(false())
        keys = union_all(*branches).subquery("merged")
        return select(*keys.c).order_by(*sort.order_by(keys.c)).limit(size)

    def _in_order(self, entity: Entity, selection: _Selection, sort: Sort, after: Keys | None) -> Select[Any]:
        columns = entity.table.c
        past = [] if after is None else [sort.after(columns, after)]
        query = select(*_key_columns(columns, sort)).where(*self._conditions(entity, selection), *past)
        return query.order_by(*sort.order_by(columns))

    def _branch(
        self, entity: Entity, selection: _Selection, sort: Sort, group: _Group, *, size: int
    ) -> Select[Any]:
        """The first rows of every combination of facets in a group, from the index of the facets."""
        columns = entity.table.c
        places = [place for place, name in enumerate(entity.facets) if name not in group.nulls]
        names = [entity.facets[place] for place in places]
        values = [
            literal([combination[place] for combination in group.combinations], ARRAY(columns[name].type))
            for place, name in zip(places, names, strict=True)
        ]
        valued = [column(name, columns[name].type) for name in names]
        combinations = func.unnest(*values).table_valued(*valued, name="combinations").render_derived()
        equal = [columns[name] == combinations.c[name] for name in names]
        missing = [columns[name].is_(None) for name in group.nulls]
        # The priority is the same in a combination, so the ids alone make the order of the facets.
        order = sort.last_key if sort.is_facet_order else sort
        past = [] if group.after is None else [order.after(columns, group.after[-len(order.keys) :])]
        query = select(*_key_columns(columns, sort)).where(
            *self._own(entity), *equal, *missing, *selection.conditions, *past
        )
        if sort.is_facet_order:
            # The planner does not see that a column that IS NULL is the same in all rows.
            nulls = [columns[name] if order.keys[0][1] else desc(columns[name]) for name in group.nulls]
            query = query.order_by(*nulls, *order.order_by(columns)).limit(size)
        rows = query.lateral("combination_rows")
        return select(*rows.c).select_from(combinations.join(rows, true()))

    def _conditions(self, entity: Entity, selection: _Selection) -> list[Condition]:
        known, columns = parameters(entity), entity.table.c
        facets = [known[name].match(columns, values) for name, values in selection.facets.params.items()]
        return [*self._own(entity), *facets, *selection.conditions]

    def _own(self, entity: Entity) -> list[Any]:
        """The tenant's rows, and what makes the indexes of lists usable."""
        return [
            entity.table.c.tenant_id == self._tenant_id,
            entity.table.c.created_at >= LISTED_SINCE,
        ]


@dataclass(frozen=True, slots=True)
class _Group:
    """Combinations of facets that one statement can read: the same facets are NULL."""

    combinations: list[tuple[Any, ...]]
    nulls: tuple[str, ...]
    after: Keys | None


def _groups(entity: Entity, matching: Combinations, sort: Sort, after: Keys | None) -> list[_Group]:
    """The combinations in which there may be rows after the keys."""
    groups: dict[tuple[tuple[str, ...], Keys | None], list[tuple[Any, ...]]] = defaultdict(list)
    for combination in matching:
        values = dict(zip(entity.facets, combination, strict=True))
        nulls = tuple(name for name, value in values.items() if value is None)
        place = _place(values, sort, after)
        if place >= 0:
            groups[nulls, after if place == 0 else None].append(combination)
    return [_Group(combinations, nulls, bound) for (nulls, bound), combinations in groups.items()]


def _place(values: dict[str, Any], sort: Sort, after: Keys | None) -> int:
    """Where the combination is in the order: before the keys (-1), around them (0) or after them (1)."""
    if after is None or sort.name != "priority_level":
        return 0
    distance = values["priority_level"] - after[0]
    return int(-distance if sort.keys[0][1] else distance)


def _searched_table(entity: Entity, parameter: Parameter) -> str:
    """The table in whose text columns the filter searches, or nothing if it has no search."""
    if not parameter.sought:
        return ""
    if parameter.name == "domain" and "domain_id" in entity.table.c:
        return tables.domains.name
    has_search = set(parameter.sought) <= set(TEXT_COLUMNS.get(entity.table.name, ()))
    return entity.table.name if has_search else ""


def _matching(entity: Entity, combinations: Combinations, filters: Filters) -> Combinations:
    """The combinations that the filters on facets allow."""
    allowed = [
        (entity.facets.index(name), {None if value == NONE else value for value in values})
        for name, values in filters.params.items()
    ]
    return {
        combination: number
        for combination, number in combinations.items()
        if all(_as_text(combination[place]) in values for place, values in allowed)
    }


def _as_text(value: Any) -> str | None:
    return None if value is None else str(value)


def _as_combinations(rows: Iterable[Row[Any]]) -> Combinations:
    return {tuple(row[:-1]): int(row[-1]) for row in rows}


def _key_columns(columns: Any, sort: Sort) -> list[Any]:
    return [columns[name] for name in dict.fromkeys(["id", *(name for name, _ in sort.keys)])]


def _rows(entity: Entity, keys: Select[Any], sort: Sort) -> Select[Any]:
    """The rows of these keys with the columns of the list, and the name of their domain."""
    table, key_rows = entity.table, keys.subquery("keys")
    names = dict.fromkeys(["id", *entity.columns, "created_at", "updated_at"])
    columns: list[Any] = [table.c[name] for name in names]
    query = select(*columns, entity.error.label("error")).join_from(
        key_rows, table, table.c.id == key_rows.c.id
    )
    if "domain_id" in table.c:
        domains = tables.domains
        query = query.add_columns(domains.c.domain).join(
            domains, domains.c.id == table.c.domain_id, isouter=bool(table.c.domain_id.nullable)
        )
    if (named := attribution(table)) is not None:
        query = query.add_columns(named.label("attribution"))
    return query.order_by(*sort.order_by(key_rows.c))
