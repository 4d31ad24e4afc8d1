"""What the processes of one measurement tell each other: counts and moments in a file that all map."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from time import monotonic

MOST_WORKERS = 8
_NUMBER = struct.Struct("q")
_MOMENT = struct.Struct("d")
_HEAD = MOST_WORKERS * _NUMBER.size


class Marks:
    """A counter for each worker, and for each item the moments at which it was sent and handled.

    A mark costs a fraction of a microsecond, so it disturbs nobody. The clock is the machine's monotonic one,
    the same in all processes.
    """

    def __init__(self, path: Path, *, items: int = 0) -> None:
        if items:
            path.write_bytes(bytes(_HEAD + 2 * items * _MOMENT.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._items = (len(self._map) - _HEAD) // (2 * _MOMENT.size)

    def count(self, worker: int) -> None:
        place = worker * _NUMBER.size
        _NUMBER.pack_into(self._map, place, _NUMBER.unpack_from(self._map, place)[0] + 1)

    @property
    def total(self) -> int:
        return sum(number for (number,) in _NUMBER.iter_unpack(self._map[:_HEAD]))

    def sent(self, item: int) -> None:
        _MOMENT.pack_into(self._map, _HEAD + item * _MOMENT.size, monotonic())

    def handled(self, item: int) -> None:
        _MOMENT.pack_into(self._map, _HEAD + (self._items + item) * _MOMENT.size, monotonic())

    def waits(self, items: int) -> list[float]:
        """How long each of the first items waited, in milliseconds."""
        moments = [moment for (moment,) in _MOMENT.iter_unpack(self._map[_HEAD:])]
        pairs = zip(moments[:items], moments[self._items : self._items + items], strict=True)
        return [(handled - sent) * 1000 for sent, handled in pairs]
