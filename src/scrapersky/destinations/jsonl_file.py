"""A file of JSON Lines that contacts are appended to."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

import orjson

from scrapersky.destinations.contact_format import json_line
from scrapersky.destinations.destination import DeliveryPayload
from scrapersky.destinations.file_destination import FileDestination


class JSONLFile(FileDestination):
    """Each line is one object; its first field is the delivery's identifier."""

    kind: ClassVar[str] = "jsonl"
    suffix = ".jsonl"

    def line(self, payload: DeliveryPayload) -> bytes:
        return json_line(payload.contact, first={"delivery_id": str(payload.delivery_id)}).encode()

    @staticmethod
    def read_id(line: bytes) -> UUID | None:
        try:
            return UUID(orjson.loads(line)["delivery_id"])
        except (ValueError, KeyError, TypeError):
            return None
