"""What bodies have in common: requests without unknown fields or guessed types, lists of one shape."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

# Pydantic would also read "10" and 10.0 as the number 10, and "yes" as true.
STRICT_TYPES = frozenset({"int", "float", "bool"})
RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
T = TypeVar("T")
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def _make_strict(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("type") in STRICT_TYPES:
            node["strict"] = True
        for child in node.values():
            _make_strict(child)
    elif isinstance(node, list):
        for child in node:
            _make_strict(child)


class Body(BaseModel):
    """The base of every request body: an unknown field is an error, and types are what they say."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _make_strict(schema)
        return schema


def left_out() -> Any:
    """The default of a field that stays as it is when it is left out; null is not one of its values."""
    return Field(default_factory=lambda: None)


class WholeList(BaseModel, Generic[T]):
    """A list that fits on one page, in the shape of all lists."""

    items: list[T]
    next: str | None = None
    total: int
    total_exact: bool = True

    @classmethod
    def of(cls, items: Sequence[T]) -> Self:
        return cls(items=list(items), total=len(items))


def _rfc_3339(value: Any) -> datetime:
    """Neither seconds since 1970 nor a time without a zone nor a date that no calendar has."""
    if not isinstance(value, str) or not RFC_3339.fullmatch(value):
        raise ValueError("must be a date and time with a time zone, such as 2026-01-31T12:00:00Z")
    moment = datetime.fromisoformat(value.upper())
    if not EARLIEST <= moment < LATEST:
        raise ValueError("must be from 1970 to 2199")
    return moment


Moment = Annotated[AwareDatetime, BeforeValidator(_rfc_3339)]
