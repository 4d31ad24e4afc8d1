"""The settings as people read them: gates, stages, politeness, alerts, and the whole list."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Caller, Viewer
from scrapersky.api.installation import InstallationAdmin, InstallationViewer, is_of_installation
from scrapersky.declarations import DECLARATIONS, GATES, Gate, StageDeclaration
from scrapersky.queries.accounts import AccountQuery
from scrapersky.queries.installation.google_ledger import GoogleLedgerQuery
from scrapersky.queries.installation.setting_overrides import SettingQuery, SettingRow
from scrapersky.queries.places.columns import ColumnMappingQuery
from scrapersky.queries.rows.entities import LISTS
from scrapersky.settings.model import GROUPS
from scrapersky.sources.gazetteer import ATTRIBUTION
from scrapersky.tables.seed import local_user_id
from scrapersky.web.console import navigation
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.lists.list_views import VIEWS
from scrapersky.web.console.settings.fields import SettingField, make_field
from scrapersky.web.console.settings.tabs import show_settings, visible_tabs
from scrapersky.wiring import current_settings, google_options, known_sources

router = APIRouter()
WORKFLOW = re.compile(r" \(WF[^)]*\)")
# The numbers of decisions in the descriptions of gates, which only documents explain.
DECISION = re.compile(r" \(D\d+\)")
# The settings of these two tabs, in cards with a heading and an explanation.
POLITENESS = (
    (
        "Pace",
        "How often one host is asked. robots.txt may ask for a longer pause; a shorter one is never used.",
        ("host_delay_milliseconds", "max_crawl_delay_seconds", "rows_per_host"),
    ),
    (
        "Hosts with errors",
        "A host that keeps failing is left alone for a while, each time longer.",
        ("host_errors_before_backoff", "host_backoff_minutes", "host_backoff_factor"),
    ),
    (
        "Who we are",
        "Site owners see this in their logs. A contact makes it easy for them to write instead of blocking.",
        ("user_agent_contact", "user_agent", "obey_robots", "robots_cache_ttl_hours"),
    ),
)
SOURCES = (
    (
        "Caps",
        "For Google: beyond a cap nothing is paid for; what waits continues when it is raised or next month.",
        ("google_places_search_cap", "google_places_details_cap"),
    ),
    (
        "Prices",
        "Of Google, for previews and the table above: what your contract says.",
        ("google_places_search_usd", "google_places_details_usd", "google_places_free_calls"),
    ),
)
ALERTS = (
    (
        "Webhooks",
        "Each alert is sent once when it is raised and once when it is resolved.",
        ("alert_webhook_url", "alert_slack_url"),
    ),
    (
        "E-mail",
        "The mail server is set before the start, so that a stored password is only sent to that server.",
        (
            *("alert_email_to", "alert_email_from", "alert_smtp_host", "alert_smtp_port"),
            *("alert_smtp_user", "alert_smtp_password", "alert_smtp_security"),
        ),
    ),
    ("When", "", ("alert_resolve_after_minutes", "alert_timeout_seconds")),
)
# The groups in the order of the reference.
GROUP_TITLES = tuple((group.__doc__ or "").strip() for group in GROUPS)
# The settings of all stages together, beside those of each.
BACK_PRESSURE = ("high_water_rows", "low_water_rows")


@dataclass(frozen=True, slots=True)
class Card:
    title: str
    text: str
    fields: list[SettingField]
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class GateCard:
    """A gate with the hand-overs that it controls; `path` is the list in which people decide instead."""

    field: SettingField
    help: str
    sources: list[str]
    target: str
    list_name: str
    path: str
    is_curated: bool

    @property
    def is_open(self) -> bool:
        return self.field.row.value is True


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed and why it was refused, by the names of the settings."""

    texts: Mapping[str, str]
    errors: Mapping[str, str]


NOTHING = Typed({}, {})


@router.get("/settings")
async def first_page(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return console.redirect(request, visible_tabs(caller, console)[0].path)


@router.get("/settings/gates")
async def gates(request: Request, caller: InstallationViewer, console: ConsoleContext) -> Response:
    return await show_section(request, caller, console, "gates")


@router.get("/settings/stages")
async def stages(request: Request, caller: InstallationViewer, console: ConsoleContext) -> Response:
    return await show_section(request, caller, console, "stages")


@router.get("/settings/politeness")
async def politeness(request: Request, caller: InstallationViewer, console: ConsoleContext) -> Response:
    return await show_section(request, caller, console, "politeness")


@router.get("/settings/sources")
async def sources(request: Request, caller: InstallationViewer, console: ConsoleContext) -> Response:
    return await show_section(request, caller, console, "sources")


@router.get("/settings/alerts")
async def alerts(request: Request, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    return await show_section(request, caller, console, "alerts")


@router.get("/settings/everything")
async def everything(
    request: Request, caller: InstallationAdmin, console: ConsoleContext, q: str = "", origin: str = ""
) -> Response:
    rows = await read_settings(caller, console)
    words = q[:100].strip().lower()
    matching = [
        row
        for row in rows
        if words in f"{row.name} {row.description} {row.group}".lower()
        and (not origin or (row.origin != "default" if origin == "changed" else row.editable))
    ]
    groups = {title: [row for row in matching if row.group == title] for title in GROUP_TITLES}
    values: dict[str, Any] = {
        "q": q[:100],
        "origin": origin,
        "total": len(rows),
        "is_filtered": bool(words or origin),
    }
    values["groups"] = {title: own for title, own in groups.items() if own}
    return await show_settings(request, caller, console, "everything", **values)


@router.get("/settings/look")
async def look(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await show_settings(request, caller, console, "look")


# ---- sections, also after a form that was refused


async def show_section(
    request: Request,
    caller: Caller,
    console: Console,
    name: str,
    *,
    typed: Typed = NOTHING,
    status: int = 200,
) -> Response:
    rows = {row.name: row for row in await read_settings(caller, console)}
    sections = {
        "gates": _gates,
        "stages": _stages,
        "politeness": _politeness,
        "sources": _sources,
        "alerts": _alerts,
    }
    values = {**sections[name](rows, typed), **await edit_values(caller, console, typed)}
    if name == "sources":
        values |= await _google_values(caller, console) | await _source_values(caller, console)
    return await show_settings(request, caller, console, name, status=status, **values)


async def edit_values(caller: Caller, console: Console, typed: Typed) -> dict[str, Any]:
    """What every form of settings shows: whether one may edit, what was refused, and who edited."""
    return {
        "can_edit": caller.is_admin and is_of_installation(caller, console.api),
        "has_errors": bool(typed.errors),
        "editors": await _editors(caller) if caller.is_admin else {},
    }


async def read_settings(caller: Caller, console: Console) -> list[SettingRow]:
    return await SettingQuery(caller.engine, console.api.settings, console.api.secret_key).list()


async def _editors(caller: Caller) -> dict[Any, str]:
    users = await AccountQuery(caller.engine, caller.actor.tenant_id).users()
    local = {local_user_id(caller.actor.tenant_id): "local"}
    return local | {user["id"]: user["email"] for user in users}


def _gates(rows: Mapping[str, SettingRow], typed: Typed) -> dict[str, Any]:
    return {"gates": [_gate(gate, rows, typed) for gate in GATES]}


def _gate(gate: Gate, rows: Mapping[str, SettingRow], typed: Typed) -> GateCard:
    steps = [(stage, step) for stage in DECLARATIONS for step in stage.queues if step.gate == gate]
    following = next(stage for stage in DECLARATIONS if stage.name == steps[0][1].stage)
    entity = next(entity for entity in LISTS.values() if entity.table.name == following.table)
    return GateCard(
        field=make_field(rows[gate.setting.upper()], typed=typed.texts, errors=typed.errors),
        help=DECISION.sub("", gate.help),
        sources=[stage_title(stage) for stage, _ in steps],
        target=stage_title(following),
        list_name=VIEWS[entity.name].nouns,
        path=navigation.LISTS[entity.name],
        is_curated=entity.is_curated,
    )


def _stages(rows: Mapping[str, SettingRow], typed: Typed) -> dict[str, Any]:
    cards = []
    for stage in DECLARATIONS:
        prefix = f"{stage.compat.settings_prefix.upper()}_"
        own = [row for name, row in rows.items() if _owner(name) is stage]
        fields = [make_field(row, prefix=prefix, typed=typed.texts, errors=typed.errors) for row in own]
        cards.append(Card(stage_title(stage), _handover(stage), fields, anchor=stage.name))
    shared = [
        make_field(rows[name.upper()], typed=typed.texts, errors=typed.errors) for name in BACK_PRESSURE
    ]
    text = "A stage pauses while the queue that it feeds is long, and resumes when that is shorter again."
    return {"cards": [*cards, Card("Back-pressure", text, shared, anchor="back-pressure")]}


def _owner(name: str) -> StageDeclaration | None:
    """The stage of a setting: that with the longest prefix, because some prefixes begin others."""
    owners = [s for s in DECLARATIONS if name.startswith(f"{s.compat.settings_prefix.upper()}_")]
    return max(owners, key=lambda stage: len(stage.compat.settings_prefix), default=None)


def _handover(stage: StageDeclaration) -> str:
    titles = {other.name: stage_title(other) for other in DECLARATIONS}
    following = list(dict.fromkeys(titles[step.stage] for step in stage.queues if step.stage != stage.name))
    return f"Hands over to: {', '.join(following)}." if following else ""


def _politeness(rows: Mapping[str, SettingRow], typed: Typed) -> dict[str, Any]:
    return {"cards": _cards(POLITENESS, rows, typed)}


def _sources(rows: Mapping[str, SettingRow], typed: Typed) -> dict[str, Any]:
    return {"cards": _cards(SOURCES, rows, typed)}


async def _google_values(caller: Caller, console: Console) -> dict[str, Any]:
    """The ledger of calls to Google, and whether there is a key."""
    settings = await current_settings(console.api.settings, caller.engine, console.api.secret_key)
    return {
        "google_calls": await GoogleLedgerQuery(caller.engine).months(google_options(settings).prices),
        "has_google_key": settings.google_maps_api_key is not None,
    }


async def _source_values(caller: Caller, console: Console) -> dict[str, Any]:
    """Every source with its state, which may be read from the disk, and the column mappings."""
    entries = list(known_sources(console.api.settings).values())
    states = [await asyncio.to_thread(entry.state) for entry in entries]
    return {
        "sources": list(zip(entries, states, strict=True)),
        "gazetteer": ATTRIBUTION,
        "column_mappings": await ColumnMappingQuery(caller.engine, caller.actor.tenant_id).list_mappings(),
    }


def _alerts(rows: Mapping[str, SettingRow], typed: Typed) -> dict[str, Any]:
    return {"cards": _cards(ALERTS, rows, typed)}


def _cards(
    sections: tuple[tuple[str, str, tuple[str, ...]], ...], rows: Mapping[str, SettingRow], typed: Typed
) -> list[Card]:
    return [
        Card(
            title,
            text,
            [make_field(rows[name.upper()], typed=typed.texts, errors=typed.errors) for name in names],
            anchor=title.lower().replace(" ", "-"),
        )
        for title, text, names in sections
    ]


def stage_title(stage: StageDeclaration) -> str:
    """The title without the number of the workflow, which only documents use."""
    return WORKFLOW.sub("", stage.title)
