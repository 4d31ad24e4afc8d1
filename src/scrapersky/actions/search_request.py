"""What somebody asks a search for, and what it becomes: a source that is ready, and a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapersky.errors import InvalidInput
from scrapersky.sources.box import Box
from scrapersky.sources.catalog import SourceEntry
from scrapersky.sources.gazetteer import resolve_city

MAX_KIND, MAX_LOCATION, MAX_SOURCE = 100, 255, 50
DEFAULT_RADIUS_KM = 10.0


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A kind of business and a place: a name, a box, or a point. Without a source, the first with data."""

    kind: str = ""
    location: str = ""
    source: str = ""
    country: str = ""
    box: Box | None = None
    near: tuple[float, float] | None = None
    radius_km: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The row that a request becomes."""

    kind: str
    location: str
    source: str
    params: dict[str, Any]

    @property
    def place(self) -> str:
        """The place as it was understood."""
        return str(self.params.get("place") or self.location)


def plan_search(request: SearchRequest, sources: Mapping[str, SourceEntry]) -> SearchPlan:
    """Raises InvalidInput with the reason; an ambiguous place comes with its candidates."""
    kind, location, source = request.kind.strip(), request.location.strip(), request.source.strip()
    for name, text, limit in (
        ("kind", kind, MAX_KIND),
        ("location", location, MAX_LOCATION),
        ("source", source, MAX_SOURCE),
    ):
        if len(text) > limit or not text.isprintable():
            raise InvalidInput(f"The {name} is longer than {limit} characters or holds a control character")
    if source and source not in sources:
        raise InvalidInput(f"Unknown source {source!r}; expected one of {', '.join(sources)}")
    params = dict(request.params)
    if source and not sources[source].needs_area:
        return SearchPlan(kind, location, source, params)
    params |= _area(request, location)
    entry = _ready_source(source, sources, has_file=bool(params.get("file")), box=params["box"])
    if entry.needs_kind and not kind:
        raise InvalidInput("A search needs a kind of business, such as bakery")
    if entry.check_kind:
        entry.check_kind(kind)
    return SearchPlan(kind, location or params["place"], entry.name, params)


def _area(request: SearchRequest, location: str) -> dict[str, Any]:
    """The box to search in, and what it is called."""
    if sum(value is not None for value in (request.box, request.near)) + bool(location) > 1:
        raise InvalidInput("A search has one place: a name, a box, or a point")
    if request.box is not None:
        if request.radius_km is not None:
            raise InvalidInput("A radius needs a point or the name of a city; a box has none")
        return {"place": f"box {request.box}", "box": request.box.to_json()}
    if request.near is not None:
        radius = request.radius_km or DEFAULT_RADIUS_KM
        latitude, longitude = request.near
        box = Box.around(latitude, longitude, radius)
        return {"place": f"{radius:g} km around {latitude:g},{longitude:g}", "box": box.to_json()}
    city = resolve_city(location, request.country)
    return {"place": city.label, "box": city.box(request.radius_km).to_json()}


def _ready_source(
    name: str, sources: Mapping[str, SourceEntry], *, has_file: bool, box: dict[str, float]
) -> SourceEntry:
    """The source of this name, or the first with data; one without is refused with what it needs."""
    searchable = [entry for entry in sources.values() if entry.needs_area]
    if name:
        entry = sources[name]
        state = entry.state()
        if state.is_ready or has_file:
            return entry
        raise InvalidInput(f"The source {name} is not ready: {state.problem}. {_setup(entry, box)}")
    for entry in searchable:
        if entry.state().is_ready:
            return entry
    hint = _setup(searchable[0], box) if searchable else ""
    raise InvalidInput(f"No source of places is configured. {hint}")


def _setup(entry: SourceEntry, box: dict[str, float]) -> str:
    bbox = ",".join(f"{box[side]:g}" for side in ("west", "south", "east", "north"))
    return entry.setup.format(bbox=bbox, box=Box.from_json(box))
