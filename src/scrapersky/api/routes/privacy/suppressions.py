"""Suppressions: who must be neither kept nor contacted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.privacy.suppressions import (
    MAX_REASON,
    SuppressedLine,
    SuppressionResult,
    delete_suppression,
    import_suppressions,
    suppress,
)
from scrapersky.api.bodies.uploads import upload_chunks
from scrapersky.api.caller import Operator, Viewer
from scrapersky.api.installation import InstallationAdmin, OwnerEngine
from scrapersky.api.models import Body
from scrapersky.queries.privacy.suppressions import SuppressionQuery

router = APIRouter(prefix="/suppressions", tags=["suppressions"])
Kind = Literal["email", "phone", "domain"]
Entries = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=320)]], Field(min_length=1, max_length=1_000)
]
Reason = Annotated[str, Field(min_length=1, max_length=MAX_REASON)]
Country = Annotated[str | None, Field(max_length=100, description="Where numbers without a prefix are read.")]


class NewSuppressions(Body):
    """Addresses, numbers and domains; only keyed hashes of them are stored."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"entries": ["ada@example.com"], "reason": "objected by e-mail"}]}
    )

    entries: Entries
    reason: Reason
    country: Country = None


class SuppressionLine(BaseModel):
    """The result of one entry, by its number; the entry itself is not repeated."""

    number: int
    status: Literal["new", "known", "invalid"]
    kind: str
    id: UUID | None
    reason: str


class SuppressionReport(BaseModel):
    new: int
    known: int
    invalid: int
    deleted_contacts: int
    changed_contacts: int
    results: list[SuppressionLine]


class SuppressionModel(BaseModel):
    """`attempts` counts how often a page or list brought it again."""

    id: UUID
    kind: Kind
    reason: str
    all_tenants: bool
    attempts: int
    last_attempt_at: datetime | None
    created_by: UUID | None
    created_at: datetime


class SuppressionList(BaseModel):
    """The newest first; `next` is the value of `before` that continues the list."""

    items: list[SuppressionModel]
    next: str | None
    total: int
    total_exact: bool = True


@router.get("")
async def list_suppressions(
    caller: Viewer,
    kind: Kind | None = None,
    before: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> SuppressionList:
    """List suppressions: what each is about cannot be read back."""
    query, tenant_id = SuppressionQuery(caller.engine), caller.actor.tenant_id
    rows = await query.list_suppressions(tenant_id, kind=kind or "", before=before, limit=limit)
    counts = await query.counts(tenant_id)
    counts.pop("attempts")
    return SuppressionList(
        items=[SuppressionModel(**row) for row in rows],
        next=str(rows[-1]["id"]) if len(rows) == limit else None,
        total=counts[kind] if kind else sum(counts.values()),
    )


@router.post("", status_code=201, name="add_suppressions")
async def post_suppressions(body: NewSuppressions, caller: Operator) -> SuppressionReport:
    """Suppress addresses, numbers and domains; contacts that they concern are deleted at once."""
    result = await suppress(caller.engine, caller.actor, body.entries, body.reason, country=body.country)
    return _report(result)


@router.post("/all-tenants", status_code=201, name="add_suppressions_for_every_tenant")
async def post_suppressions_for_all(
    body: NewSuppressions, caller: InstallationAdmin, engine: OwnerEngine
) -> SuppressionReport:
    """Suppress for every tenant of the installation."""
    result = await suppress(
        engine, caller.actor, body.entries, body.reason, country=body.country, all_tenants=True
    )
    return _report(result)


@router.post("/import-csv", name="import_suppressions")
async def post_suppression_list(
    caller: Operator,
    file: Annotated[UploadFile, File(description="A CSV file or one entry per line; at most 10 MiB.")],
    reason: Annotated[str, Form(min_length=1, max_length=MAX_REASON)],
    kind: Annotated[Kind | None, Form(description="Read from each entry if it is missing.")] = None,
    column: Annotated[str, Form(max_length=200, description="Its heading, or its number from 1.")] = "",
    encoding: Annotated[str, Form(max_length=40, description="Detected if it is missing.")] = "",
    country: Annotated[str | None, Form(max_length=100)] = None,
) -> SuppressionReport:
    """Import an opt-out list of up to 100,000 lines, with a result for every line."""
    result = await import_suppressions(
        caller.engine,
        caller.actor,
        upload_chunks(file.file),
        reason,
        kind=kind or "",
        column=column,
        encoding=encoding,
        country=country,
    )
    return _report(result)


@router.delete("/{suppression_id:uuid}", status_code=204, name="delete_suppression")
async def withdraw_suppression(suppression_id: UUID, caller: Operator) -> None:
    """Withdraw a suppression; a later crawl may bring the contact again."""
    await delete_suppression(caller.engine, caller.actor, suppression_id)


def _report(result: SuppressionResult) -> SuppressionReport:
    return SuppressionReport(
        **result.counts,
        deleted_contacts=result.deleted_contacts,
        changed_contacts=result.changed_contacts,
        results=_lines(result.lines),
    )


def _lines(lines: Sequence[SuppressedLine]) -> list[SuppressionLine]:
    return [
        SuppressionLine(
            number=line.number, status=line.status, kind=line.kind, id=line.id, reason=line.reason
        )
        for line in lines
    ]
