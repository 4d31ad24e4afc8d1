"""Two plain forms for people: the first account by its one-time link, and the login; and the way out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment

from scrapersky.actions.accounts.sessions import end_session
from scrapersky.actions.accounts.setup_links import SetupRequest, use_setup_link
from scrapersky.api.caller import Viewer, find_caller
from scrapersky.api.context import ApiContext
from scrapersky.api.routes.accounts.sessions import start_session
from scrapersky.api.session_cookie import delete_session
from scrapersky.errors import ActionError, TooManyRequests
from scrapersky.web.console.forms import MAX_PATH, own_path, read_form, text_of

MAX_FORM_BYTES = 64 * 1024
MAX_FIELD = 254
FIELDS = ("token", "email", "password", "name")


def add_account_pages(web: FastAPI, api: ApiContext, templates: Environment) -> None:
    def render(name: str, status: int = 200, **values: str) -> HTMLResponse:
        known = {"error": "", "email": "", "token": "", "next": ""}
        return HTMLResponse(templates.get_template(name).render({**known, **values}), status_code=status)

    async def log_in(request: Request, form: dict[str, str]) -> Response:
        response = RedirectResponse(own_path(form["next"]), status_code=303)
        await start_session(request, response, api, form["email"], form["password"])
        return response

    async def answer(page: str, form: dict[str, str], work: Callable[[], Awaitable[Response]]) -> Response:
        """What the work answers; if it is refused, the form again with the reason."""
        try:
            return await work()
        except ActionError as error:
            values = {name: form[name] for name in ("email", "token", "next")}
            response = render(page, error.status, **values, error=str(error))
            if isinstance(error, TooManyRequests):
                response.headers["Retry-After"] = str(error.retry_after)
            return response

    @web.get("/setup", include_in_schema=False)
    async def setup_form(token: str = "") -> HTMLResponse:
        return render("setup.html", token=token[:200])

    @web.post("/setup", include_in_schema=False)
    async def use_setup_form(request: Request) -> Response:
        form = await read_account_form(request)

        async def create() -> Response:
            chosen = {name: form[name] for name in FIELDS}
            setup = SetupRequest(**chosen, correlation_id=request.state.correlation_id)
            await use_setup_link(api.engine, api.settings.default_tenant_id, setup)
            return await log_in(request, form)

        return await answer("setup.html", form, create)

    @web.get("/login", include_in_schema=False)
    async def login_form(request: Request, next: str = "") -> Response:
        if await find_caller(request) is not None:
            return RedirectResponse(own_path(next), status_code=303)
        return render("login.html", next=own_path(next))

    @web.post("/login", include_in_schema=False)
    async def use_login_form(request: Request) -> Response:
        form = await read_account_form(request)
        return await answer("login.html", form, lambda: log_in(request, form))

    @web.post("/logout", include_in_schema=False)
    async def log_out(request: Request, caller: Viewer) -> Response:
        response = RedirectResponse("/login", status_code=303)
        if caller.session_id is not None:
            await end_session(caller.engine, caller.actor, caller.session_id)
        delete_session(request, response)
        return response


async def read_account_form(request: Request) -> dict[str, str]:
    """The fields of the two forms; another kind of body counts as an empty form."""
    form = await read_form(request, max_bytes=MAX_FORM_BYTES)
    # A password may begin or end with a space.
    fields = {name: str(form.get(name, ""))[:MAX_FIELD] for name in FIELDS}
    return {**fields, "next": text_of(form, "next")[:MAX_PATH]}
