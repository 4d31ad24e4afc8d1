"""The tabs of the settings: which of them a caller sees, and the page around each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response

from scrapersky.api.caller import Caller
from scrapersky.api.installation import is_of_installation
from scrapersky.web.console.console import Console

HOME = "/settings"


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of the settings. `is_installation` ones are seen by the default tenant, others by everybody."""

    name: str
    title: str
    is_installation: bool = False
    is_for_admins: bool = False

    @property
    def path(self) -> str:
        return f"{HOME}/{self.name}"


TABS = (
    Tab("gates", "Gates", is_installation=True),
    Tab("stages", "Stages", is_installation=True),
    Tab("politeness", "Politeness", is_installation=True),
    Tab("sources", "Sources", is_installation=True),
    Tab("destinations", "Destinations"),
    Tab("integrations", "Integrations", is_installation=True),
    Tab("score", "Lead score"),
    Tab("people", "People"),
    Tab("keys", "API keys"),
    Tab("privacy", "Privacy"),
    Tab("tenants", "Tenants", is_installation=True, is_for_admins=True),
    Tab("alerts", "Alerts", is_installation=True, is_for_admins=True),
    Tab("everything", "Everything", is_installation=True, is_for_admins=True),
    Tab("look", "Look and keys"),
)


def visible_tabs(caller: Caller, console: Console) -> list[Tab]:
    """The tabs whose pages the caller may open."""
    is_home = is_of_installation(caller, console.api)
    return [
        tab
        for tab in TABS
        if (is_home or not tab.is_installation) and (caller.is_admin or not tab.is_for_admins)
    ]


async def show_settings(
    request: Request, caller: Caller, console: Console, name: str, *, status: int = 200, **values: Any
) -> Response:
    """A page of the settings; `name` is that of its template, whose first part is its tab."""
    frame = {
        "tabs": visible_tabs(caller, console),
        "tab": name.partition("_")[0],
        "saved": request.query_params.get("saved", "")[:100],
        "error": "",
    }
    return await console.page(request, caller, f"settings/{name}.html", status=status, **{**frame, **values})
