"""A file of JSON Lines that contacts are appended to."""

from __future__ import annotations

from uuid import UUID

import orjson

from scrapersky.destinations.destination import DeliveryPayload
from scrapersky.destinations.files import FileDestination
from scrapersky.destinations.writing import json_line


class JSONLFile(FileDestination):
    """Each line is one object; its first field is the delivery's identifier."""

    ending = ".jsonl"

    def line(self, parcel: DeliveryPayload) -> bytes:
        return json_line(parcel.contact, first={"delivery_id": str(parcel.delivery_id)}).encode()

    @staticmethod
    def id_of(line: bytes) -> UUID | None:
        try:
            return UUID(orjson.loads(line)["delivery_id"])
        except (ValueError, KeyError, TypeError):
            return None
