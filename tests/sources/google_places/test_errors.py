"""What Google refuses or fails to do becomes an error of the right class, with a reason for people."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from google_lab import KEY, PAID, GoogleLab, google_lab
from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.sources.google_places.client import check_key
from scrapersky.sources.google_places.errors import (
    APINotEnabled,
    BillingDisabled,
    GoogleFailed,
    KeyMissing,
    KeyRejected,
    PlaceGone,
    QuotaExhausted,
    next_midnight,
)
from scrapersky.sources.google_places.prices import PAID_DETAILS, PAID_SEARCH
from scrapersky_demo.contracts.google_city import clustered_city

CITY = clustered_city(30)


@pytest.fixture
async def lab(db: AsyncEngine) -> AsyncIterator[GoogleLab]:
    async with google_lab(db, CITY) as running:
        yield running


async def test_without_a_key_nothing_is_called(db: AsyncEngine) -> None:
    async with google_lab(db, CITY, key="") as lab:
        with pytest.raises(KeyMissing, match="GOOGLE_MAPS_API_KEY is not set"):
            await lab.search(await lab.add_search())
        assert lab.server.calls == 0
        assert await check_key(lab.source.client) == "not configured"


async def test_a_wrong_key_is_permanent_and_is_not_shown(db: AsyncEngine) -> None:
    async with google_lab(db, CITY, key="wrong-secret-key") as lab:
        with pytest.raises(KeyRejected, match="check GOOGLE_MAPS_API_KEY") as caught:
            await lab.search(await lab.add_search())
        assert isinstance(caught.value, Discard)
        assert "wrong-secret-key" not in str(caught.value)
        assert "GOOGLE_MAPS_API_KEY" in await check_key(lab.source.client)
        assert "wrong-secret-key" not in repr(lab.source.client.options)


async def test_an_api_that_is_not_enabled_and_missing_billing_are_told_apart(lab: GoogleLab) -> None:
    search = await lab.add_search()
    lab.server.failures.is_api_disabled = True
    with pytest.raises(APINotEnabled, match=r"Enable the Places API \(New\)"):
        await lab.search(search)
    lab.server.failures.is_api_disabled, lab.server.failures.is_billing_disabled = False, True
    with pytest.raises(BillingDisabled, match="Enable billing"):
        await lab.search(search)


@pytest.mark.parametrize(("asked", "seconds"), [(None, 60), (7, 7)])
async def test_a_quota_of_a_minute_is_waited_for(lab: GoogleLab, asked: int | None, seconds: int) -> None:
    lab.server.failures.calls_per_minute, lab.server.failures.retry_after = 0, asked
    with pytest.raises(QuotaExhausted) as caught:
        await lab.search(await lab.add_search())
    assert isinstance(caught.value, Snooze)
    assert caught.value.wait == timedelta(seconds=seconds)
    assert await check_key(lab.source.client) == "ok"


async def test_a_quota_of_a_day_is_waited_for_until_midnight_in_california(lab: GoogleLab) -> None:
    lab.server.failures.calls_per_day = 0
    with pytest.raises(QuotaExhausted) as caught:
        await lab.search(await lab.add_search())
    assert caught.value.until == next_midnight(datetime.now(UTC))
    assert next_midnight(datetime(2026, 1, 1, 9, tzinfo=UTC)) == datetime(2026, 1, 2, 8, tzinfo=UTC)


async def test_calls_that_google_refuses_are_not_booked(lab: GoogleLab) -> None:
    lab.server.failures.unavailable = 2
    search = await lab.add_search()
    for _ in range(2):
        with pytest.raises(GoogleFailed, match="HTTP 503"):
            await lab.search(search)
    await lab.search(search)
    assert (await lab.calls())[PAID_SEARCH] == (lab.server.billed[PAID],) * 2 == (2, 2)


async def test_a_cut_connection_stays_booked_because_it_may_be_billed(lab: GoogleLab) -> None:
    search = await lab.add_search()
    lab.server.failures.cut_every = 3
    places = None
    while places is None:
        try:
            places = await lab.search(search)
        except GoogleFailed:
            continue
    booked, answered = (await lab.calls())[PAID_SEARCH]
    assert len(places) == 30
    assert answered <= lab.server.billed[PAID] <= booked
    assert booked > answered


async def test_a_page_of_html_is_a_failure_of_the_service(lab: GoogleLab) -> None:
    lab.server.failures.html = 1
    with pytest.raises(GoogleFailed, match="not JSON"):
        await lab.search(await lab.add_search())


@pytest.mark.req("R269")
async def test_a_service_that_keeps_failing_is_left_alone(lab: GoogleLab) -> None:
    lab.server.failures.unavailable = 100
    search = await lab.add_search()
    for _ in range(5):
        with pytest.raises(GoogleFailed):
            await lab.search(search)
    calls = lab.server.calls
    with pytest.raises(Snooze, match="google_places keeps failing"):
        await lab.search(search)
    assert lab.server.calls == calls


@pytest.mark.req("R246")
async def test_details_that_the_search_has_paid_for_cost_nothing(lab: GoogleLab) -> None:
    place = (await lab.search(await lab.add_search()))[0]

    assert await lab.source.details(place.place_id, place.to_json()) == place
    assert lab.server.billed["place_details_enterprise"] == 0


async def test_details_that_have_expired_are_one_paid_call(lab: GoogleLab) -> None:
    known = CITY.places[0]
    place = await lab.source.details(known.place_id, {})

    assert (place.place_id, place.name) == (known.place_id, known.name)
    assert None not in (place.phone, place.expires_at)
    assert lab.server.billed["place_details_enterprise"] == 1
    assert (await lab.calls())[PAID_DETAILS] == (1, 1)
    with pytest.raises(PlaceGone):
        await lab.source.details("ChIJgone", {})
    assert (await lab.calls())[PAID_DETAILS] == (1, 1)


async def test_the_key_is_checked_by_a_free_call(lab: GoogleLab) -> None:
    assert await check_key(lab.source.client) == "ok"
    assert set(lab.server.billed) == {"text_search_ids"}
    assert KEY not in repr(lab.source.client.options)
