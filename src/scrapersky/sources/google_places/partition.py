"""Cuts an area into cells that one query can list in full, at the lowest price.

A query returns at most 60 places, 20 a page, and each page with websites and phone numbers is paid for. The
identifiers alone cost nothing. So a full cell is halved, as in a quadtree, and whenever one half is no longer
full, the cut is moved until that half fills its pages: 59 places cost as much as 41.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from scrapersky.sources.google_places.area import Area

PAGE_SIZE = 20
QUERY_LIMIT = 60
# Empty seats on the pages of a cell that are not worth another move of the cut.
SPARE_SEATS = 2
MAX_MOVES = 6

Ids = frozenset[str]
Probe = Callable[[Area], Awaitable[Ids]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the area with the identifiers of its places; None if nobody has asked for them."""

    area: Area
    ids: Ids | None = None
    # Whether it is listed as it is: it is not full, or too small to be cut.
    is_final: bool = False

    @property
    def is_full(self) -> bool:
        """Whether a query for it may leave places out."""
        return self.ids is not None and len(self.ids) >= QUERY_LIMIT


def pages(places: int) -> int:
    return math.ceil(places / PAGE_SIZE)


async def divide(
    cell: Cell, probe: Probe, *, min_meters: float, in_time: Callable[[], bool] = lambda: True
) -> list[Cell]:
    """The cells that take the place of an open one. Out of time, the cuts are rougher."""
    ids = cell.ids if cell.ids is not None else await probe(cell.area)
    if len(ids) < QUERY_LIMIT or cell.area.longest_side <= min_meters:
        return [Cell(cell.area, ids, is_final=True)] if ids else []
    low, high = cell.area.cut(0.5)
    low_ids, high_ids = await asyncio.gather(probe(low), probe(high))
    halves = [Cell(low, low_ids), Cell(high, high_ids)]
    full = [half.is_full for half in halves]
    if all(full):
        return halves
    if not any(full):
        return await _balance(cell.area, halves, probe, in_time)
    return await _fill(cell.area, halves, probe, in_time)


async def _fill(area: Area, halves: list[Cell], probe: Probe, in_time: Callable[[], bool]) -> list[Cell]:
    """Enlarge the half that is not full until it fills its pages; the rest stays open."""
    smaller = 1 if halves[0].is_full else 0
    best, rest = halves[smaller], halves[1 - smaller]
    if not best.ids:
        return [rest]
    lower, upper = 0.5, 1.0
    for _ in range(MAX_MOVES):
        if _spare(best) <= SPARE_SEATS or not in_time():
            break
        share = (lower + upper) / 2
        parts = area.cut(share if smaller == 0 else 1 - share)
        ids = await probe(parts[smaller])
        if len(ids) >= QUERY_LIMIT:
            upper = share
            continue
        lower = share
        if _filling(len(ids)) >= _filling(len(best.ids or ())):
            best, rest = Cell(parts[smaller], ids), Cell(parts[1 - smaller])
    return [_final(best), rest]


async def _balance(area: Area, halves: list[Cell], probe: Probe, in_time: Callable[[], bool]) -> list[Cell]:
    """Move the cut between two halves that are not full until they need no page more than they must."""
    every = _ids(halves[0]) | _ids(halves[1])
    needed = pages(len(every))
    first = len(_ids(halves[0]))
    # The multiple of a page next to the first half, with room for the other part in one query.
    goals = [n for n in range(0, QUERY_LIMIT, PAGE_SIZE) if len(every) - n < QUERY_LIMIT] or [first]
    goal = min(goals, key=lambda n: abs(n - first))
    lower, upper, share = 0.0, 1.0, 0.5
    best = halves
    for _ in range(MAX_MOVES):
        if _cost(best) <= needed or not in_time():
            break
        lower, upper = (share, upper) if first < goal else (lower, share)
        share = (lower + upper) / 2
        parts = area.cut(share)
        ids = await probe(parts[0])
        first = len(ids)
        others = every - ids
        if first < QUERY_LIMIT and len(others) < QUERY_LIMIT:
            best = min(best, [Cell(parts[0], ids), Cell(parts[1], others)], key=_cost)
    return [_final(cell) for cell in best if cell.ids]


def _final(cell: Cell) -> Cell:
    return Cell(cell.area, cell.ids, is_final=True)


def _ids(cell: Cell) -> Ids:
    return cell.ids or frozenset()


def _cost(cells: list[Cell]) -> int:
    return sum(pages(len(_ids(cell))) for cell in cells)


def _spare(cell: Cell) -> int:
    places = len(_ids(cell))
    return pages(places) * PAGE_SIZE - places


def _filling(places: int) -> float:
    """The share of the seats on the pages that is taken; an empty cell needs no page."""
    return places / (pages(places) * PAGE_SIZE) if places else 0.0
