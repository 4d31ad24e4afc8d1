"""Dead letters: rows that failed permanently, why, and what people do about them."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import astuple
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions import discard_dead_letters, investigate_dead_letter, requeue_dead_letters
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.cursors import seal, unseal
from scrapersky.api.problems import Problem
from scrapersky.api.routes.dead_letters import read_position
from scrapersky.declarations import DECLARATIONS, STAGE_TITLES, StageDeclaration, statuses
from scrapersky.errors import Conflict
from scrapersky.log import pluralize
from scrapersky.queries import DeadLetterQuery
from scrapersky.queries.dead_letters import DeadLetterFilter
from scrapersky.queries.read_model import get_declaration
from scrapersky.queries.rows.entities import LISTS as ENTITIES
from scrapersky.queries.stages import StageQuery
from scrapersky.web.console.console import Console, ConsoleContext, emails_by_user
from scrapersky.web.console.forms import read_form, return_path, text_of, texts_of
from scrapersky.web.console.navigation import LISTS

router = APIRouter()

ROWS = 50
# More than this is discarded only after a question.
ASK_ABOVE = 20
MAX_PICKED = 10_000
MAX_NOTE = 4_000
GONE = "The row was no dead letter any more"
MAX_CURSOR = 500
FILTERS = ("stage", "error_class", "domain", "state", "contains")
RowId = Annotated[str, Path(max_length=36)]
# The lists in which a row of each table is found, and the column to look for.
TABLE_LISTS = {
    entity.table.name: (LISTS[name], entity.name_column) for name, entity in ENTITIES.items() if name in LISTS
}
Letters = dict[str, list[str]]


@router.get("/dead-letters")
async def list_dead_letters(
    request: Request, caller: Viewer, console: ConsoleContext, after: str = ""
) -> Response:
    chosen = {name: request.query_params.get(name, "").strip()[:200] for name in FILTERS}
    query = DeadLetterQuery(caller.engine, caller.actor.tenant_id)
    matching, key = _filter(chosen), console.api.secret_key
    scope = [str(caller.actor.tenant_id), "dead letters", *astuple(matching)]
    position = read_position(unseal(key, scope, after[:MAX_CURSOR])) if after else None
    page = await query.find(matching, after=position, limit=ROWS)
    if page["next"] is not None:
        page["next"] = seal(key, scope, [page["next"][0].isoformat(), *page["next"][1:]])
    counts = await StageQuery(caller.engine).counts()
    return await console.page(
        request,
        caller,
        "dead_letters.html",
        page=page,
        chosen=chosen,
        params={name: value for name, value in chosen.items() if value},
        stages=[(stage, counts[stage.name].failed) for stage in DECLARATIONS],
        titles=STAGE_TITLES,
        states=statuses.INVESTIGATION,
        people=await emails_by_user(caller),
        back=f"/dead-letters?{request.url.query}",
    )


def _filter(chosen: dict[str, str]) -> DeadLetterFilter:
    """The filter of the list; an unknown state or stage is refused, as in the API."""
    if chosen["state"] and chosen["state"] not in statuses.INVESTIGATION:
        expected = ", ".join(statuses.INVESTIGATION)
        raise Problem(422, "Invalid input", f"Invalid state; expected one of {expected}.")
    return DeadLetterFilter(**{name: value or None for name, value in chosen.items()})


# ---- many at once


@router.post("/dead-letters/requeue")
async def requeue(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Queue the chosen dead letters again, with all their tries."""
    form = await read_form(request)
    number = 0
    for stage, ids in (await _chosen(form, caller)).items():
        number += await requeue_dead_letters(caller.engine, caller.actor, stage, ids)
    return console.redirect(
        request, return_path(form, "/dead-letters"), f"{pluralize(number, 'dead letter')} queued again"
    )


@router.post("/dead-letters/discard")
async def discard(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Remove the chosen dead letters from their queues; many, or all that match, only after a question."""
    form = await read_form(request)
    letters = await _chosen(form, caller)
    jobs = {stage for stage in letters if get_declaration(stage).table == "jobs"}
    total = sum(len(ids) for stage, ids in letters.items() if stage not in jobs)
    if (total > ASK_ABOVE or text_of(form, "all")) and text_of(form, "confirmed") != str(total):
        return await _ask(request, caller, console, form, letters, total)
    number = 0
    for stage in letters.keys() - jobs:
        number += await discard_dead_letters(caller.engine, caller.actor, stage, letters[stage])
    left = "; jobs cannot be discarded, prune them instead" if jobs else ""
    return console.redirect(
        request, return_path(form, "/dead-letters"), f"{pluralize(number, 'dead letter')} discarded{left}"
    )


async def _ask(
    request: Request, caller: Caller, console: Console, form: FormData, letters: Letters, total: int
) -> Response:
    return await console.page(
        request,
        caller,
        "discard.html",
        letters=letters,
        total=total,
        titles=STAGE_TITLES,
        back=return_path(form, "/dead-letters"),
    )


async def _chosen(form: FormData, caller: Caller) -> Letters:
    """The ids of the picked dead letters by stage, or of all that match the filter of the list."""
    if text_of(form, "all"):
        return await _all_matching(form, caller)
    letters: Letters = defaultdict(list)
    for picked in texts_of(form, "pick"):
        stage, _, row_id = picked.partition(":")
        letters[get_declaration(stage).name].append(row_id[:36])
    if not letters:
        raise Problem(422, "Invalid input", "Pick at least one dead letter.")
    return letters


async def _all_matching(form: FormData, caller: Caller) -> Letters:
    matching = _filter({name: text_of(form, name)[:200] for name in FILTERS})
    query, after = DeadLetterQuery(caller.engine, caller.actor.tenant_id), None
    letters: Letters = defaultdict(list)
    while sum(map(len, letters.values())) < MAX_PICKED:
        page = await query.find(matching, after=after, limit=1_000)
        for letter in page["items"]:
            letters[letter["stage"]].append(letter["id"])
        after = page["next"]
        if after is None:
            break
    number = sum(map(len, letters.values()))
    if text_of(form, "all") != str(number):
        raise Conflict(f"Now {number:,} dead letters match; look at the list again")
    return letters


# ---- one dead letter


@router.get("/dead-letters/{stage}/{row_id}")
async def show_dead_letter(
    request: Request, stage: str, row_id: RowId, caller: Viewer, console: ConsoleContext
) -> Response:
    declaration = get_declaration(stage)
    row = await DeadLetterQuery(caller.engine, caller.actor.tenant_id).show(stage, row_id)
    figures = {name: row.pop(name, None) for name in ("error_class", "attempts", "traceback")}
    crashes, investigation = row.pop("crash_history"), row.pop("investigation")
    return await console.page(
        request,
        caller,
        "dead_letter.html",
        stage=declaration,
        row=row,
        row_id=row_id,
        name=_name(declaration, row),
        list_link=_list_link(declaration, row),
        row_status=row[declaration.status],
        is_dead=row[declaration.status] == declaration.statuses.failed,
        reason=row[declaration.error],
        retries=row[declaration.column("retries")],
        failed_at=row[declaration.column("finished_at")],
        host=row[declaration.host] if declaration.host else "",
        crashes=crashes,
        investigation=investigation,
        states=statuses.INVESTIGATION,
        people=await emails_by_user(caller),
        json=json.dumps(_short(row), indent=2, ensure_ascii=False, default=str),
        **figures,
    )


def _name(stage: StageDeclaration, row: dict[str, Any]) -> str:
    """What people call the row: its address, name or type."""
    column = {entity.table.name: entity.name_column for entity in ENTITIES.values()}.get(stage.table)
    return str(row.get(column or "id") or row["id"])


def _list_link(stage: StageDeclaration, row: dict[str, Any]) -> str:
    if stage.table == "jobs":
        return f"/jobs/{row['id']}"
    path, column = TABLE_LISTS.get(stage.table, ("", ""))
    return f"{path}?q={row[column]}" if path and row.get(column) else ""


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """The row without empty columns and without the text of whole pages."""
    return {
        name: f"{value[:500]}…" if isinstance(value, str) and len(value) > 500 else value
        for name, value in row.items()
        if value not in (None, "", {}, [])
    }


@router.post("/dead-letters/{stage}/{row_id}/requeue")
async def requeue_one(
    request: Request, stage: str, row_id: RowId, caller: Operator, console: ConsoleContext
) -> Response:
    number = await requeue_dead_letters(caller.engine, caller.actor, stage, [row_id])
    notice = "The row is queued again" if number else GONE
    return console.redirect(request, "/dead-letters", notice)


@router.post("/dead-letters/{stage}/{row_id}/discard")
async def discard_one(
    request: Request, stage: str, row_id: RowId, caller: Operator, console: ConsoleContext
) -> Response:
    number = await discard_dead_letters(caller.engine, caller.actor, stage, [row_id])
    notice = "The dead letter is discarded; its row stays" if number else GONE
    return console.redirect(request, "/dead-letters", notice)


@router.post("/dead-letters/{stage}/{row_id}/investigation")
async def investigate(
    request: Request, stage: str, row_id: RowId, caller: Operator, console: ConsoleContext
) -> Response:
    """Note what is known, who looks into it, and how far that is."""
    form = await read_form(request)
    note, owner = text_of(form, "note"), text_of(form, "owner_id")
    if len(note) > MAX_NOTE:
        raise Problem(422, "Invalid input", f"The note is longer than {MAX_NOTE:,} characters.")
    await investigate_dead_letter(
        caller.engine,
        caller.actor,
        stage,
        row_id,
        state=text_of(form, "state"),
        note=note,
        owner_id=_user_id(owner) if owner else None,
    )
    return console.redirect(request, f"/dead-letters/{stage}/{row_id}", "The investigation is saved")


def _user_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Problem(422, "Invalid input", "The owner is not an account.") from None
