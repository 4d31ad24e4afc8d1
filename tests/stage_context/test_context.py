"""What a stage may reach the world with: names that are not there are an error of the row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from fakes import FakeSource, context
from scrapersky.engine.outcome import Discard


def test_sources_are_found_by_name() -> None:
    source = FakeSource()

    assert context(sources={"fake": source}).source("fake") is source


def test_an_unknown_name_is_discarded_with_the_known_ones() -> None:
    kit = context(sources={"csv": FakeSource(), "fake": FakeSource()})

    with pytest.raises(Discard, match="Invalid source 'atlas'; expected one of csv, fake"):
        kit.source("atlas")


def test_the_clock_of_a_stage_can_be_replaced() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)

    assert context(clock=lambda: moment).now() is moment
    assert context().now().tzinfo is UTC
