"""What a stage may reach the world with: names that are not there are an error of the row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from fakes import FakeDestination, FakeSource, context
from scrapersky.engine.outcome import Discard


def test_sources_and_destinations_are_found_by_name() -> None:
    source, destination = FakeSource(), FakeDestination()
    kit = context(sources={"fake": source}, destinations={"crm": destination})

    assert kit.source("fake") is source
    assert kit.destination("crm") is destination


def test_an_unknown_name_is_discarded_with_the_known_ones() -> None:
    kit = context(sources={"csv": FakeSource(), "fake": FakeSource()})

    with pytest.raises(Discard, match="Invalid source 'atlas'; expected one of csv, fake"):
        kit.source("atlas")
    with pytest.raises(Discard, match="Invalid destination kind 'crm'; expected one of none"):
        kit.destination("crm")


def test_the_clock_of_a_stage_can_be_replaced() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)

    assert context(clock=lambda: moment).now() is moment
    assert context().now().tzinfo is UTC
