"""The web application: health for machines, and one plain page for people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from importlib.resources import files
from time import monotonic
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.queries.health import broken_services
from scrapersky.web.hosts import AllowedHosts

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
# Workers are processes of their own and need some seconds to start.
STARTUP_SECONDS = 30.0
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def _template(name: str) -> str | None:
    source = files("scrapersky.web") / "templates" / name
    return source.read_text(encoding="utf-8") if source.is_file() else None


def create_app(
    health: HealthQuery,
    stages: StageQuery,
    *,
    lifespan: Lifespan | None = None,
    with_status_page: bool = True,
    allowed_hosts: Iterable[str] = (),
    startup_seconds: float = STARTUP_SECONDS,
) -> FastAPI:
    """The status page has no sign-in, so it is off where a network could open it."""
    web = FastAPI(title="ScraperSky", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    templates = Environment(
        loader=FunctionLoader(_template), autoescape=select_autoescape(), undefined=StrictUndefined
    )
    web.middleware("http")(_checking_host(AllowedHosts(allowed_hosts)))
    web.middleware("http")(_with_headers)
    web.add_exception_handler(Exception, _failed)
    _add_health(web, health)
    if with_status_page:
        _add_page(web, health, stages, templates, Startup(startup_seconds))
    return web


class Startup:
    """The first seconds after the start, in which missing workers are not a fault."""

    def __init__(self, seconds: float) -> None:
        self._until = monotonic() + seconds

    def status(self, report: dict[str, Any]) -> str:
        """The status for people: "starting" while nothing but workers is missing."""
        if report["status"] != "unhealthy":
            self._until = 0.0
        lacks_only_workers = report["schedulers"] and not broken_services(report["external_services"])
        is_starting = report["status"] == "unhealthy" and lacks_only_workers and monotonic() < self._until
        return "starting" if is_starting else str(report["status"])


async def _with_headers(request: Request, answer: Any) -> Response:
    response: Response = await answer(request)
    response.headers.update(HEADERS)
    return response


def _checking_host(allowed: AllowedHosts) -> Callable[[Request, Any], Awaitable[Response]]:
    async def check(request: Request, answer: Any) -> Response:
        host = request.headers.get("host")
        if allowed.allow(host):
            response: Response = await answer(request)
            return response
        line = f"Unknown host {(host or '')[:100]!a}; add it to ALLOWED_HOSTS if it is yours.\n"
        return PlainTextResponse(line, status_code=421)

    return check


async def _failed(request: Request, error: Exception) -> Response:
    """Unexpected errors are answered outside the middleware; the reason is only logged."""
    return JSONResponse({"status": "failed"}, status_code=500, headers=HEADERS)


def _add_health(web: FastAPI, health: HealthQuery) -> None:
    @web.get("/health")
    async def full_report() -> JSONResponse:
        report = await health.report()
        return JSONResponse(report, status_code=200 if report["status"] != "unhealthy" else 503)

    @web.get("/health/live")
    async def live() -> dict[str, str]:
        return {"status": "alive"}

    @web.get("/health/ready")
    async def ready() -> JSONResponse:
        is_ready = await health.is_ready()
        return JSONResponse(
            {"status": "ready" if is_ready else "not ready"}, status_code=200 if is_ready else 503
        )


def _add_page(
    web: FastAPI, health: HealthQuery, stages: StageQuery, templates: Environment, startup: Startup
) -> None:
    @web.get("/", response_class=HTMLResponse)
    async def page() -> HTMLResponse:
        report = await health.report()
        is_known = report["status"] != "unhealthy" or report["schedulers"]
        lines = await stages.statuses() if is_known else []
        status = startup.status(report)
        html = templates.get_template("status.html").render(status=status, report=report, lines=lines)
        return HTMLResponse(html, status_code=200 if status != "unhealthy" else 503)

    @web.get("/static/plain.css")
    async def style() -> Response:
        return Response(_template("plain.css"), media_type="text/css")
