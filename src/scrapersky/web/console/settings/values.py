"""Edits of settings: one page for each, and the form that all sections send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.installation.setting_overrides import SettingEditor
from scrapersky.api.caller import Caller
from scrapersky.api.installation import InstallationAdmin
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.installation.setting_overrides import SettingRow, setting_name
from scrapersky.settings import EDITED
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.settings.fields import as_text, make_field
from scrapersky.web.console.settings.sections import NOTHING, Typed, edit_values, read_settings, show_section
from scrapersky.web.console.settings.tabs import HOME, show_settings

router = APIRouter()
SECTIONS = ("gates", "stages", "politeness", "sources", "alerts")
Edit = Callable[[], Awaitable[None]]


@router.get("/settings/everything/{name}")
async def one_setting(
    request: Request, name: str, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    return await _show_one(request, caller, console, name)


@router.post("/settings/values")
async def save_values(request: Request, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    """Store what changed; running processes follow within 10 seconds."""
    form = await read_form(request)
    rows = {row.name: row for row in await read_settings(caller, console)}
    editor = SettingEditor(caller.engine, caller.actor, console.api.settings, console.api.secret_key)
    edits = _edits(form, rows, editor)
    errors = await _apply(edits)
    section, name = text_of(form, "section"), text_of(form, "name")
    if errors:
        typed = Typed({key: text_of(form, key) for key in rows if key in form}, errors)
        if section in SECTIONS:
            return await show_section(request, caller, console, section, typed=typed, status=422)
        return await _show_one(request, caller, console, name, typed=typed, status=422)
    path = f"{HOME}/{section}" if section in SECTIONS else f"{HOME}/everything/{setting_name(name).upper()}"
    anchor = text_of(form, "anchor")
    suffix = f"#{anchor}" if anchor.replace("_", "").replace("-", "").isalnum() else ""
    notice = "Saved. Workers follow within 10 seconds." if edits else "Nothing was changed."
    return console.redirect(request, f"{path}{suffix}", notice)


def _edits(form: FormData, rows: dict[str, SettingRow], editor: SettingEditor) -> dict[str, Edit]:
    """What the form changes, by the name of the setting."""
    if reset := text_of(form, "reset"):
        return {setting_name(reset).upper(): lambda: editor.unset(reset)}
    edits: dict[str, Edit] = {}
    for name, row in rows.items():
        if name in form and (edit := _edit(editor, row, text_of(form, name))):
            edits[name] = edit
    return edits


def _edit(editor: SettingEditor, row: SettingRow, text: str) -> Edit | None:
    if row.is_secret:
        # The field is empty because secrets are not shown; nothing typed changes nothing.
        return (lambda: editor.set(row.name, text)) if text else None
    if text == as_text(row.value):
        return None
    if not text and as_text(row.default) == "":
        return (lambda: editor.unset(row.name)) if row.origin == EDITED else None
    return lambda: editor.set(row.name, text)


async def _apply(edits: dict[str, Edit]) -> dict[str, str]:
    """Store the edits; gives what was refused. One that a rule forbids may pass after the next."""
    refused: dict[str, str] = {}
    left = dict(edits)
    while left:
        refused = {}
        for name, edit in left.items():
            try:
                await edit()
            except (InvalidInput, Conflict) as error:
                refused[name] = _reason(name, str(error))
        if len(refused) == len(left):
            break
        left = {name: left[name] for name in refused}
    return refused


def _reason(name: str, error: str) -> str:
    """The reason without the name, which the label already says."""
    own = next((line for line in error.splitlines() if line.startswith(name)), error)
    return f"This{own.removeprefix(name)}" if own.startswith(f"{name} ") else own


async def _show_one(
    request: Request,
    caller: Caller,
    console: Console,
    name: str,
    *,
    typed: Typed = NOTHING,
    status: int = 200,
) -> Response:
    name = setting_name(name).upper()
    row = next(row for row in await read_settings(caller, console) if row.name == name)
    field = make_field(row, typed=typed.texts, errors=typed.errors)
    values = await edit_values(caller, console, typed)
    return await show_settings(
        request, caller, console, "everything_one", status=status, field=field, **values
    )
