"""Sends contacts from their list: the picked ones or all that match, after a look at what is left out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.delivery.sends import Send, preview_send, send_contacts
from scrapersky.api.caller import Caller, Operator
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.log import pluralize
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.delivery.left_out import INCLUDABLE, REASON_WORDS
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of, texts_of
from scrapersky.web.console.lists.list_state import ListState
from scrapersky.web.console.lists.list_views import VIEWS

router = APIRouter()
VIEW = VIEWS["contact"]


@router.get("/contacts/send")
async def choose_destination(
    request: Request, caller: Operator, console: ConsoleContext, query: str = "", ids: str = ""
) -> Response:
    """All that match the filters, or the contacts with these ids."""
    form = FormData([("query", query[:8_000]), ("ids", ids[:8_000])])
    return await _show(request, caller, console, form)


@router.post("/contacts/send")
async def send(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """A look first, as often as wanted; the button with the number sends."""
    form = await read_form(request)
    if text_of(form, "do") != "send":
        return await _show(request, caller, console, form)
    sending = _sending(form, timedelta(seconds=console.api.settings.decision_grace_seconds))
    try:
        result = await send_contacts(caller.engine, caller.actor, sending, in_background=True)
    except (Conflict, InvalidInput) as error:
        return await _show(request, caller, console, form, error=str(error), status=error.status)
    if not result.is_finished:
        console.api.run_operations()
    left_out = sum(result.skipped.values())
    notice = f"{pluralize(result.queued, 'contact')} on the way" + (
        f", {left_out:,} left out" if left_out else ""
    )
    return console.redirect(request, f"/deliveries?destination_id={sending.destination_id}", notice)


def _sending(form: FormData, grace: timedelta = timedelta(0)) -> Send:
    state = ListState.read(VIEW, parse_qsl(text_of(form, "query")))
    ids = _uuids(",".join(texts_of(form, "ids"))) if text_of(form, "all") != "1" else []
    [destination] = _uuids(text_of(form, "destination")) or [UUID(int=0)]
    expected = text_of(form, "expected")
    return Send(
        destination_id=destination,
        ids=ids or None,
        filters=None if ids else state.filters,
        include=[reason for reason in texts_of(form, "include") if reason in INCLUDABLE],
        expected=int(expected) if expected.isascii() and expected.isdigit() and len(expected) < 10 else None,
        grace=grace,
    )


def _uuids(text: str) -> list[UUID]:
    try:
        return [UUID(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InvalidInput("An id is not a UUID") from None


async def _show(
    request: Request, caller: Caller, console: Console, form: FormData, *, status: int = 200, error: str = ""
) -> Response:
    query = DestinationQuery(caller.engine, caller.actor.tenant_id)
    active = [row for row in await query.list_destinations() if row["is_active"]]
    sending = _sending(form)
    chosen = next(
        (row for row in active if row["id"] == sending.destination_id), active[0] if active else None
    )
    values: dict[str, Any] = {"destinations": active, "chosen": chosen, "counts": {}, "sent": 0}
    if chosen is not None:
        known = Send(
            destination_id=chosen["id"], ids=sending.ids, filters=sending.filters, include=sending.include
        )
        counts = await preview_send(caller.engine, caller.actor, known)
        values |= {"sent": counts.pop("sent", 0), "counts": counts}
    return await console.page(
        request,
        caller,
        "contact_send.html",
        status=status,
        **values,
        matched=values["sent"] + sum(values["counts"].values()),
        include=sending.include,
        reasons=REASON_WORDS,
        includable=INCLUDABLE,
        error=error,
        fields={name: ",".join(texts_of(form, name)) for name in ("query", "ids", "all")},
        back=ListState.read(VIEW, parse_qsl(text_of(form, "query"))).url(),
    )
