"""A CSV file that contacts are appended to, one line each."""

from __future__ import annotations

from uuid import UUID

from scrapersky.destinations.destination import DeliveryPayload
from scrapersky.destinations.files import FileDestination
from scrapersky.destinations.writing import COLUMNS, cells_of, csv_line


class CSVFile(FileDestination):
    """The delivery's identifier is the first column; machines may turn off the option `formula_safe`."""

    ending = ".csv"
    header = csv_line(["delivery_id", *COLUMNS]).encode()

    def line(self, parcel: DeliveryPayload) -> bytes:
        # A record must be one line of the file, so that a torn one can be told from a whole one.
        cells = [" ".join(cell.splitlines()) for cell in cells_of(parcel.contact)]
        is_safe = parcel.options.get("formula_safe", True) is not False
        return csv_line([str(parcel.delivery_id), *cells], formula_safe=is_safe).encode("utf-8", "replace")

    @staticmethod
    def id_of(line: bytes) -> UUID | None:
        return _uuid(line[:36])


def _uuid(text: bytes) -> UUID | None:
    try:
        return UUID(text.decode("ascii"))
    except ValueError:
        return None
