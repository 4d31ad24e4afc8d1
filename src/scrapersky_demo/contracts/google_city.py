"""An invented city whose businesses stand in clusters, as the contract server of Google Places knows them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

BOX = {"south": 52.35, "west": 13.10, "north": 52.67, "east": 13.75}
CLUSTERS = 40
# The share of places that stand anywhere, not in a cluster.
SCATTERED = 0.2


@dataclass(frozen=True, slots=True)
class InventedPlace:
    place_id: str
    name: str
    kind: str
    latitude: float
    longitude: float
    website: str = ""
    phone: str = ""
    relevance: float = 0.0
    status: str = "OPERATIONAL"
    country: str = "DE"

    def to_json(self) -> dict[str, Any]:
        """Every field that the server knows, as the service writes it."""
        number = int(self.relevance * 200) + 1
        values: dict[str, Any] = {
            "id": self.place_id,
            "name": f"places/{self.place_id}",
            "displayName": {"text": self.name, "languageCode": "de"},
            "formattedAddress": f"Musterweg {number}, 10115 Musterstadt, Deutschland",
            "postalAddress": {
                "regionCode": self.country,
                "postalCode": "10115",
                "locality": "Musterstadt",
                "addressLines": [f"Musterweg {number}"],
            },
            "location": {"latitude": self.latitude, "longitude": self.longitude},
            "types": [self.kind, "point_of_interest", "establishment"],
            "primaryType": self.kind,
            "businessStatus": self.status,
            "googleMapsUri": f"https://maps.google.com/?cid={self.place_id}",
            "rating": round(1 + self.relevance * 4, 1),
            "userRatingCount": number,
        }
        if self.website:
            values["websiteUri"] = self.website
        if self.phone:
            values["internationalPhoneNumber"] = self.phone
        return values


@dataclass
class InventedCity:
    """Places of several kinds; a text query finds those of the kind that it names."""

    places: Sequence[InventedPlace]
    by_id: dict[str, InventedPlace] = field(init=False)

    def __post_init__(self) -> None:
        self.by_id = {place.place_id: place for place in self.places}

    def find(self, query: str) -> list[InventedPlace]:
        words = query.casefold()
        return [place for place in self.places if place.kind in words]


def clustered_city(
    count: int,
    *,
    seed: int = 1,
    kind: str = "bakery",
    websites: Sequence[str] = (),
    spread: float = 0.01,
    others: int = 0,
) -> InventedCity:
    """So many places of a kind, most of them in clusters of different size and density.

    The first places get the `websites`; `others` are places of another kind among them.
    """
    draw = random.Random(seed)  # noqa: S311 - an invented city, not a secret.
    clusters = [
        (_somewhere(draw), draw.expovariate(1.0), draw.uniform(0.1, 1.0) * spread) for _ in range(CLUSTERS)
    ]
    places = []
    for number in range(count + others):
        latitude, longitude = _point(draw, clusters)
        own = number < count
        places.append(
            InventedPlace(
                place_id=f"ChIJ{draw.getrandbits(96):024x}",
                name=f"{'Bäckerei' if own else 'Laden'} Muster {number + 1}",
                kind=kind if own else "shoe_store",
                latitude=latitude,
                longitude=longitude,
                website=websites[number] if own and number < len(websites) else "",
                phone=f"+49 30 {23_125_801 + number}",
                relevance=draw.random(),
            )
        )
    return InventedCity(places)


def _somewhere(draw: random.Random) -> tuple[float, float]:
    return draw.uniform(BOX["south"], BOX["north"]), draw.uniform(BOX["west"], BOX["east"])


def _point(draw: random.Random, clusters: list[Any]) -> tuple[float, float]:
    """Inside of the city, with the seven decimals that the service has."""
    while True:
        if draw.random() < SCATTERED:
            latitude, longitude = _somewhere(draw)
        else:
            (middle, around), _, size = draw.choices(clusters, [cluster[1] for cluster in clusters])[0]
            latitude, longitude = draw.gauss(middle, size), draw.gauss(around, size * 1.6)
        if BOX["south"] <= latitude <= BOX["north"] and BOX["west"] <= longitude <= BOX["east"]:
            return round(latitude, 7), round(longitude, 7)
