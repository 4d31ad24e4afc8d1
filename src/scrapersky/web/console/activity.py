"""Activity: what people and rules decided, how far each operation is, and the audit log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from scrapersky.api.caller import Admin, Viewer
from scrapersky.api.problems import Problem
from scrapersky.declarations import statuses
from scrapersky.queries.audit import AuditFilter, AuditQuery
from scrapersky.queries.decisions.operations import OperationFilter, OperationQuery
from scrapersky.queries.delivery.left_out import REASON_WORDS
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.console import ConsoleContext, emails_by_user, is_htmx
from scrapersky.web.console.navigation import LISTS
from scrapersky.web.console.overview.periods import PERIODS

router = APIRouter()

ROWS = 50
PERIOD_NAMES = {period.name: period.title for period in PERIODS.values()}
SAME_ROWS = "the rows of the decision that it undoes"
VERBS = {"curate": "Set to", "reset": "Reset", "run": "Run now", "undo": "Undo", "deliver": "Send"}
# Why an operation left rows as they were, or did not queue them, for people.
REASONS = {
    "not_found": "no longer there",
    "taken": "already processed",
    "changed_since": "changed since by somebody else",
    "deleted": "deleted",
    "in_work": "in work",
    "unchanged": "already so",
    **REASON_WORDS,
}
Text = Annotated[str, Query(max_length=200)]
Period = Literal["", "1h", "24h", "7d", "30d"]


@router.get("/activity")
async def list_operations(
    request: Request,
    caller: Viewer,
    console: ConsoleContext,
    status: Text = "",
    entity: Text = "",
    action: Text = "",
    person: Text = "",
    period: Period = "",
    after: Text = "",
) -> Response:
    """Operations, the newest first."""
    chosen = {"status": status, "entity": entity, "action": action, "person": person, "period": period}
    matching = OperationFilter(
        status=_one_of(status, statuses.OPERATION),
        entity=_one_of(entity, tuple(ENTITIES)),
        action=_one_of(action, statuses.OPERATION_ACTION),
        created_by=_uuid(person),
        since=_since(period),
    )
    operations = OperationQuery(caller.engine, caller.actor.tenant_id)
    rows = await operations.find(matching, after=_uuid(after), limit=ROWS + 1)
    undo_hours = console.api.settings.undo_hours
    return await console.page(
        request,
        caller,
        "activity.html",
        tab="operations",
        rows=[operation_in_words(row, undo_hours) for row in rows[:ROWS]],
        total=await operations.count_matching(matching),
        next=rows[ROWS - 1]["id"] if len(rows) > ROWS else None,
        chosen=chosen,
        params={name: value for name, value in chosen.items() if value},
        statuses=statuses.OPERATION,
        entities=ENTITIES,
        actions=VERBS,
        people=await emails_by_user(caller),
        periods=PERIOD_NAMES,
        back=request.url.path,
    )


@router.get("/activity/audit")
async def list_audit_entries(
    request: Request,
    caller: Admin,
    console: ConsoleContext,
    action: Text = "",
    table_name: Text = "",
    person: Text = "",
    period: Period = "",
    after: Text = "",
    verify: bool = False,
) -> Response:
    """The audit log with the values that were changed, for administrators."""
    chosen = {"action": action, "table_name": table_name, "person": person, "period": period}
    matching = AuditFilter(
        action=action or None,
        table_name=table_name or None,
        user_id=_uuid(person),
        since=_since(period),
    )
    audit = AuditQuery(caller.engine, caller.actor.tenant_id)
    number = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else None
    return await console.page(
        request,
        caller,
        "audit.html",
        tab="audit",
        page=await audit.find(matching, after=number, limit=ROWS),
        chain=await audit.verify() if verify else None,
        chosen=chosen,
        params={name: value for name, value in chosen.items() if value},
        people=await emails_by_user(caller),
        periods=PERIOD_NAMES,
    )


@router.get("/activity/{operation_id:uuid}")
async def show_operation(
    request: Request, operation_id: UUID, caller: Viewer, console: ConsoleContext
) -> Response:
    """One operation with its progress and what it left alone."""
    row = await OperationQuery(caller.engine, caller.actor.tenant_id).show(operation_id)
    operation = operation_in_words(row, console.api.settings.undo_hours)
    reasons = _reasons(row["skipped"])
    values: dict[str, Any] = {"operation": operation, "reasons": reasons, "back": f"/activity/{operation_id}"}
    if is_htmx(request):
        return console.fragment(request, caller, "_operation_details.html", **values)
    return await console.page(request, caller, "operation.html", **values)


# ---- in words


def operation_in_words(row: dict[str, Any], undo_hours: int) -> dict[str, Any]:
    """The operation with what it does in words, what may be done about it, and its links."""
    entity = ENTITIES[row["entity"]]
    is_open = row["finished_at"] is None
    age = datetime.now(UTC) - row["created_at"]
    return {
        **row,
        "verb": f"{VERBS[row['action']]} {row['value'] or ''}".strip(),
        "what": entity.plural,
        "where": SAME_ROWS if row["undo_of"] else describe_filters(row["filters"], row["number_of_ids"]),
        "percent": round(100 * row["progress"]),
        "is_open": is_open,
        "can_cancel": is_open and row["action"] != "undo" and not row["cancel_requested"],
        "can_undo": not is_open
        and row["action"] != "undo"
        and row["undone_at"] is None
        and bool(row["changed"])
        and age < timedelta(hours=undo_hours),
        "list_link": _list_link(row),
        "rule_link": _rule_link(row),
    }


def describe_filters(filters: dict[str, list[str]], number_of_ids: int | None) -> str:
    """The rows that an operation is about, in words."""
    parts = [f"{name.replace('_', ' ')} is {' or '.join(values)}" for name, values in filters.items()]
    if number_of_ids is not None:
        parts.insert(0, "one picked row" if number_of_ids == 1 else f"{number_of_ids:,} picked rows")
    return ", ".join(parts) or "all rows"


def _list_link(row: dict[str, Any]) -> str:
    path = LISTS.get(row["entity"], "")
    return f"{path}?{urlencode(row['filters'], doseq=True)}" if path and row["filters"] else path


def _rule_link(row: dict[str, Any]) -> str:
    """A rule decides about new rows by a filter, so a decision about picked rows cannot become one."""
    is_ruled = row["action"] == "curate" and row["value"] != statuses.NEW
    if not is_ruled or not row["filters"] or row["number_of_ids"] is not None:
        return ""
    params = {"list": LISTS[row["entity"]].strip("/"), "decision": row["value"], **row["filters"]}
    return f"/views/rules/new?{urlencode(params, doseq=True)}"


def _reasons(skipped: dict[str, int]) -> list[tuple[str, int]]:
    return [(REASONS.get(name, name.replace("_", " ")), number) for name, number in skipped.items()]


# ---- parameters


def _since(period: str) -> datetime | None:
    return datetime.now(UTC) - PERIODS[period].length if period else None


def _one_of(text: str, allowed: tuple[str, ...]) -> str | None:
    if text and text not in allowed:
        raise Problem(422, "Invalid input", f"Invalid value; expected one of {', '.join(allowed)}.")
    return text or None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise Problem(422, "Invalid input", "An identifier in the address is not a UUID.") from None
