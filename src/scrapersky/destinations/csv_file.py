"""A CSV file that contacts are appended to, one line each."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.destinations.contact_format import csv_line, text_cells
from scrapersky.destinations.destination import DeliveryPayload
from scrapersky.destinations.file_destination import FileDestination


class CSVFile(FileDestination):
    """The delivery's identifier is the first column; the option `formula_safe` may be disabled."""

    kind: ClassVar[str] = "csv"
    suffix = ".csv"
    header = csv_line(["delivery_id", *CONTACT_COLUMNS]).encode()

    def line(self, payload: DeliveryPayload) -> bytes:
        # A record must be one line of the file, so that an incomplete one can be recognised.
        cells = [" ".join(cell.splitlines()) for cell in text_cells(payload.contact)]
        is_safe = payload.options.get("formula_safe", True) is not False
        return csv_line([str(payload.delivery_id), *cells], formula_safe=is_safe).encode("utf-8", "replace")

    @staticmethod
    def read_id(line: bytes) -> UUID | None:
        try:
            return UUID(line[:36].decode("ascii"))
        except ValueError:
            return None
