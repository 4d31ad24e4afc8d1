"""The audit log: who changed what, and whether the log itself was changed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, PlainSerializer

from scrapersky.api.caller import Admin
from scrapersky.api.models import Moment
from scrapersky.queries.audit import AuditFilter, AuditQuery

router = APIRouter(prefix="/audit", tags=["audit"])

Text = Annotated[str | None, Query(max_length=200)]
Hash = Annotated[bytes, PlainSerializer(bytes.hex, return_type=str)]


class AuditEntry(BaseModel):
    """One change. `before` and `after` are missing where there were no values or they were erased."""

    number: int
    created_at: datetime
    actor: str
    user_id: UUID | None
    action: str
    table_name: str | None
    row_id: str | None
    changed_fields: list[str]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    values_erased: bool
    correlation_id: str | None
    operation_id: UUID | None
    previous_hash: Hash
    hash: Hash


class AuditEntryList(BaseModel):
    items: list[AuditEntry]
    next: int | None
    total: int
    total_exact: bool


class ChainFault(BaseModel):
    number: int
    problem: str


class ChainVerification(BaseModel):
    """`hash` is that of the last entry; keep it elsewhere to prove later that the log was not rebuilt."""

    is_intact: bool
    entries: int
    first_number: int
    last_number: int
    hash: str
    erased_values: int
    faults: list[ChainFault]


@router.get("")
async def list_audit_entries(
    caller: Admin,
    action: Text = None,
    table_name: Text = None,
    row_id: Text = None,
    user_id: UUID | None = None,
    correlation_id: Text = None,
    operation_id: UUID | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    after: Annotated[int | None, Query(ge=1)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AuditEntryList:
    """Entries of the audit log, the newest first."""
    matching = AuditFilter(
        action, table_name, row_id, user_id, correlation_id, operation_id, since, until
    )  # fmt: skip
    page = await AuditQuery(caller.engine, caller.actor.tenant_id).find(matching, after=after, limit=limit)
    return AuditEntryList(**page)


@router.get("/verify")
async def verify_audit_log(caller: Admin) -> ChainVerification:
    """Compute every hash of the log again: a changed, missing or moved entry is a fault."""
    report = await AuditQuery(caller.engine, caller.actor.tenant_id).verify()
    return ChainVerification.model_validate(report, from_attributes=True)
