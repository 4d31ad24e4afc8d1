"""Settings: every value with its origin; those that are editable take effect within seconds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from scrapersky.actions.installation.setting_overrides import SettingEditor
from scrapersky.api.caller import Context
from scrapersky.api.installation import InstallationAdmin
from scrapersky.api.models import WholeList
from scrapersky.queries.installation.setting_overrides import SettingQuery, SettingRow

router = APIRouter(prefix="/settings", tags=["settings"])
Name = Annotated[str, Path(max_length=100, examples=["AUTO_DEEP_SCAN"])]


class SettingList(WholeList[SettingRow]):
    """All settings, on one page."""


class SettingValue(BaseModel):
    """The value as in the environment: text, a number, or true or false."""

    model_config = ConfigDict(extra="forbid")

    value: Annotated[StrictBool | StrictInt | StrictStr, Field(examples=[False])]


@router.get("")
async def list_settings(caller: InstallationAdmin, context: Context) -> SettingList:
    """Every setting with its value, its default and where the value comes from; no secret is shown."""
    rows = await SettingQuery(caller.engine, context.settings, context.secret_key).list()
    return SettingList.of(rows)


@router.get("/{name}")
async def get_setting(name: Name, caller: InstallationAdmin, context: Context) -> SettingRow:
    """One setting."""
    return await SettingQuery(caller.engine, context.settings, context.secret_key).show(name)


@router.put("/{name}")
async def set_setting(
    name: Name, body: SettingValue, caller: InstallationAdmin, context: Context
) -> SettingRow:
    """Change an editable setting; running workers follow within 10 seconds."""
    await _editor(caller, context).set(name, body.value)
    return await SettingQuery(caller.engine, context.settings, context.secret_key).show(name)


@router.delete("/{name}")
async def unset_setting(name: Name, caller: InstallationAdmin, context: Context) -> SettingRow:
    """Return an editable setting to its default."""
    await _editor(caller, context).unset(name)
    return await SettingQuery(caller.engine, context.settings, context.secret_key).show(name)


def _editor(caller: InstallationAdmin, context: Context) -> SettingEditor:
    return SettingEditor(caller.engine, caller.actor, context.settings, context.secret_key)
