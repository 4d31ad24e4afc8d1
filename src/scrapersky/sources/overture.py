"""Overture Maps Places: open data as Parquet files, searched by box and category; no key, no network."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapersky.errors import SourceError
from scrapersky.extract.emails.address_pattern import normalize_address
from scrapersky.extract.urls import read_host
from scrapersky.sources.box import Box
from scrapersky.sources.catalog import SourceEntry, SourceState
from scrapersky.sources.kinds import BusinessKind, overture_kind
from scrapersky.sources.object_store import is_remote
from scrapersky.sources.parquet_query import QueryLimits, query_parquet
from scrapersky.sources.phone import dialable_phone
from scrapersky.sources.remote_parquet import Bounds, RemoteParquet
from scrapersky.sources.source import MAX_PLACES, ListedPlace

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation, Expression

NAME = "overture"
ATTRIBUTION = "Overture Maps Foundation, overturemaps.org"
LICENCE = "CDLA Permissive 2.0; some records Apache 2.0 or CC0, as each record says"
SETUP = (
    "Download Overture Places with one line: pipx run overturemaps download --bbox={bbox} -f geoparquet"
    " --type=place -o places.parquet; then set OVERTURE_PATH to that file or its folder"
)
DATA_LICENCES = {"foursquare": "Apache-2.0", "alltheplaces": "CC0-1.0"}
DEFAULT_LICENCE = "CDLA-Permissive-2.0"
CLOSED = "permanently_closed"
# The box of a record has single precision, rounded outwards.
MARGIN = 1e-4
# Rows beyond the limit, in place of those that lie in the margin only.
SPARE = 1_000
MAX_EMAILS, MAX_SOCIALS = 5, 10
_RELEASE = re.compile(r"(20\d\d-\d\d-\d\d)\.\d+")
# What a search reads of a record, by the name that it has here; a file has the first three at least.
COLUMNS = {
    "id": "id",
    "name": "names.primary",
    "bbox": "bbox",
    "category": "categories.primary",
    "categories": "categories.alternate",
    "taxonomy": "taxonomy.primary",
    "confidence": "confidence",
    "websites": "websites",
    "socials": "socials",
    "emails": "emails",
    "phones": "phones",
    "addresses": "addresses",
    "sources": "sources",
    "operating_status": "operating_status",
}
REQUIRED = ("id", "name", "bbox")
ROOTS = frozenset(path.partition(".")[0] for path in COLUMNS.values())


class OvertureSource:
    """Searches the files of a release, or of a part of it: a Parquet file, or a folder of them.

    `remote` reads them where they are not on our disk.
    """

    def __init__(
        self, path: str, limits: QueryLimits | None = None, remote: RemoteParquet | None = None
    ) -> None:
        self._path, self._remote = path, remote
        self._limits = limits or QueryLimits()

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        box, categories = Box.from_json(params.get("box")), overture_kind(kind) if kind else None
        limit = int(params.get("limit") or 0)

        async def search(files: Sequence[Path]) -> list[ListedPlace]:
            return await query_parquet(
                files, lambda rows: _search(rows, box, categories, limit), self._limits
            )

        if self._remote is None or params.get("file"):
            return await search(parquet_files(str(params.get("file") or self._path)))
        async with self._remote.copies(ROOTS, lambda bounds: _may_hold(bounds, box)) as copies:
            return await search(copies)

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        """The record itself, which is complete. The phone number is in E.164, or missing."""
        place = ListedPlace.from_json(raw)
        return replace(place, phone=dialable_phone(place))


def overture_entry(path: str) -> SourceEntry:
    return SourceEntry(
        NAME,
        "Overture Maps",
        licence=LICENCE,
        attribution=ATTRIBUTION,
        needs_area=True,
        needs_kind=True,
        setup=SETUP,
        check_kind=overture_kind,
        state=lambda: _state(path),
    )


async def check_overture(path: str, limits: QueryLimits, remote: RemoteParquet | None = None) -> str:
    """Opens the files as a search would, and counts their places from what the files say of themselves."""
    if remote is not None:
        async with remote.ends() as ends:
            count = await query_parquet(ends, _count, limits)
            return f"ok: {count:,} places in {len(ends)} files of {path}"
    files = parquet_files(path)
    count = await query_parquet(files, _count, limits)
    return f"ok: {count:,} places of {data_date(files)} in {len(files)} files"


def _count(rows: DuckDBPyRelation) -> int:
    _require_columns(_paths(rows))
    return len(rows)


def parquet_files(path: str) -> list[Path]:
    """The file, or every Parquet file below the folder."""
    if not path:
        raise SourceError("The source overture has no data; set OVERTURE_PATH")
    place = Path(path).expanduser()
    files = [place] if place.is_file() else sorted(place.rglob("*.parquet")) if place.is_dir() else []
    if not files:
        raise SourceError(f"{path} is not a Parquet file, nor a folder with one")
    return [file.resolve() for file in files]


def _state(path: str) -> SourceState:
    if not path:
        return SourceState("not configured")
    if is_remote(path):
        # Whether it can be read is what the test of the integration asks; a list of sources does not wait.
        return SourceState("", path, _release_date(path))
    try:
        files = parquet_files(path)
    except (SourceError, OSError) as error:
        return SourceState(str(error), path)
    return SourceState("", path, data_date(files))


def data_date(files: Iterable[Path]) -> date:
    """The date of the release that the path names, else of the newest file."""
    files = list(files)
    if released := [day for file in files if (day := _release_date(str(file)))]:
        return released[-1]
    newest = max(file.stat().st_mtime for file in files)
    return datetime.fromtimestamp(newest, UTC).date()


def _release_date(path: str) -> date | None:
    match = _RELEASE.search(path)
    return date.fromisoformat(match[1]) if match else None


def _search(rows: DuckDBPyRelation, box: Box, kind: BusinessKind | None, limit: int) -> list[ListedPlace]:
    """The places of a kind in the box that are not closed; with a limit, the surest ones."""
    paths = _paths(rows)
    _require_columns(paths)
    rows = rows.filter(_is_near(box))
    if kind is not None:
        rows = rows.filter(_has_kind(kind, paths))
    for name, value in (("operating_status", CLOSED), ("confidence", 0)):
        if name in paths:
            rows = rows.filter(_is_not(_column(paths[name]), value))
    if limit and "confidence" in paths:
        rows = rows.sort(_column("confidence").desc(), _column("id"))
    names = list(paths)
    selected = rows.limit((limit or MAX_PLACES) + SPARE).select(
        *(_column(paths[name]).alias(name) for name in names)
    )
    records = (dict(zip(names, row, strict=True)) for row in selected.fetchall())
    places = [place for record in records if (place := _place(record, box))]
    if not limit and len(places) > MAX_PLACES:
        raise SourceError(f"More than {MAX_PLACES:,} places; use a smaller box or a limit")
    places.sort(key=lambda place: (-(place.confidence or 0), place.place_id))
    return places[:limit] if limit else places


def _require_columns(paths: dict[str, str]) -> None:
    if missing := [name for name in REQUIRED if name not in paths]:
        raise SourceError(f"Not a file of Overture Places: it has no column {', '.join(missing)}")


def _paths(rows: DuckDBPyRelation) -> dict[str, str]:
    """The columns that these files have."""
    types = dict(zip(rows.columns, rows.types, strict=True))

    def is_there(path: str) -> bool:
        column, _, part = path.partition(".")
        if column not in types:
            return False
        if not part:
            return True
        return types[column].id == "struct" and part in dict(types[column].children)

    return {name: path for name, path in COLUMNS.items() if is_there(path)}


def _column(path: str) -> Expression:
    from duckdb import SQLExpression

    return SQLExpression(".".join(f'"{part}"' for part in path.split(".")))


def _is_near(box: Box) -> Expression:
    """Whether the box of a record may lie in the box; DuckDB skips the parts of a file that cannot."""
    from duckdb import ConstantExpression
    from duckdb.sqltypes import FLOAT

    def limit(value: float) -> Expression:
        return ConstantExpression(value).cast(FLOAT)

    west = _column("bbox.xmax") >= limit(box.west - MARGIN)
    east = _column("bbox.xmin") <= limit(box.east + MARGIN)
    across = west | east if box.crosses else west & east
    south = _column("bbox.ymax") >= limit(box.south - MARGIN)
    north = _column("bbox.ymin") <= limit(box.north + MARGIN)
    return south & north & across


def _may_hold(bounds: Bounds, box: Box) -> bool:
    """Whether a group of rows may hold a place that `_is_near`; twice the margin, so that none is missed."""

    def least(side: str) -> float:
        interval = bounds.get(f"bbox, {side}")
        return interval[0] - 2 * MARGIN if interval else -math.inf

    def greatest(side: str) -> float:
        interval = bounds.get(f"bbox, {side}")
        return interval[1] + 2 * MARGIN if interval else math.inf

    west, east = greatest("xmax") >= box.west, least("xmin") <= box.east
    across = west or east if box.crosses else west and east
    return across and greatest("ymax") >= box.south and least("ymin") <= box.north


def _is_not(column: Expression, value: object) -> Expression:
    from duckdb import ConstantExpression

    return column.isnull() | (column != ConstantExpression(value))


def _has_kind(kind: BusinessKind, paths: dict[str, str]) -> Expression:
    """Whether the main category is one of the kind's, in the older column or in the newer one."""
    columns = [paths[name] for name in ("category", "taxonomy") if name in paths]
    if not columns:
        raise SourceError("These files of Overture Places have no categories")
    condition, *others = (_is_category(_column(column), kind) for column in columns)
    for other in others:
        condition = condition | other
    return condition


def _is_category(column: Expression, kind: BusinessKind) -> Expression:
    from duckdb import ConstantExpression, FunctionExpression

    names = [name for name in kind.categories if "*" not in name]
    endings = [name.lstrip("*") for name in kind.categories if "*" in name]
    condition = column.isin(*map(ConstantExpression, names or [""]))
    for ending in endings:
        condition = condition | FunctionExpression("ends_with", column, ConstantExpression(ending))
    return condition


def _place(record: dict[str, Any], box: Box) -> ListedPlace | None:
    """The record as a place; None if it lies outside or has no name."""
    bounds, name = record["bbox"] or {}, _text(record["name"], 500)
    if not name or not record["id"] or any(bounds.get(side) is None for side in _SIDES):
        return None
    west, east, south, north = (float(bounds[side]) for side in _SIDES)
    longitude, latitude = (west + east) / 2, (south + north) / 2
    if not box.contains(latitude, longitude):
        return None
    confidence = record.get("confidence")
    address: dict[str, Any] = next(filter(None, record.get("addresses") or ()), {})
    emails = _emails(record.get("emails"))
    place_id = str(record["id"])[:300]
    return ListedPlace(
        place_id=place_id,
        name=name,
        category=_text(record.get("category") or record.get("taxonomy"), 200),
        categories=tuple(filter(None, record.get("categories") or ())),
        address=_address(address),
        street=_text(address.get("freeform"), 300),
        city=_text(address.get("locality"), 300),
        state=_text(address.get("region"), 300),
        postcode=_text(address.get("postcode"), 300),
        country=_text(address.get("country"), 2),
        latitude=round(latitude, 6),
        longitude=round(longitude, 6),
        phone=_first(record.get("phones"), 50),
        website=_website(record.get("websites")),
        email=emails[0] if emails else None,
        emails=emails[1:],
        socials=tuple(filter(None, record.get("socials") or ()))[:MAX_SOCIALS],
        confidence=None if confidence is None else round(confidence, 4),
        record_url=f"overture:place/{place_id}",
        licence=_licence(record.get("sources")),
        attribution=ATTRIBUTION,
    )


_SIDES = ("xmin", "xmax", "ymin", "ymax")


def _text(value: object, limit: int) -> str | None:
    return " ".join(str(value).split())[:limit] or None if value else None


def _first(values: Sequence[str | None] | None, limit: int) -> str | None:
    return next((text for value in values or () if (text := _text(value, limit))), None)


def _address(address: dict[str, Any]) -> str | None:
    parts = [address.get(part) for part in ("freeform", "postcode", "locality", "region", "country")]
    return _text(", ".join(str(part) for part in parts if part), 1_000)


def _emails(values: Sequence[str | None] | None) -> tuple[str, ...]:
    addresses = (normalize_address(value or "") for value in values or ())
    return tuple(dict.fromkeys(address for address in addresses if address and len(address) <= 254))[
        :MAX_EMAILS
    ]


def _website(values: Sequence[str | None] | None) -> str | None:
    """The first website of its own; a page on a platform only if there is no other."""
    urls = [text for value in values or () if value and len(text := value.strip()) <= 2_048]
    return next((url for url in urls if read_host(url).ok), urls[0] if urls else None)


def _licence(sources: Sequence[dict[str, Any] | None] | None) -> str:
    """The licence of the record: as it says, else that of the data set that it comes from."""
    for source in filter(None, sources or ()):
        if source.get("property") in ("", None):
            dataset = str(source.get("dataset") or "").lower()
            return str(source.get("license") or DATA_LICENCES.get(dataset, DEFAULT_LICENCE))[:100]
    return DEFAULT_LICENCE
