"""The rectangle that a search covers, in degrees of latitude and longitude."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scrapersky.errors import InvalidInput

KM_PER_DEGREE = 111.32
MIN_RADIUS_KM, MAX_RADIUS_KM = 0.05, 500.0
# A box over the 180th meridian has its west east of its east; a wider one has its numbers swapped.
MAX_CROSSING_WIDTH = 60.0


@dataclass(frozen=True, slots=True)
class Box:
    """From south to north and from west to east; `west > east` crosses the 180th meridian."""

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        latitudes, longitudes = (self.south, self.north), (self.west, self.east)
        if not all(math.isfinite(value) for value in (*latitudes, *longitudes)):
            raise InvalidInput("A box has four finite numbers")
        if not all(-90 <= value <= 90 for value in latitudes):
            raise InvalidInput("The latitudes of a box lie between -90 and 90: south, west, north, east")
        if not all(-180 <= value <= 180 for value in longitudes):
            raise InvalidInput("The longitudes of a box lie between -180 and 180: south, west, north, east")
        if self.south >= self.north:
            raise InvalidInput("The south of a box must lie south of its north: south, west, north, east")
        if self.west == self.east or (self.crosses and self.width > MAX_CROSSING_WIDTH):
            raise InvalidInput("The west of a box must lie west of its east: south, west, north, east")

    @property
    def crosses(self) -> bool:
        return self.west > self.east

    @property
    def width(self) -> float:
        return self.east - self.west + (360 if self.crosses else 0)

    def contains(self, latitude: float, longitude: float) -> bool:
        if not self.south <= latitude <= self.north:
            return False
        if self.crosses:
            return longitude >= self.west or longitude <= self.east
        return self.west <= longitude <= self.east

    def to_json(self) -> dict[str, float]:
        return {"south": self.south, "west": self.west, "north": self.north, "east": self.east}

    @classmethod
    def from_json(cls, values: Any) -> Box:
        try:
            return cls(*(float(values[side]) for side in ("south", "west", "north", "east")))
        except (KeyError, TypeError, ValueError):
            raise InvalidInput("A box has the numbers south, west, north and east") from None

    @classmethod
    def around(cls, latitude: float, longitude: float, radius_km: float) -> Box:
        """The box that holds the circle around a point."""
        if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
            raise InvalidInput("A point is a latitude from -90 to 90 and a longitude from -180 to 180")
        if not MIN_RADIUS_KM <= radius_km <= MAX_RADIUS_KM:
            raise InvalidInput(
                f"Invalid radius {radius_km:g} km; expected {MIN_RADIUS_KM} to {MAX_RADIUS_KM:g}"
            )
        high = radius_km / KM_PER_DEGREE
        south, north = max(-90.0, latitude - high), min(90.0, latitude + high)
        # Degrees of longitude are narrowest on the side of the pole.
        narrowest = math.cos(math.radians(min(89.0, max(abs(south), abs(north)))))
        wide = high / narrowest
        if wide >= MAX_CROSSING_WIDTH / 2:
            return cls(_round(south), -180.0, _round(north), 180.0)
        west, east = (_wrap(longitude + offset) for offset in (-wide, wide))
        return cls(_round(south), _round(west), _round(north), _round(east))

    def __str__(self) -> str:
        return ",".join(f"{value:g}" for value in (self.south, self.west, self.north, self.east))


def parse_box(text: str) -> Box:
    """`S,W,N,E`."""
    numbers = _numbers(text)
    if len(numbers) != 4:
        raise InvalidInput(f"Invalid box {text[:80]!r}; expected SOUTH,WEST,NORTH,EAST in degrees")
    return Box(*numbers)


def parse_point(text: str) -> tuple[float, float]:
    """`LAT,LON`."""
    numbers = _numbers(text)
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        raise InvalidInput(f"Invalid point {text[:80]!r}; expected LATITUDE,LONGITUDE in degrees")
    return numbers[0], numbers[1]


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []


def _wrap(longitude: float) -> float:
    return (longitude + 180) % 360 - 180


def _round(value: float) -> float:
    return round(value, 6)
