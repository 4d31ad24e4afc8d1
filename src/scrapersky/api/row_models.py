"""Models of the rows that the API answers, made from the columns of their tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from sqlalchemy import ARRAY, Column, LargeBinary, Numeric
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky.queries.rows.attributions import attribution
from scrapersky.queries.rows.entities import Entity

# How a worker holds a row; nobody else needs it.
LEASE_COLUMNS = ("lease_seq", "lease_until", "worker", "rescues", "crashes")
DESCRIPTIONS = {
    "error": "The error of the last stage that failed.",
    "attribution": "Whom to name when it is published, by the licence of its source.",
    "domain": "The domain that the row belongs to.",
    "host": "The politeness key: requests to it are spaced.",
    "priority_level": "1 is read first, 3 last.",
    "page_type": "What the URL or the page says it is, such as contact_root.",
    "scraped_content": "What reading the page gave: e-mails, phones, addresses, time and credits.",
    "additional_json": "Further values of the source.",
    "expires_at": "When the source requires its fields to be deleted.",
    "source_url": "Where the contact was read.",
    "lawful_basis": "Why the contact may be kept.",
    "edited_fields": "The fields that a person has set; no later crawl changes them.",
    "confidence": "0 to 1: how sure it is that the contact is right; null for one that a person entered.",
    "lead_score": "0 to 100; the sum of the points of its parts.",
    "lead_score_parts": "The points of each part, its maximum and why; {} until it is computed.",
    "is_score_due": "Whether the score will be computed again within seconds.",
    "total_sitemaps": "null means that discovery has not run, 0 that it found none.",
}


def item_model(entity: Entity) -> type[BaseModel]:
    """A row as it is in a list."""
    names = dict.fromkeys(["id", *entity.columns, "created_at", "updated_at"])
    fields = _fields(entity.table.c[name] for name in names)
    fields["error"] = _field(str | None, "error")
    if "domain_id" in entity.table.c:
        kind = str | None if entity.table.c.domain_id.nullable else str
        fields["domain"] = _field(kind, "domain")
    fields |= _attribution(entity)
    return _model(f"{_title(entity)}Item", f"One of the {entity.plural} in a list.", fields)


def row_model(entity: Entity, **more: tuple[Any, str]) -> type[BaseModel]:
    """A whole row, and what belongs to it: a type and a description for each name."""
    fields = _fields(column for column in entity.table.c if _is_public(entity, column))
    fields |= _attribution(entity)
    fields |= {name: (kind, Field(description=about)) for name, (kind, about) in more.items()}
    return _model(f"{_title(entity)}Row", f"A {entity.name} with all that is known about it.", fields)


def _attribution(entity: Entity) -> dict[str, Any]:
    """For rows that come from a source, or were derived from one."""
    is_named = attribution(entity.table) is not None
    return {"attribution": _field(str | None, "attribution")} if is_named else {}


def _is_public(entity: Entity, column: Column[Any]) -> bool:
    held = {stage.column(role) for stage in entity.stages for role in LEASE_COLUMNS}
    return column.name not in (*held, "tenant_id", "url_hash") and not isinstance(column.type, LargeBinary)


def _model(name: str, about: str, fields: dict[str, Any]) -> type[BaseModel]:
    return create_model(name, __config__=ConfigDict(extra="ignore"), __doc__=about, **fields)


def _title(entity: Entity) -> str:
    return entity.name.capitalize()


def _fields(columns: Iterable[Column[Any]]) -> dict[str, Any]:
    return {
        column.name: _field(
            _python_type(column) | None if column.nullable else _python_type(column), column.name
        )
        for column in columns
    }


def _field(kind: Any, name: str) -> Any:
    return kind, Field(description=DESCRIPTIONS.get(name))


def _python_type(column: Column[Any]) -> Any:
    kind = column.type
    if isinstance(kind, JSONB):
        return Any
    if isinstance(kind, ARRAY):
        return list[str]
    return float if isinstance(kind, Numeric) else kind.python_type
