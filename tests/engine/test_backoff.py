"""How long a row waits before its next try: properties that hold for every figure (A17, R056)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.engine.outcome import Discard, RetryAfter, Snooze, backoff, bounded_wait, outcome_of
from scrapersky.engine.stage import EngineOptions, Item

MOMENTS = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=3650))
RETRIES = st.integers(min_value=-5, max_value=10**9)
CHANCES = st.floats(min_value=0, max_value=1)


def item(retries=0, most=3):
    return Item("id", "tenant", None, seq=1, retries=retries, crashes=0, max_retries=most)


@pytest.mark.req("R056")
@pytest.mark.parametrize(("retry", "minutes"), [(1, 1), (2, 2), (3, 4), (4, 8), (6, 32), (7, 60), (50, 60)])
def test_the_wait_doubles_from_one_minute_up_to_an_hour(retry, minutes):
    assert backoff(retry) == timedelta(minutes=minutes)


@given(RETRIES, RETRIES, MOMENTS, MOMENTS)
def test_waits_never_get_shorter_from_try_to_try_before_jitter_a17(one, other, base, cap):
    first, second = sorted((one, other))

    assert backoff(first, base=base, cap=cap) <= backoff(second, base=base, cap=cap) <= cap


@given(RETRIES, MOMENTS, MOMENTS, CHANCES)
def test_jitter_adds_at_most_a_fifth_and_never_takes_away_a17(retry, base, cap, chance):
    plain = backoff(retry, base=base, cap=cap)

    assert plain <= backoff(retry, base=base, cap=cap, chance=chance)
    assert backoff(retry, base=base, cap=cap, chance=chance) <= plain * 1.2 + timedelta.resolution


def test_jitter_makes_waits_differ_up_to_a_fifth_a17():
    waits = [backoff(2, chance=chance / 10) for chance in range(11)]

    assert waits[0] == timedelta(minutes=2)
    assert waits[10] == timedelta(minutes=2) * 1.2
    assert len(set(waits)) == 11


@given(RETRIES, MOMENTS, MOMENTS, st.floats(allow_nan=False))
def test_no_figure_makes_a_wait_negative_or_overflow_a17(retry, base, cap, chance):
    assert timedelta(0) <= backoff(retry, base=base, cap=cap, chance=chance) <= cap * 1.2


@given(st.timedeltas())
def test_what_the_other_side_asks_for_is_honoured_up_to_a_day_a17(asked):
    expected = min(max(asked, timedelta(0)), timedelta(hours=24))

    outcome = outcome_of(RetryAfter("429", wait=asked), item(), EngineOptions(), chance=0.5)

    assert (outcome.kind, outcome.wait) == ("retried", expected)
    assert (
        outcome_of(Snooze(wait=asked), item(), EngineOptions(), chance=0.5).wait
        == bounded_wait(asked)
        == expected
    )


@pytest.mark.req("R053", "R163")
@given(
    st.lists(st.sampled_from([ValueError, OSError, TimeoutError, "429"]), min_size=10, max_size=10), CHANCES
)
def test_a_row_is_tried_at_most_four_times_whatever_it_raises_a17(errors, chance):
    tries = 0
    for kind in errors:
        error = RetryAfter("429", wait=timedelta(1)) if kind == "429" else kind("no")
        outcome = outcome_of(error, item(tries, EngineOptions().max_retries), EngineOptions(), chance=chance)
        tries += 1
        if outcome.kind == "failed":
            break

    assert tries == 4


@pytest.mark.req("R055", "R057")
@given(st.integers(min_value=0, max_value=20), st.integers(min_value=0, max_value=20))
def test_a_row_with_its_own_maximum_fails_when_that_is_reached(retries, most):
    kind = outcome_of(ValueError("no"), item(retries, most), EngineOptions(), chance=0).kind

    assert kind == ("retried" if retries < most else "failed")


def test_later_may_name_an_instant_and_never_uses_up_a_try():
    instant = datetime(2027, 1, 1, tzinfo=UTC)

    outcome = outcome_of(Snooze("quota", until=instant), item(3), EngineOptions(), chance=1)

    assert (outcome.kind, outcome.until, outcome.reason) == ("snoozed", instant, "quota")


def test_give_up_fails_whatever_is_left():
    assert outcome_of(Discard("gone"), item(0), EngineOptions(), chance=0).kind == "failed"
