"""Charts: numbers in, positions out; nothing is scaled that is text, and nothing that exists is invisible."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.web.assets import load_assets
from scrapersky.web.console import charts
from scrapersky.web.console.charts import Loss, Step
from scrapersky.web.html import make_templates, show_duration

TEMPLATES = make_templates(load_assets())


def render(macro: str, chart: object) -> str:
    source = '{% import "_charts.html" as charts with context %}{{ charts.' + macro + "(chart) }}"
    return TEMPLATES.from_string(source).render(chart=chart)


# ---- values


@pytest.mark.parametrize("values", [[], [0], [5], [0, 0, 0], [1, 2, 3]])
def test_a_sparkline_stays_in_its_box(values: list[float]) -> None:
    line = charts.sparkline(values, "x").line
    places = [tuple(map(float, point.split())) for point in line.removeprefix("M").split("L")]
    assert len(places) >= 2
    assert all(0 <= x <= 100 and 0 <= y <= charts.LINE_HEIGHT for x, y in places)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=6))
def test_the_parts_of_a_bar_fill_it(numbers: list[int]) -> None:
    bar = charts.stack([(str(place), "info", number) for place, number in enumerate(numbers)])
    assert bar.total == sum(numbers)
    assert sum(part.width for part in bar.segments) == pytest.approx(100 if sum(numbers) else 0, abs=0.1)


def test_the_longest_bar_is_full() -> None:
    rows = charts.bars([("a", 3), ("b", 12), ("c", 0)], "x", hrefs=["/a"], tones=["bad"]).rows
    assert [bar.width for bar in rows] == [25, 100, 0]
    assert (rows[0].href, rows[0].tone, rows[1].href) == ("/a", "bad", "")


def test_ranges_share_one_logarithmic_axis() -> None:
    chart = charts.ranges([("fast", 10, 100), ("slow", 100, 10_000), ("idle", None, None)], "x")
    assert [(row.start, row.end) for row in chart.rows[:2]] == [(0, 33.33), (33.33, 100)]
    assert [text for _, text in chart.ticks] == [show_duration(ms) for ms in (10, 100, 1_000, 10_000)]


@given(st.lists(st.tuples(st.floats(0, 1e7), st.floats(0, 1e7)), max_size=5))
def test_every_range_is_inside(values: list[tuple[float, float]]) -> None:
    chart = charts.ranges([("x", *pair) for pair in values], "x")
    assert all(0 <= place <= 100 for row in chart.rows for place in (row.start, row.end))


def test_columns_are_stacked_below_the_highest() -> None:
    chart = charts.columns([("1", 3, 1), ("2", 0, 0), ("3", 1, 0)], "x", headers=("a", "b", "c"))
    assert chart.highest == 4
    assert [(column.height, column.top) for column in chart.columns] == [(75, 25), (0, 0), (25, 0)]


def test_shares_never_lie_at_the_ends() -> None:
    shown = [charts.show_share(number, 1_000).replace("\u202f", "") for number in (0, 1, 500, 999, 1_000)]
    assert shown == ["0%", "<1%", "50%", ">99%", "100%"]


# ---- the flow


STEPS = [
    Step(
        "Places",
        100,
        "/places",
        (Loss("rejected", 30, "/places?outcome=rejected"),),
        Loss("added directly", 20),
    ),
    Step("Businesses", 90, "/businesses", (Loss("no website", 1), Loss("waiting", 29, is_open=True))),
    Step("With website", 60),
]


def test_the_flow_counts_those_who_join_as_entered() -> None:
    drawn = charts.flow(STEPS)
    assert drawn.total == 120
    assert [column.share.replace("\u202f", "") for column in drawn.columns] == ["83%", "75%", "50%"]
    assert [column.stream for column in drawn.columns] == pytest.approx(
        [charts.BAR_HEIGHT * 70 / 120, charts.BAR_HEIGHT * 60 / 120, 0], abs=0.01
    )


def test_a_small_loss_can_be_seen() -> None:
    [loss, _] = charts.flow(STEPS).columns[1].losses
    numbers = [float(each) for each in re.findall(r"-?\d+\.?\d*", loss.path)]
    assert max(numbers) - min(numbers) > charts.MIN_MARK
    assert all(0 <= number <= charts.FLOW_HEIGHT for number in numbers)


def test_the_flow_is_drawn_with_names_numbers_and_links() -> None:
    html = render("flow", charts.flow(STEPS))
    assert '<a href="/places?outcome=rejected"><b>−30</b> rejected</a>' in html
    assert "<b>+20</b> added directly" in html
    assert html.count('role="img"') == 3
    assert 'class="flow-wait"' in html


# ---- drawing


DRAWN = {
    "sparkline": charts.sparkline([1, 2], "Pages by hour"),
    "stack": charts.stack([("new", "info", 2)]),
    "bars": charts.bars([("<script>", 2)], "Errors", hrefs=["/dead-letters"]),
    "ranges": charts.ranges([("Reading of pages", 12, 140)], "Durations"),
    "columns": charts.columns([("12:00", 1, 2)], "Rows", headers=("From", "Done", "Failed")),
    "flow": charts.flow(STEPS),
}


@pytest.mark.parametrize("macro", DRAWN)
def test_every_chart_has_a_label_and_no_inline_style_or_script(macro: str) -> None:
    html = render(macro, DRAWN[macro])
    assert "aria-label=" in html
    assert "style=" not in html
    assert "<script" not in html


@pytest.mark.parametrize("macro", ["bars", "ranges", "columns", "flow"])
def test_charts_bring_their_numbers_as_a_table(macro: str) -> None:
    html = render(macro, DRAWN[macro])
    assert "<details" in html
    assert "<table>" in html


@pytest.mark.parametrize("macro", DRAWN)
def test_no_text_is_inside_a_scaled_picture(macro: str) -> None:
    html = render(macro, DRAWN[macro])
    for picture in re.findall(r'<svg[^>]*preserveAspectRatio="none".*?</svg>', html, re.DOTALL):
        assert "<text" not in picture


@pytest.mark.parametrize(
    ("ms", "text"),
    [(None, "–"), (0.5, "0.5 ms"), (999.6, "1000 ms"), (1_400, "1.4 s"), (5_000, "5 s"), (7.2e6, "2 h")],
)
def test_durations_are_short(ms: float | None, text: str) -> None:
    assert show_duration(ms).replace("\u202f", " ") == text
