"""How often findings of each confidence are right, as tables with bars."""

from __future__ import annotations

from collections.abc import Iterable

from quality.bands import Band, bands_of, name_of

# Finer steps than the bands that a test guards: they show where confidence and precision part.
STEPS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_BAR = 20


def render(findings: Iterable[tuple[str, float, bool]], without: dict[str, tuple[int, int]]) -> str:
    """A part for each field; `without` has the pages without a value that got one at 0.9 or more, and all."""
    parts = []
    for field, bands in bands_of(findings, floors=STEPS).items():
        sure = [band for band in bands if band.floor >= 0.9]
        right, total = sum(band.right for band in sure), sum(band.total for band in sure)
        share = f"{right / total:.3f} ({right} of {total})" if total else "no finding"
        said = f"Precision at 0.9 or more: {share}."
        if field in without:
            said += " Pages without one that get one at 0.9 or more: {} of {}.".format(*without[field])
        parts += [f"### {field.capitalize()}", "", said, ""]
        parts += ["| Confidence | Findings | Right | Precision | |", "|---|--:|--:|--:|---|"]
        parts += [*map(_row, filter(lambda band: band.total, bands)), ""]
    return "\n".join(parts).rstrip()


def _row(band: Band) -> str:
    share = band.right / band.total
    full = round(share * _BAR)
    bar, mark = "█" * full + "·" * (_BAR - full), round(band.floor * _BAR)
    name = name_of(band, floors=STEPS)
    return f"| {name} | {band.total} | {band.right} | {share:.3f} | `{bar[:mark]}¦{bar[mark:]}` |"
