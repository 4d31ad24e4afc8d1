"""Submits a search in an uploaded file of businesses; of the file only the chosen columns are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.place_files.table_preview import PLACE, TablePreview, preview_table, rename_columns
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import SubmittedSearch, submit_search
from scrapersky.errors import InvalidInput
from scrapersky.queries.places.columns import CHOICE, ColumnChoice
from scrapersky.sources.catalog import SourceEntry
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import choose_columns, named_heading
from scrapersky.sources.csv.uploads import Uploads
from scrapersky.sources.csv_file import PlaceFile, read_places

SOURCE = "csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFileOptions:
    """`kind` and `location` are words that a line must have; `country` is where numbers are read."""

    kind: str = ""
    location: str = ""
    country: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedPlaceFile:
    """The search, what was read from which column, and the lines that name no business."""

    search: SubmittedSearch
    places: int
    columns: dict[str, str]
    refused: list[tuple[int, str]]
    notes: list[tuple[int, str]]


async def submit_place_file(
    engine: AsyncEngine,
    actor: Actor,
    sources: Mapping[str, SourceEntry],
    uploads: Uploads,
    read: Callable[[], Iterable[bytes]],
    mapping: Mapping[str, str],
    options: PlaceFileOptions,
) -> SubmittedPlaceFile:
    """`read` gives the bytes of the file, from their beginning; without a mapping its headings decide."""
    heading = named_heading(mapping)
    table = await asyncio.to_thread(preview_table, PLACE, read(), options.encoding, heading=heading)
    return await submit_chosen(
        engine, actor, sources, uploads, read, table, choice_for(table, mapping), options, heading=heading
    )


async def submit_chosen(
    engine: AsyncEngine,
    actor: Actor,
    sources: Mapping[str, SourceEntry],
    uploads: Uploads,
    read: Callable[[], Iterable[bytes]],
    table: TablePreview,
    choice: ColumnChoice,
    options: PlaceFileOptions,
    *,
    heading: str = "",
) -> SubmittedPlaceFile:
    """The same with the number of each field's column."""
    content, problems = await asyncio.to_thread(
        rename_columns,
        read(),
        choice.columns,
        options.encoding,
        skips_first=choice.has_headings,
        heading=heading,
    )
    places = await asyncio.to_thread(_read_places, content, options.country)
    if not places.places:
        raise InvalidInput("No line of the file names a business; check the columns")
    path = await asyncio.to_thread(uploads.save_for_search, content)
    params: dict[str, Any] = {"file": str(path), CHOICE: choice.to_json(table.headings)}
    if options.country:
        params["country"] = options.country
    request = SearchRequest(options.kind, options.location, SOURCE, params=params)
    search = await submit_search(engine, actor, request, sources)
    refused = sorted([*problems, *places.problems])
    return SubmittedPlaceFile(search, len(places.places), headings_of(table, choice), refused, places.notes)


def choice_for(table: TablePreview, mapping: Mapping[str, str]) -> ColumnChoice:
    """The choice that a mapping means for a file; without one, that of the file's own headings."""
    if not mapping:
        return ColumnChoice(table.mapping, table.has_headings)
    try:
        chosen = choose_columns(table.headings, mapping)
    except InvalidCSV as error:
        raise InvalidInput(f"The columns do not fit the file: {error}") from None
    return ColumnChoice(chosen.columns, table.has_headings or bool(named_heading(mapping)))


def headings_of(table: TablePreview, choice: ColumnChoice) -> dict[str, str]:
    """The choice as a mapping keeps it: by heading, or by number where there is none."""
    headings = table.headings if choice.has_headings else ()
    named = dict(enumerate(headings))
    return {field: named.get(at, "").strip() or f"column {at + 1}" for field, at in choice.columns.items()}


def _read_places(content: bytes, country: str) -> PlaceFile:
    try:
        return read_places([content], country=country)
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None
