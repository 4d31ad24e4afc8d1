"""Exports as jobs: a list becomes a file in the export folder of its tenant, complete or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.contacts.rechecks import EmailRechecks, checked_chunks
from scrapersky.actions.jobs import submit_job
from scrapersky.destinations.contact_file import AddRow, detect_format, open_contact_file
from scrapersky.destinations.contact_format import ExportOptions
from scrapersky.destinations.file_destination import FILE_NAME
from scrapersky.errors import DestinationError, InvalidInput
from scrapersky.queries.exports import list_export
from scrapersky.queries.rows.entities import LISTS
from scrapersky.queries.rows.filters import Filters

Rows = Sequence[Mapping[str, Any]]


def check_export_file(name: str) -> None:
    """A plain name whose ending says the format."""
    if not FILE_NAME.fullmatch(name) or name != name.strip():
        raise InvalidInput(f"Invalid file name {name[:120]!r}; expected a name such as contacts.xlsx")
    try:
        detect_format(Path(name))
    except DestinationError as error:
        raise InvalidInput(str(error)) from None


async def submit_export(
    connection: AsyncConnection, actor: Actor, entity: str, filters: Filters, file: str
) -> UUID:
    """Add the job in the caller's transaction; it writes the rows that match when it runs."""
    data: dict[str, Any] = {"entity": entity, "filters": filters.to_json(), "file": file}
    number, job_id = await submit_job(
        connection, tenant_id=actor.tenant_id, job_type="export_rows", data=data, created_by=actor.user_id
    )
    await record(connection, actor, "job.submit", table="jobs", row_id=number, after=data)
    return job_id


class Exporter:
    """`folder_of` names the folder of a tenant. Whoever is suppressed is left out, as in every export."""

    def __init__(
        self, engine: AsyncEngine, folder_of: Callable[[UUID], Path], rechecks: EmailRechecks
    ) -> None:
        self._engine, self._folder_of, self._rechecks = engine, folder_of, rechecks

    async def write(self, tenant_id: UUID, entity: str, filters: Mapping[str, Any], file: str) -> int:
        """The number of rows; a file of this name is replaced."""
        folder = self._folder_of(tenant_id)
        await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        path, written = folder / file, 0
        export = list_export(self._engine, LISTS[entity], tenant_id, Filters.from_json(filters))
        options = ExportOptions(detect_format(path))
        with open_contact_file(path, options, export.columns) as add:
            async for rows in checked_chunks(self._engine, export, self._rechecks):
                await asyncio.to_thread(_add_all, add, rows)
                written += len(rows)
        return written


def _add_all(add: AddRow, rows: Rows) -> None:
    for row in rows:
        add(row)
