"""Decisions about the one row that a page shows: select, maybe, reject, archive, run now, reset."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from fastapi import Request

from scrapersky.actions.curation import CurationResult, decide
from scrapersky.actions.operations import CURATE, RESET, RUN, Decision
from scrapersky.api.caller import Caller
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import parse_curation_status
from scrapersky.web.console.console import Console
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.lists.list_views import DECISIONS

# The status, verb and icon of each button; to put a row back is what Reset does.
BUTTONS = tuple((status, verb, icon) for status, _, verb, icon in DECISIONS if status != statuses.NEW)
ACTIONS = (CURATE, RUN, RESET)


async def decide_row(request: Request, console: Console, caller: Caller, entity: Entity, row_id: UUID) -> str:
    """Do what the pressed button says; gives the sentence for the notice."""
    form = await read_form(request)
    action, value = text_of(form, "action", CURATE), text_of(form, "value")
    if action not in ACTIONS:
        raise InvalidInput(f"Invalid action {action[:50]!r}; expected one of {', '.join(ACTIONS)}")
    grace = timedelta(seconds=console.api.settings.decision_grace_seconds if action == CURATE else 0)
    decision = Decision(
        entity=entity,
        action=action,
        value=parse_curation_status(value) if action == CURATE else None,
        ids=[row_id],
        grace=grace,
    )
    result = await decide(caller.engine, caller.actor, decision)
    if "not_found" in result.skipped:
        raise NotFound(f"There is no {entity.name} {row_id}")
    return describe(decision, result)


def describe(decision: Decision, result: CurationResult) -> str:
    if not result.updated:
        in_work = "It is being processed; nothing was changed." if result.skipped else ""
        return in_work or "Nothing changed: it was like that already."
    done = {CURATE: decision.value, RUN: "Queued: it is processed next", RESET: "Reset to a new row"}
    queued = "; queued for processing" if result.queued and decision.action == CURATE else ""
    return f"{done[decision.action]}{queued}."
