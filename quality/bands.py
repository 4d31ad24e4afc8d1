"""Precision by confidence: a band is honest when at least that share of its findings is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# The least confidence of each band; the last one ends at 1.
FLOORS = (0.0, 0.7, 0.9)
# What is delivered without a person must be right this often; a band with fewer findings proves nothing.
GOAL = 0.98
LEAST_FINDINGS = 10


@dataclass(slots=True)
class Band:
    """The findings of one field whose confidence lies in one band."""

    floor: float
    right: int = 0
    wrong: int = 0

    @property
    def total(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        return self.right / self.total if self.total else None

    @property
    def is_honest(self) -> bool:
        return self.precision is None or self.precision >= self.floor


def name_of(band: Band, *, floors: Sequence[float] = FLOORS) -> str:
    """The band in words, such as 0.7 to 0.9."""
    above = [floor for floor in floors if floor > band.floor]
    if not above:
        return f"{band.floor:g} and more"
    return f"{band.floor:g} to {above[0]:g}" if band.floor else f"below {above[0]:g}"


def bands_of(
    findings: Iterable[tuple[str, float, bool]], *, floors: Sequence[float] = FLOORS
) -> dict[str, list[Band]]:
    """For each field its bands, filled with the findings: field, confidence, and whether it is right."""
    bands: dict[str, list[Band]] = {}
    for field, confidence, is_right in findings:
        of_field = bands.setdefault(field, [Band(floor) for floor in floors])
        band = next(one for one in reversed(of_field) if confidence >= one.floor)
        if is_right:
            band.right += 1
        else:
            band.wrong += 1
    return bands


def threshold_of(bands: Sequence[Band]) -> float | None:
    """The least confidence from which up every band with enough findings reaches the goal."""
    threshold = None
    for band in reversed(bands):
        if band.total < LEAST_FINDINGS:
            continue
        if (band.precision or 0.0) < GOAL:
            break
        threshold = band.floor
    return threshold
