"""OpenStreetMap as a source: searches its files by box and tags, and reads a place from its own table."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import RUNNING_ITEM
from scrapersky.errors import SourceError
from scrapersky.sources.box import Box
from scrapersky.sources.catalog import SourceEntry, SourceState
from scrapersky.sources.kinds import OSMTags, osm_kind
from scrapersky.sources.openstreetmap.element import Coordinates, Element, ElementFile, find_elements
from scrapersky.sources.openstreetmap.json_file import JSONElements
from scrapersky.sources.openstreetmap.pbf_file import PBFElements
from scrapersky.sources.openstreetmap.places import ATTRIBUTION, osm_place
from scrapersky.sources.phone import dialable_phone
from scrapersky.sources.source import MAX_PLACES, ListedPlace

NAME = "openstreetmap"
LICENCE = "ODbL 1.0: name the contributors; share what you derive from the data under the same licence"
SETUP = (
    "Download OpenStreetMap with one line: curl -o places.json https://overpass-api.de/api/interpreter"
    " --data-urlencode 'data=[out:json][timeout:300][bbox:{box}];"
    'nwr[name][~"^(shop|craft|office|healthcare|tourism|leisure|amenity)$"~"."];out center;\';'
    " then set OPENSTREETMAP_PATH to that file or its folder"
)
ENDINGS = ("*.json", "*.pbf")
_JSON, _PBF, _XML = b"{", b"OSMHeader", b"<"


class OpenStreetMapSource:
    """Searches extracts. The records go to a table of their own, because their licence asks for it."""

    keeps_records = True

    def __init__(self, path: str, database: Database) -> None:
        self._path, self._database = path, database

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        box, tags = Box.from_json(params.get("box")), osm_kind(kind)
        limit = int(params.get("limit") or 0)
        path, stop = str(params.get("file") or self._path), Event()
        work = asyncio.create_task(asyncio.to_thread(search_files, path, tags, box, limit, stop))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([work])
            raise

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        """The place from its stored record. The phone number is in E.164, or missing."""
        item = RUNNING_ITEM.get()
        if item is None:
            raise RuntimeError("a place of OpenStreetMap is read as an item of its stage")
        columns = tables.osm_elements.c

        async def work(connection: AsyncConnection) -> Any:
            query = select(columns.latitude, columns.longitude, columns.tags).where(
                columns.tenant_id == item.tenant_id, columns.place_id == place_id
            )
            return (await connection.execute(query)).first()

        row = await self._database.in_transaction(work)
        if row is None:
            raise Discard(f"The record {place_id} of OpenStreetMap is not stored any more; search again")
        type_, _, number = place_id.partition("/")
        place = osm_place(Element(type_, int(number), row.tags, Coordinates(row.latitude, row.longitude)))
        return replace(place, phone=dialable_phone(place))


def openstreetmap_entry(path: str) -> SourceEntry:
    return SourceEntry(
        NAME,
        "OpenStreetMap",
        licence=LICENCE,
        attribution=ATTRIBUTION,
        needs_area=True,
        needs_kind=True,
        setup=SETUP,
        check_kind=osm_kind,
        state=lambda: _state(path),
    )


async def check_openstreetmap(path: str) -> str:
    """Opens every file, and reads it up to its first element with a name."""
    return await asyncio.to_thread(_check, path)


def _check(path: str) -> str:
    files = extract_files(path)
    for file in files:
        if next((element for element in open_extract(file).tagged(("name",)) if element.name), None) is None:
            raise SourceError(f"{file.name} has no element with a name")
    return f"ok: {len(files)} files, the newest of {_data_date(files)}"


def search_files(path: str, kind: OSMTags, box: Box, limit: int, stop: Event) -> list[ListedPlace]:
    """The places of a kind in the box; with a limit, those that say most about how to reach them."""
    matches = _places(extract_files(path), kind, box, stop)
    if limit:
        return heapq.nsmallest(limit, matches, key=_rank)
    places: list[ListedPlace] = []
    for place in matches:
        places.append(place)
        if len(places) > MAX_PLACES:
            raise SourceError(f"More than {MAX_PLACES:,} places; use a smaller box or a limit")
    return sorted(places, key=_rank)


def _places(files: Iterable[Path], kind: OSMTags, box: Box, stop: Event) -> Iterator[ListedPlace]:
    """Extracts may overlap; an element counts once."""
    seen: set[str] = set()
    for file in files:
        for element in find_elements(open_extract(file), kind, box):
            if stop.is_set():
                return
            if element.place_id not in seen:
                seen.add(element.place_id)
                yield osm_place(element, kind)


def _rank(place: ListedPlace) -> tuple[int, str]:
    ways_to_reach = (place.website, place.email, place.phone)
    return -sum(value is not None for value in ways_to_reach), place.place_id


def extract_files(path: str) -> list[Path]:
    """The file, or every JSON and PBF file below the folder."""
    if not path:
        raise SourceError("The source openstreetmap has no data; set OPENSTREETMAP_PATH")
    place = Path(path).expanduser()
    inside = {file for ending in ENDINGS for file in place.rglob(ending)} if place.is_dir() else set()
    files = [place] if place.is_file() else sorted(inside)
    if not files:
        raise SourceError(f"{path} is not a file of OpenStreetMap, nor a folder with one (JSON or PBF)")
    return [file.resolve() for file in files]


def open_extract(file: Path) -> ElementFile:
    """The format is what the first bytes say, whatever the file is called."""
    with file.open("rb") as opened:
        start = opened.read(64)
    if not start.strip():
        raise SourceError(f"{file.name} is empty")
    if _PBF in start[:32]:
        return PBFElements(file)
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(_JSON):
        return JSONElements(file)
    if text.startswith(_XML):
        raise SourceError(f"{file.name} is XML or HTML; use [out:json] for Overpass, or a PBF file")
    raise SourceError(f"{file.name} is neither an answer of Overpass in JSON nor a PBF file")


def _state(path: str) -> SourceState:
    if not path:
        return SourceState("not configured")
    try:
        files = extract_files(path)
    except (SourceError, OSError) as error:
        return SourceState(str(error), path)
    return SourceState("", path, _data_date(files))


def _data_date(files: Sequence[Path]) -> Any:
    return datetime.fromtimestamp(max(file.stat().st_mtime for file in files), UTC).date()
