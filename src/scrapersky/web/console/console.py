"""What every page of the console has in common: the frame, fragments for htmx, and redirects after a form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from jinja2 import Environment

from scrapersky.api.caller import Caller
from scrapersky.api.context import ApiContext
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.queries.accounts import AccountQuery
from scrapersky.queries.decisions.presets import ViewQuery
from scrapersky.queries.rows.review import ReviewQuery
from scrapersky.web.assets import Assets
from scrapersky.web.console.navigation import LISTS, OPERATE, PIPELINE
from scrapersky.web.console.notice import clear_notice, read_notice, set_notice
from scrapersky.web.console.recent import RecentValues
from scrapersky.web.html import respond_html


@dataclass(frozen=True, slots=True)
class Console:
    """`api.engine` sees every tenant; pages read through the engine of their caller."""

    api: ApiContext
    templates: Environment
    assets: Assets
    health: HealthQuery
    stages: StageQuery
    recent: RecentValues = field(default_factory=RecentValues)

    async def page(
        self, request: Request, caller: Caller, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        """A whole page in the frame. The template names its title; values are escaped."""
        tenant_id, user_id = caller.actor.tenant_id, caller.actor.user_id
        frame = {
            "pipeline": PIPELINE,
            "operate": OPERATE,
            "lists": LISTS,
            "to_review": await ReviewQuery(caller.engine, tenant_id).to_review(),
            "saved_views": await ViewQuery(caller.engine, tenant_id, user_id).list_views(),
            "notice": read_notice(request),
        }
        response = self.fragment(request, caller, template, status=status, **frame, **values)
        if frame["notice"]:
            clear_notice(response)
        return response

    def fragment(
        self, request: Request, caller: Caller | None, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        """A part of a page, for htmx; its template begins with an underscore."""
        known = {"caller": caller, "path": request.url.path, "is_htmx": is_htmx(request)}
        # Inside a call block of a template `caller` means something else.
        known["role"] = caller.role if caller else ""
        html = self.templates.get_template(template).render({**known, **values})
        return respond_html(request, html, status=status)

    def redirect(self, request: Request, url: str, notice: str = "") -> Response:
        """Leads the browser on after a form, with and without htmx; the next page shows the notice once."""
        response = Response(status_code=204, headers={"HX-Redirect": url})
        if not is_htmx(request):
            response = RedirectResponse(url, status_code=303)
        if notice:
            set_notice(request, response, notice)
        return response


async def emails_by_user(caller: Caller) -> dict[UUID, str]:
    """The people of the tenant and the caller, who may be the built-in local user."""
    users = await AccountQuery(caller.engine, caller.actor.tenant_id).users()
    return {user["id"]: user["email"] for user in users} | {caller.actor.user_id: caller.email}


def is_htmx(request: Request) -> bool:
    return request.headers.get("hx-request") == "true"


def get_console(request: Request) -> Console:
    console: Console = request.app.state.console
    return console


ConsoleContext = Annotated[Console, Depends(get_console)]
