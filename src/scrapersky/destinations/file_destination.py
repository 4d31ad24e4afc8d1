"""Destinations that append contacts to files in the export folder."""

from __future__ import annotations

import asyncio
import os
import re
from abc import ABC, abstractmethod
from pathlib import Path
from uuid import UUID

from scrapersky.destinations.append_only_file import AppendOnlyFile
from scrapersky.destinations.destination import DeliveryPayload, DestinationContext
from scrapersky.errors import DestinationError

_UNSAFE = re.compile(r"[^\w.\-]+")
FILE_NAME = re.compile(r"\w[\w.\- ]{0,99}")


class FileDestination(ABC):
    """A folder of files; the option `file` names one, else the destination's own name does.

    Files of the default tenant are in the folder itself; every other tenant has a folder of its own below it.
    """

    suffix: str
    header: bytes = b""

    def __init__(self, context: DestinationContext) -> None:
        self._folder, self._default_tenant = context.folder, context.default_tenant
        self._files: dict[Path, AppendOnlyFile] = {}

    @abstractmethod
    def line(self, payload: DeliveryPayload) -> bytes:
        """The payload as one line, its line end included."""

    @staticmethod
    @abstractmethod
    def read_id(line: bytes) -> UUID | None:
        """The delivery that a line belongs to."""

    async def deliver(self, payload: DeliveryPayload) -> str:
        path = self._tenant_folder(payload.tenant_id) / self._file_name(payload)
        if path not in self._files:
            self._files[path] = AppendOnlyFile(path, self.read_id, header=self.header)
        try:
            await asyncio.to_thread(self._append, self._files[path], payload)
        except OSError as error:
            raise DestinationError(f"Cannot write {path.name}: {error.strerror or error}") from error
        return f"{path.name}#{payload.delivery_id}"

    async def check(self, payload: DeliveryPayload) -> str:
        folder, name = self._tenant_folder(payload.tenant_id), self._file_name(payload)
        try:
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise DestinationError(f"Cannot write {name}: {error.strerror or error}") from error
        if not os.access(folder, os.W_OK):
            raise DestinationError(f"Cannot write {name}: the export folder cannot be written")
        return f"ok: contacts are appended to {name} in the export folder"

    def _append(self, file: AppendOnlyFile, payload: DeliveryPayload) -> None:
        file.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.append(payload.delivery_id, self.line(payload))

    def _tenant_folder(self, tenant_id: UUID) -> Path:
        return self._folder if tenant_id == self._default_tenant else self._folder / str(tenant_id)

    def _file_name(self, payload: DeliveryPayload) -> str:
        chosen = str(payload.options.get("file") or "")
        if chosen and not FILE_NAME.fullmatch(chosen):
            problem = f"Invalid file name {chosen[:100]!r}"
            raise DestinationError(f"{problem}; expected the name of a file in the export folder")
        name = chosen or _UNSAFE.sub("-", payload.destination).strip("-.")[:100] or "contacts"
        return name if name.endswith(self.suffix) else name + self.suffix
