"""Files in the export folder as destinations: which file a parcel belongs in, and writing off the loop."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from scrapersky.destinations.appending import GrowingFile
from scrapersky.destinations.destination import DeliveryPayload, Destination
from scrapersky.errors import DestinationError

_UNFIT = re.compile(r"[^\w.\-]+")
_NAME = re.compile(r"\w[\w.\- ]{0,99}")


class FileDestination(ABC):
    """A folder of files; the option `file` names one, else the destination's own name does.

    Files of the default tenant are in the folder itself, those of any other in a folder of its own below it.
    """

    ending: str
    header: bytes = b""

    def __init__(self, folder: Path, default_tenant: UUID) -> None:
        self._folder, self._default_tenant = folder, default_tenant
        self._files: dict[Path, GrowingFile] = {}

    @abstractmethod
    def line(self, parcel: DeliveryPayload) -> bytes:
        """The parcel as one line, its end included."""

    @staticmethod
    @abstractmethod
    def id_of(line: bytes) -> UUID | None:
        """The delivery that a line stands for."""

    async def deliver(self, parcel: DeliveryPayload) -> str:
        path = self._folder_of(parcel.tenant_id) / self._file_name(parcel)
        if path not in self._files:
            self._files[path] = GrowingFile(path, self.id_of, header=self.header)
        try:
            await asyncio.to_thread(self._add, self._files[path], parcel)
        except OSError as error:
            raise DestinationError(f"{path.name} cannot be written: {error.strerror or error}") from error
        return f"{path.name}#{parcel.delivery_id}"

    def _add(self, file: GrowingFile, parcel: DeliveryPayload) -> None:
        file.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.add(parcel.delivery_id, self.line(parcel))

    def _folder_of(self, tenant_id: UUID) -> Path:
        return self._folder if tenant_id == self._default_tenant else self._folder / str(tenant_id)

    def _file_name(self, parcel: DeliveryPayload) -> str:
        given = str(parcel.options.get("file") or "")
        if given and not _NAME.fullmatch(given):
            raise DestinationError(f"{given[:100]!r} is not the name of a file in the export folder")
        name = given or _UNFIT.sub("-", parcel.destination).strip("-.")[:100] or "contacts"
        return name if name.endswith(self.ending) else name + self.ending


def file_destinations(folder: Path, default_tenant: UUID) -> Mapping[str, Destination]:
    """The destinations that need nothing but a folder, by kind."""
    from scrapersky.destinations.csv_file import CSVFile
    from scrapersky.destinations.jsonl_file import JSONLFile

    return {"csv": CSVFile(folder, default_tenant), "jsonl": JSONLFile(folder, default_tenant)}
