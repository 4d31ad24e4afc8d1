"""Charts: numbers turned into positions, which the macros of `_charts.html` draw as SVG.

Marks are placed in percent, or in a view box that holds no text, so that no text is ever scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor, log10
from typing import TypeVar

from scrapersky.web.html import GROUP, show_duration, show_number

T = TypeVar("T")
# The height of a sparkline's view box; its width is 100.
LINE_HEIGHT = 28.0
# The view box of one column of the flow: how tall the first bar is, and where losses leave the picture.
FLOW_HEIGHT, BAR_HEIGHT, NODE_WIDTH = 120.0, 84.0, 4.0
LOSS_START, LOSS_WIDTH, MIN_MARK = 10.0, 0.34, 1.2


# ---- a line without axes


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Two paths in a box of 100 by 28, from a baseline of zero."""

    line: str
    area: str
    label: str


def sparkline(values: Sequence[float], label: str) -> Sparkline:
    points = list(values) if len(values) > 1 else [*values, *values, 0, 0][:2]
    top, step = max(*points, 1), 100 / (len(points) - 1)
    height = LINE_HEIGHT - 3
    places = [(place * step, LINE_HEIGHT - 1 - height * value / top) for place, value in enumerate(points)]
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return Sparkline(line, f"{line}L100 {LINE_HEIGHT:g}L0 {LINE_HEIGHT:g}Z", label)


# ---- a bar of several parts


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, placed in percent."""

    name: str
    tone: str
    number: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Stack:
    segments: tuple[Segment, ...]
    total: int
    label: str


def stack(parts: Sequence[tuple[str, str, int]]) -> Stack:
    """Parts are (name, tone, number); a tone is a colour of pills: info, accent, good, warn, bad, mute."""
    total, start = sum(number for _, _, number in parts), 0.0
    segments = []
    for name, tone, number in parts:
        width = share(number, total)
        if number:
            segments.append(Segment(name, tone, number, round(start, 2), round(width, 2)))
        start += width
    label = ", ".join(f"{show_number(each.number)} {each.name}" for each in segments) or "nothing yet"
    return Stack(tuple(segments), total, label)


# ---- horizontal bars


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a bar chart; `width` is in percent of the longest, `part` the darker beginning of the bar."""

    name: str
    number: float
    width: float
    text: str
    href: str = ""
    tone: str = "accent"
    part: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    rows: tuple[Bar, ...]
    label: str
    headers: tuple[str, str]


def bars(
    rows: Sequence[tuple[str, float]],
    label: str,
    *,
    headers: tuple[str, str] = ("Name", "Number"),
    hrefs: Sequence[str] = (),
    tones: Sequence[str] = (),
    parts: Sequence[float] = (),
    notes: Sequence[str] = (),
) -> Bars:
    """Rows are (name, number), in the order in which they are drawn; the other lists run beside them."""
    longest = max((number for _, number in rows), default=0)
    drawn = [
        Bar(
            name,
            number,
            round(share(number, longest), 2),
            show_number(number),
            _at(hrefs, place, ""),
            _at(tones, place, "accent"),
            round(share(_at(parts, place, 0.0), longest), 2),
            _at(notes, place, ""),
        )
        for place, (name, number) in enumerate(rows)
    ]
    return Bars(tuple(drawn), label, headers)


# ---- dot and range


@dataclass(frozen=True, slots=True)
class Range:
    """A line from p50 to p95, placed in percent; None where nothing was measured."""

    name: str
    low: float | None
    high: float | None
    start: float
    end: float
    href: str = ""


@dataclass(frozen=True, slots=True)
class Ranges:
    rows: tuple[Range, ...]
    # Where the axis has a mark, in percent, and what stands there.
    ticks: tuple[tuple[float, str], ...]
    label: str


def ranges(
    rows: Sequence[tuple[str, float | None, float | None]], label: str, *, hrefs: Sequence[str] = ()
) -> Ranges:
    """Rows are (name, p50, p95) in milliseconds; all share one logarithmic axis from whole power to power."""
    known = [value for _, low, high in rows for value in (low, high) if value]
    first = floor(log10(max(min(known, default=1), 0.1)))
    last = max(ceil(log10(max(*known, 1))) if len(known) > 1 else first + 1, first + 1)

    def place(value: float | None) -> float:
        return round(100 * (log10(max(value or 0, 10.0**first)) - first) / (last - first), 2)

    drawn = tuple(
        Range(name, low, high, place(low), place(high), _at(hrefs, index, ""))
        for index, (name, low, high) in enumerate(rows)
    )
    powers = range(first, last + 1)
    ticks = tuple((place(10.0**power), show_duration(10.0**power)) for power in powers)
    return Ranges(drawn, ticks, label)


# ---- a waterfall


@dataclass(frozen=True, slots=True)
class TimeBar:
    """One step of a waterfall, placed in percent of the whole time."""

    name: str
    start: float
    width: float
    text: str
    href: str = ""
    tone: str = "accent"


@dataclass(frozen=True, slots=True)
class Waterfall:
    rows: tuple[TimeBar, ...]
    ticks: tuple[tuple[float, str], ...]
    label: str


def waterfall(rows: Sequence[tuple[str, datetime, datetime, str, str]], label: str) -> Waterfall:
    """Rows are (name, begin, end, tone, href); the picture reaches from the first begin to the last end."""
    first = min((begin for _, begin, *_ in rows), default=None)
    if first is None:
        return Waterfall((), (), label)
    total = max((end for _, _, end, *_ in rows)) - first
    drawn = tuple(
        TimeBar(
            name,
            round(share((begin - first).total_seconds(), total.total_seconds()), 2),
            round(share((end - begin).total_seconds(), total.total_seconds()), 2),
            show_duration(1_000 * (end - begin).total_seconds()),
            href,
            tone,
        )
        for name, begin, end, tone, href in rows
    )
    ticks = tuple((place, show_duration(10 * place * total.total_seconds())) for place in (0.0, 50.0, 100.0))
    return Waterfall(drawn, ticks, label)


# ---- columns over time


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    start: float
    width: float
    height: float
    top: float
    number: int
    other: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Stacked columns in percent of the picture: `height` of the number, `top` of the other above it."""

    columns: tuple[Column, ...]
    ticks: tuple[tuple[float, str], ...]
    highest: int
    label: str
    headers: tuple[str, str, str]


def columns(
    rows: Sequence[tuple[str, int, int]], label: str, *, headers: tuple[str, str, str], ticks: int = 6
) -> Columns:
    """Rows are (name, number, other) from left to right, such as done and failed in each minute."""
    highest = max((number + other for _, number, other in rows), default=0)
    width = 100 / max(len(rows), 1)
    drawn = tuple(
        Column(
            name,
            round(place * width, 3),
            round(width * 0.8, 3),
            round(share(number, highest), 2),
            round(share(other, highest), 2),
            number,
            other,
        )
        for place, (name, number, other) in enumerate(rows)
    )
    every = max(ceil(len(rows) / ticks), 1)
    names = tuple((round(place * width, 2), rows[place][0]) for place in range(0, len(rows), every))
    return Columns(drawn, names, highest, label, headers)


# ---- the flow


@dataclass(frozen=True, slots=True)
class Loss:
    """Those who stop after a step; `is_open` if they only wait. `href` leads to their list."""

    name: str
    number: int
    href: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the flow: how many reach it, who stops after it, and who joins the next step from outside."""

    name: str
    number: int
    href: str = ""
    losses: tuple[Loss, ...] = ()
    joining: Loss | None = None


@dataclass(frozen=True, slots=True)
class Ribbon:
    path: str
    loss: Loss
    share: str


@dataclass(frozen=True, slots=True)
class FlowColumn:
    """One step as it is drawn in a box of 100 by 120, whose right edge touches the next step."""

    step: Step
    share: str
    width: float
    bar: float
    stream: float
    losses: tuple[Ribbon, ...]
    joining: Ribbon | None
    label: str


@dataclass(frozen=True, slots=True)
class Flow:
    columns: tuple[FlowColumn, ...]
    total: int
    label: str


def flow(steps: Sequence[Step]) -> Flow:
    """The way from the first step to the last; 100 % are all who ever entered."""
    joined = sum(step.joining.number for step in steps if step.joining)
    total = (steps[0].number if steps else 0) + joined
    scale = BAR_HEIGHT / max([total, *(step.number for step in steps), 1])
    following = [*steps[1:], None]
    drawn = [_flow_column(step, after, total, scale) for step, after in zip(steps, following, strict=True)]
    last = steps[-1] if steps else None
    label = f"{show_number(last.number)} of {show_number(total)} reach {last.name}" if last else "nothing yet"
    return Flow(tuple(drawn), total, label)


def _flow_column(step: Step, after: Step | None, total: int, scale: float) -> FlowColumn:
    joining = step.joining.number if step.joining and after else 0
    kept = max(after.number - joining, 0) if after else 0
    bar, stream = _mark(step.number * scale, step.number), kept * scale
    losses = [loss for loss in step.losses if loss.number]
    label = f"{show_number(step.number)} {step.name}, {show_share(step.number, total)}"
    label += "".join(f"; {show_number(loss.number)} {loss.name}" for loss in losses)
    return FlowColumn(
        step=step,
        share=show_share(step.number, total),
        width=round(share(step.number, total), 2),
        bar=bar,
        stream=round(stream, 2),
        losses=_ribbons(losses, stream, total, scale),
        joining=_joining(step.joining, stream, total, scale) if joining else None,
        label=label,
    )


def _ribbons(losses: Sequence[Loss], top: float, total: int, scale: float) -> tuple[Ribbon, ...]:
    """Each loss leaves below the stream and falls; the upper one turns outside of the lower ones."""
    heights = [_mark(loss.number * scale, loss.number) for loss in losses]
    edge = LOSS_START + sum(_fall(height) for height in heights)
    made = []
    for loss, height in zip(losses, heights, strict=True):
        left, bottom = edge - _fall(height), top + height
        path = (
            f"M{NODE_WIDTH:g} {top:.1f}C{edge:.1f} {top:.1f} {edge:.1f} {top:.1f} {edge:.1f} {FLOW_HEIGHT:g}"
            f"H{left:.1f}C{left:.1f} {bottom:.1f} {left:.1f} {bottom:.1f} {NODE_WIDTH:g} {bottom:.1f}Z"
        )
        made.append(Ribbon(path, loss, show_share(loss.number, total)))
        edge, top = left, bottom
    return tuple(made)


def _joining(loss: Loss | None, top: float, total: int, scale: float) -> Ribbon | None:
    """Those who come from outside rise into the next step, below the stream."""
    if loss is None:
        return None
    height = _mark(loss.number * scale, loss.number)
    right, bottom = 100 - LOSS_START, top + height
    left = right - _fall(height)
    path = (
        f"M100 {top:.1f}C{left:.1f} {top:.1f} {left:.1f} {top:.1f} {left:.1f} {FLOW_HEIGHT:g}"
        f"H{right:.1f}C{right:.1f} {bottom:.1f} {right:.1f} {bottom:.1f} 100 {bottom:.1f}Z"
    )
    return Ribbon(path, loss, show_share(loss.number, total))


def _fall(height: float) -> float:
    return max(height * LOSS_WIDTH, MIN_MARK)


def _mark(height: float, number: int) -> float:
    """A height that can be seen whenever there is anything."""
    return round(max(height, MIN_MARK if number else 0), 2)


# ---- shares


def share(number: float, total: float) -> float:
    return 100 * number / total if total else 0.0


def show_share(number: float, total: float) -> str:
    """A share in whole percent; never 0 % for something and never 100 % for less than everything."""
    percent = share(number, total)
    if 0 < percent < 1:
        return f"<1{GROUP}%"
    if 99 < percent < 100:
        return f">99{GROUP}%"
    return f"{percent:.0f}{GROUP}%"


def _at(values: Sequence[T], place: int, default: T) -> T:
    return values[place] if place < len(values) else default
