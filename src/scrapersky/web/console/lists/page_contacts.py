"""View contacts: what was read on one page, each entry with the text it was read from (R077 to R081)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.console import ConsoleContext, is_htmx

router = APIRouter()
GROUPS = {
    "emails": "E-mails",
    "phones": "Phone numbers",
    "addresses": "Addresses",
    "socials": "Social profiles",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding; `note` says what it is, such as a person's name or a network."""

    value: str
    quote: str
    note: str
    confidence: float | None
    contact_id: UUID | None


@router.get("/pages/{page_id:uuid}/contacts")
async def show_contacts(page_id: UUID, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    page = await RowQuery(caller.engine).details(ENTITIES["page"], caller.actor.tenant_id, page_id)
    content = page["scraped_content"] or {}
    values: dict[str, Any] = {
        "page_row": page,
        "groups": [(name, label, _entries(page, content, name)) for name, label in GROUPS.items()],
        "read_at": _moment(content.get("extraction_timestamp")) or page["last_scan_at"],
        "credits": content.get("credits", page["credits_used"]) or 0,
    }
    if is_htmx(request):
        return console.fragment(request, caller, "_page_contacts.html", **values)
    return await console.page(request, caller, "page_contacts.html", **values)


def _entries(page: Mapping[str, Any], content: Mapping[str, Any], group: str) -> list[Entry]:
    stored = content.get(group) or []
    # Older pages hold plain texts.
    listed = [each if isinstance(each, dict) else {"value": str(each)} for each in stored]
    return [_entry(page, content, group, each) for each in listed]


def _entry(page: Mapping[str, Any], content: Mapping[str, Any], group: str, detail: dict[str, Any]) -> Entry:
    value = str(detail.get("value") or detail.get("text") or "")
    return Entry(
        value=value,
        quote=str(detail.get("quote") or ""),
        note=_note(content, group, detail, value),
        confidence=detail.get("confidence"),
        contact_id=_contact_id(page, value),
    )


def _note(content: Mapping[str, Any], group: str, detail: dict[str, Any], value: str) -> str:
    """Whose it is, or of which kind."""
    field = {"emails": "email", "phones": "phone"}.get(group)
    for person in content.get("people") or ():
        if field and isinstance(person, dict) and person.get(field) == value:
            return ", ".join(str(part) for part in (person.get("value"), person.get("role")) if part)
    kind = str(detail.get("network") or detail.get("kind") or "")
    return "" if kind == "phone" else kind


def _contact_id(page: Mapping[str, Any], value: str) -> UUID | None:
    for contact in page["contacts"]:
        if value and value in (contact["email"], contact["phone_number"]):
            return UUID(str(contact["id"]))
    return None


def _moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
