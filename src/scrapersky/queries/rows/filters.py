"""Filters: which rows of a list match, as parameters that the API, the command line and saved views share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, SmallInteger, and_, or_, select

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput
from scrapersky.extract.urls import read_host
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.outcomes import OUTCOMES, matches

# Rows whose column is NULL, such as rows that were never queued.
NONE = "none"
MAX_TEXT = 200
MAX_VALUES = 100
FIRST_MOMENT, LAST_MOMENT = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
Value = str | int | Iterable[str | int] | None
Condition = ColumnElement[bool]


@dataclass(frozen=True, slots=True, init=False)
class Filters:
    """The rows that match: one value of each parameter. `parse_filters` checks the names and values."""

    params: Mapping[str, tuple[str, ...]]

    def __init__(self, **params: Value) -> None:
        listed = {name: _as_tuple(value) for name, value in params.items() if value is not None}
        listed = {name: values for name, values in listed.items() if values}
        object.__setattr__(self, "params", listed)

    def __bool__(self) -> bool:
        return bool(self.params)

    def to_json(self) -> dict[str, list[str]]:
        return {name: list(values) for name, values in self.params.items()}

    @classmethod
    def from_json(cls, params: Mapping[str, Value]) -> Filters:
        return cls(**params)

    def without(self, name: str) -> Filters:
        return Filters(**{key: values for key, values in self.params.items() if key != name})


def _as_tuple(value: str | int | Iterable[str | int]) -> tuple[str, ...]:
    return (str(value),) if isinstance(value, str | int) else tuple(map(str, value))


@dataclass(frozen=True, slots=True)
class Parameter:
    """One filter of a list. `parse` returns a value as it is stored, or raises `InvalidInput`.

    `is_facet` marks the filters that the row counts can answer, `is_indexed` those whose few rows an index
    finds; `sought` are the columns in which a text is searched.
    """

    name: str
    about: str
    parse: Callable[[str], str]
    match: Callable[[Any, Sequence[str]], Condition]
    choices: tuple[str, ...] = ()
    is_facet: bool = False
    is_indexed: bool = False
    sought: tuple[str, ...] = ()


# ---- reading parameters


def parse_filters(entity: Entity, params: Mapping[str, Value]) -> Filters:
    """The filters under their own names with their stored values; unknown names and values are refused."""
    parsed: dict[str, tuple[str, ...]] = {}
    for alias, values in Filters.from_json(params).params.items():
        if len(values) > MAX_VALUES:
            raise InvalidInput(f"More than {MAX_VALUES} values of {alias!r}")
        name = _own_name(entity, alias, values)
        if name in parsed:
            raise InvalidInput(f"The filters {alias!r} and {name!r} are the same; use one of them")
        parsed[name] = tuple(dict.fromkeys(_parse(parameters(entity)[name], alias, values)))
    return Filters(**parsed)


def parse_exact_filters(entity: Entity, params: Mapping[str, Value]) -> Filters:
    """The same for programs: a status has to be spelled as it is stored, where people may use any case."""
    for alias, values in Filters.from_json(params).params.items():
        choices = parameters(entity)[_own_name(entity, alias, values)].choices
        known = {*choices, *(statuses.CURATION_SYNONYMS if choices == statuses.CURATION else ())}
        for value in values:
            if choices and value not in known:
                raise InvalidInput(f"Invalid {alias} {value[:50]!r}; expected one of {', '.join(choices)}")
    return parse_filters(entity, params)


def _parse(parameter: Parameter, alias: str, values: Sequence[str]) -> list[str]:
    try:
        return [parameter.parse(value) for value in values]
    except InvalidInput as error:
        raise InvalidInput(str(error).replace(f"Invalid {parameter.name} ", f"Invalid {alias} ")) from None


def _own_name(entity: Entity, name: str, values: Sequence[str]) -> str:
    """Resolve the other names: `status`, `priority`, `contains` and those of the entity."""
    known = parameters(entity)
    if name == "status":
        return _status_column(entity, values)
    own = {"priority": "priority_level", "contains": "q", **entity.filter_aliases}.get(name, name)
    if own not in known:
        expected = ", ".join([*known, *entity.filter_aliases])
        raise InvalidInput(f"A {entity.name} has no filter {name[:50]!r}; expected one of {expected}")
    return own


def _status_column(entity: Entity, values: Sequence[str]) -> str:
    """The column that knows the statuses: the one called `status`, or that of a stage."""
    columns = [*(["status"] if "status" in entity.facets else []), *(stage.status for stage in entity.stages)]
    columns = list(dict.fromkeys(columns))
    for column in columns:
        choices = {choice.casefold() for choice in parameters(entity)[column].choices}
        if all(value.casefold() in choices for value in values):
            return column
    known = dict.fromkeys(choice for column in columns for choice in parameters(entity)[column].choices)
    raise InvalidInput(
        f"Invalid status {', '.join(values)[:100]!r} of a {entity.name};"
        f" expected one of {', '.join(known)}, all of one column"
    )


# ---- conditions


def conditions(
    entity: Entity, tenant_id: UUID, filters: Filters, source: FromClause | None = None
) -> list[Condition]:
    """The filters as conditions on the entity's table, or on a source with the same columns."""
    columns = entity.table.c if source is None else source.c
    known = parameters(entity)
    matching = [known[name].match(columns, values) for name, values in _parsed(entity, filters)]
    return [columns.tenant_id == tenant_id, *matching]


def _parsed(entity: Entity, filters: Filters) -> Iterable[tuple[str, tuple[str, ...]]]:
    return parse_filters(entity, filters.params).params.items()


def pattern(text: str) -> str:
    """Text anywhere in a column, for ILIKE, which the trigram indexes support; every sign is literal."""
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"


# ---- the parameters of a list


@cache
def parameters(entity: Entity) -> Mapping[str, Parameter]:
    """Every filter of a list by its name."""
    columns = entity.table.c
    made = [_choice(entity, name) for name in entity.facets]
    made.append(_text("q", entity.search_columns))
    made += [_text(name, (column,)) for name, column in entity.text_filters.items()]
    if "domain_id" in columns or "website_url" in columns or entity.table is tables.domains:
        made.append(_domain_text(entity))
    made += [_row_id(name) for name in entity.id_filters]
    if "tags" in columns:
        made.append(_tag())
    made.append(_error_text(entity))
    if entity.table.name in OUTCOMES:
        made.append(_outcome(entity))
    for column in ("created_at", "updated_at", "last_scan_at"):
        if column in columns:
            made += _range(column)
    return {parameter.name: parameter for parameter in made}


def _choice(entity: Entity, name: str) -> Parameter:
    column = entity.table.c[name]
    words = _words(entity, name)
    choices = (*words, NONE) if words and column.nullable else words
    is_number = isinstance(column.type, SmallInteger)

    def parse(text: str) -> str:
        if column.nullable and text.casefold() == NONE:
            return NONE
        if name == "page_type":
            return _plain_text(name, text).lower()
        return _choose(name, text, words, choices) if words else _plain_text(name, text)

    def match(columns: Any, values: Sequence[str]) -> Condition:
        stored: list[Any] = [int(value) if is_number else value for value in values if value != NONE]
        parts: list[Condition] = [columns[name].in_(stored)] if len(stored) > 1 else []
        parts += [columns[name] == stored[0]] if len(stored) == 1 else []
        parts += [columns[name].is_(None)] if NONE in values else []
        return parts[0] if len(parts) == 1 else or_(*parts)

    about = name.replace("_", " ").capitalize() + (
        f"; `{NONE}` for rows without one." if column.nullable else "."
    )
    return Parameter(name, about, parse, match, choices=choices, is_facet=True)


def _words(entity: Entity, column: str) -> tuple[str, ...]:
    """The statuses that a column can have, or nothing for a column with other words."""
    for stage in entity.stages:
        if column == stage.status:
            return stage.statuses.all
    if entity.is_curated and column == entity.curation_column:
        return statuses.CURATION
    known = {
        "contact_scrape_status": statuses.CONTACT_SCRAPE,
        "email_validation_result": statuses.EMAIL_RESULT,
        "priority_level": ("1", "2", "3"),
    }
    return known.get(column, ())


def _choose(name: str, text: str, words: Sequence[str], choices: Sequence[str]) -> str:
    if words == statuses.CURATION:
        return parse_curation_status(text)
    known = {word.casefold(): word for word in words}
    if text.casefold() not in known:
        raise InvalidInput(f"Invalid {name} {text[:50]!r}; expected one of {', '.join(choices)}")
    return known[text.casefold()]


def parse_curation_status(text: str) -> str:
    """A curation status in any case; "Not a Fit" is a synonym of Rejected (D3)."""
    known = {status.casefold(): status for status in statuses.CURATION}
    known |= {synonym.casefold(): status for synonym, status in statuses.CURATION_SYNONYMS.items()}
    status = known.get(" ".join(text.replace("_", " ").replace("-", " ").split()).casefold())
    if status is None:
        expected = ", ".join(statuses.CURATION)
        raise InvalidInput(f"Invalid curation status {text[:50]!r}; expected one of {expected}")
    return status


def _plain_text(name: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"The filter {name!r} is longer than {MAX_TEXT} characters")
    if "\x00" in text:
        raise InvalidInput(f"The filter {name!r} contains a NUL character")
    return text


def _text(name: str, sought: Sequence[str]) -> Parameter:
    def match(columns: Any, values: Sequence[str]) -> Condition:
        return or_(*(columns[column].ilike(pattern(value)) for value in values for column in sought))

    def parse(text: str) -> str:
        if not text:
            raise InvalidInput(f"The filter {name!r} is empty")
        return _plain_text(name, text)

    about = f"Text in {' or '.join(column.replace('_', ' ') for column in sought)}, ignoring case."
    return Parameter(name, about, parse, match, sought=tuple(sought))


def _error_text(entity: Entity) -> Parameter:
    def match(columns: Any, values: Sequence[str]) -> Condition:
        error = entity.error_in(columns)
        # Few rows have one; only with this condition can the planner use their index.
        return and_(error.is_not(None), or_(*(error.ilike(pattern(value)) for value in values)))

    about = "Text in the error message, ignoring case."
    return Parameter("error", about, lambda text: _plain_text("error", text), match, is_indexed=True)


def _domain_text(entity: Entity) -> Parameter:
    """Text in the name of the domain that a row belongs to (R264)."""

    def parse(text: str) -> str:
        text = _plain_text("domain", text).strip().lower()
        return read_host(text).host or text

    def match(columns: Any, values: Sequence[str]) -> Condition:
        return or_(*(_belongs_to_domain(entity, columns, pattern(value)) for value in values))

    # Businesses are also found by a domain that their website leads to, which no search of theirs knows.
    sought = {"places_staging": ("website_url",), "local_businesses": ()}.get(entity.table.name, ("domain",))
    return Parameter("domain", "Text in the domain name.", parse, match, sought=sought)


def _belongs_to_domain(entity: Entity, columns: Any, sought: str) -> Condition:
    if entity.table is tables.domains:
        condition: Condition = columns.domain.ilike(sought)
        return condition
    # A row belongs to a domain of its own tenant; the database refuses any other.
    domains = tables.domains.alias("matching_domains").c
    if "domain_id" in columns:
        is_below: Condition = columns.domain_id.in_(select(domains.id).where(domains.domain.ilike(sought)))
        return is_below
    has_website: Condition = columns.website_url.ilike(sought)
    if entity.table is not tables.local_businesses:
        return has_website
    of_domain = select(domains.local_business_id).where(domains.domain.ilike(sought))
    return or_(has_website, columns.id.in_(of_domain))


def _row_id(name: str) -> Parameter:
    def parse(text: str) -> str:
        try:
            return str(UUID(text))
        except ValueError:
            raise InvalidInput(f"Invalid {name} {text[:50]!r}; expected a UUID") from None

    def match(columns: Any, values: Sequence[str]) -> Condition:
        condition: Condition = columns[name].in_([UUID(value) for value in values])
        return condition

    about = f"Rows of this {name.removesuffix('_id').replace('_', ' ')}."
    return Parameter(name, about, parse, match, is_indexed=True)


def _tag() -> Parameter:
    def match(columns: Any, values: Sequence[str]) -> Condition:
        condition: Condition = columns.tags.overlap(list(values))
        return condition

    return Parameter("tag", "A tag of the row.", lambda text: _plain_text("tag", text), match)


def _outcome(entity: Entity) -> Parameter:
    """How far a row has come on the way to a contact, as the flow of the overview counts it."""
    names = OUTCOMES[entity.table.name]

    def parse(text: str) -> str:
        return _choose("outcome", text, names, names)

    def match(columns: Any, values: Sequence[str]) -> Condition:
        return matches(entity.table, columns, list(values))

    about = "How far the row has come on the way to a contact, or what keeps it there."
    return Parameter("outcome", about, parse, match, choices=names)


def _range(column: str) -> list[Parameter]:
    word = "read" if column == "last_scan_at" else column.removesuffix("_at")

    def after(columns: Any, values: Sequence[str]) -> Condition:
        condition: Condition = columns[column] >= min(map(datetime.fromisoformat, values))
        return condition

    def before(columns: Any, values: Sequence[str]) -> Condition:
        condition: Condition = columns[column] < max(map(datetime.fromisoformat, values))
        return condition

    time = "a time with a zone, such as 2026-11-01T00:00:00Z"
    return [
        Parameter(
            f"{word}_after", f"Not {word} before {time}.", lambda t: _moment(f"{word}_after", t), after
        ),
        Parameter(
            f"{word}_before",
            f"{word.capitalize()} before {time}.",
            lambda t: _moment(f"{word}_before", t),
            before,
        ),
    ]


def _moment(name: str, text: str) -> str:
    """A time in ISO 8601, between 1970 and 2200; without an offset it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        if FIRST_MOMENT <= moment < LAST_MOMENT:
            return moment.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"Invalid {name} {text[:50]!r}; expected a time between 1970 and 2200 in ISO 8601")
