"""Google Places API (New): adaptive search with the fewest paid calls, and a ledger of them."""

from scrapersky.sources.google_places.client import GoogleOptions, PlacesClient
from scrapersky.sources.google_places.ledger import CallLedger
from scrapersky.sources.google_places.source import SOURCE_NAME, GooglePlaces

__all__ = ["SOURCE_NAME", "CallLedger", "GoogleOptions", "GooglePlaces", "PlacesClient"]
