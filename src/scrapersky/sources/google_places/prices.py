"""What Google bills: a call costs what the most expensive field of its mask costs."""

from __future__ import annotations

from dataclasses import dataclass

ID_SEARCH = "text_search_ids"
PAID_SEARCH = "text_search_enterprise"
PAID_DETAILS = "place_details_enterprise"
SKUS = (ID_SEARCH, PAID_SEARCH, PAID_DETAILS)
SKU_TITLES = {
    ID_SEARCH: "Text Search Essentials (IDs Only)",
    PAID_SEARCH: "Text Search Enterprise",
    PAID_DETAILS: "Place Details Enterprise",
}

PLACE_FIELDS = (
    "id", "displayName", "formattedAddress", "postalAddress", "location", "primaryType", "businessStatus",
    "googleMapsUri", "attributions", "internationalPhoneNumber", "nationalPhoneNumber", "websiteUri",
    "rating", "userRatingCount",
)  # fmt: skip
ID_MASK = "places.id,nextPageToken"
SEARCH_MASK = ",".join([*(f"places.{name}" for name in PLACE_FIELDS), "nextPageToken"])
DETAILS_MASK = ",".join(PLACE_FIELDS)


@dataclass(frozen=True, slots=True)
class Price:
    """What calls of one kind cost in a month: the first ones nothing, then a price per thousand."""

    usd_per_1000: float = 0.0
    free_calls: int = 0
    # Calls beyond the cap are not made; None means no cap.
    cap: int | None = None

    def cost(self, calls: int) -> float:
        """The price of the first calls of a month, in US dollars."""
        return max(0, calls - self.free_calls) * self.usd_per_1000 / 1000

    def added_cost(self, before: int, more: int) -> float:
        return self.cost(before + more) - self.cost(before)
