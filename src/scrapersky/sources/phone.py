"""The phone number of a listed place, as it can be dialled from anywhere."""

from __future__ import annotations

import re

from scrapersky.extract.geography import country_code
from scrapersky.extract.geography.domain_endings import country_of_ending
from scrapersky.extract.geography.place_words import PLACE_WORDS
from scrapersky.extract.phones.numbers import read_number
from scrapersky.sources.source import ListedPlace


def dialable_phone(place: ListedPlace) -> str | None:
    """The phone number of a place in E.164, read by the rules of its country."""
    if not place.phone:
        return None
    code = country_code(place.country) if place.country else None
    likely = [code] if code else [None, _country_of_city(place), *_countries_of_hosts(place)]
    numbers = (read_number(place.phone, country) for country in dict.fromkeys(likely))
    return next((number.e164 for number in numbers if number), None)


def _country_of_city(place: ListedPlace) -> str | None:
    code, weight = PLACE_WORDS.get((place.city or "").casefold(), (None, 0.0))
    return code if weight >= 1 else None


def _countries_of_hosts(place: ListedPlace) -> list[str | None]:
    """The countries of the top-level domains of its website and e-mail address."""
    hosts = [re.sub(r"^[a-z]+://|[/?#:].*$", "", place.website or "", flags=re.IGNORECASE)]
    hosts.append((place.email or "").rpartition("@")[2])
    return [country_of_ending(host.rstrip(".").rpartition(".")[2]) for host in hosts if "." in host]
