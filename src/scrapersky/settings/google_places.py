"""Settings of the search of Google Places."""

from __future__ import annotations

from scrapersky.settings.field import Group, Secret, ShortText, setting


class GooglePlacesSettings(Group):
    """Google Places"""

    google_maps_api_key: Secret = setting(
        None, "Key for the Places API (New); Google is not searched without it."
    )
    google_places_url: ShortText = setting("https://places.googleapis.com/", "Places API URL.")
    google_places_language: ShortText = setting(
        "", "Language of names and addresses, such as de; empty lets Google choose."
    )
    google_places_search_cap: int = setting(
        1_000,
        "Paid searches a month (one lists up to 20 places); beyond them nothing is searched.",
        editable=True,
        ge=0,
        le=10_000_000,
    )
    google_places_details_cap: int = setting(
        1_000,
        "Paid requests for the details of one place a month.",
        editable=True,
        ge=0,
        le=10_000_000,
    )
    google_places_search_usd: int = setting(
        35, "Your price of 1,000 paid searches in US dollars, for previews.", editable=True, ge=0, le=10_000
    )
    google_places_details_usd: int = setting(
        20,
        "Your price of 1,000 requests for details in US dollars, for previews.",
        editable=True,
        ge=0,
        le=10_000,
    )
    google_places_free_calls: int = setting(
        1_000,
        "Paid calls of each kind a month that Google does not charge, for previews.",
        editable=True,
        ge=0,
        le=10_000_000,
    )
    google_places_requests_per_minute: int = setting(
        600, "Maximum requests a minute, per process.", ge=1, le=100_000
    )
    google_places_min_cell_meters: int = setting(
        2, "Cells of a search are not cut below this size.", ge=1, le=10_000
    )
