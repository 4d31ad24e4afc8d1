"""Rectangles on the map, and how they are cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METERS_PER_DEGREE = 111_320
# Nine decimals are a tenth of a millimetre; more would make two names for one cell.
DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle between two parallels and two meridians; `west` is greater than `east` across 180°."""

    south: float
    west: float
    north: float
    east: float

    @classmethod
    def from_params(cls, box: Mapping[str, Any]) -> Area:
        """The box of a search; raises ValueError when it is none."""
        try:
            area = cls(*(float(box[side]) for side in ("south", "west", "north", "east")))
        except (KeyError, TypeError, ValueError):
            raise ValueError("a box needs the numbers south, west, north and east") from None
        if not (-90 <= area.south < area.north <= 90):
            raise ValueError("the south of a box must be less than its north, both from -90 to 90")
        if not (-180 <= area.west <= 180 and -180 <= area.east <= 180) or area.west == area.east:
            raise ValueError("the west and east of a box must differ and be from -180 to 180")
        return area

    @property
    def width(self) -> float:
        """In degrees of longitude."""
        return (self.east - self.west) % 360

    @property
    def meters(self) -> tuple[float, float]:
        """Width and height."""
        shrink = math.cos(math.radians((self.south + self.north) / 2))
        return self.width * METERS_PER_DEGREE * shrink, (self.north - self.south) * METERS_PER_DEGREE

    @property
    def longest_side(self) -> float:
        return max(self.meters)

    def cut(self, share: float) -> tuple[Area, Area]:
        """Two parts of the longer side; the first, in the south or west, has this share of it."""
        width, height = self.meters
        if height > width:
            middle = round(self.south + (self.north - self.south) * share, DECIMALS)
            return Area(self.south, self.west, middle, self.east), Area(
                middle, self.west, self.north, self.east
            )
        middle = round(self.west + self.width * share, DECIMALS)
        middle = middle - 360 if middle > 180 else middle
        return Area(self.south, self.west, self.north, middle), Area(
            self.south, middle, self.north, self.east
        )

    def rectangle(self) -> dict[str, Any]:
        """As Google's `locationRestriction` wants it."""
        low = {"latitude": self.south, "longitude": self.west}
        high = {"latitude": self.north, "longitude": self.east}
        return {"rectangle": {"low": low, "high": high}}
