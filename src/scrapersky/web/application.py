"""The web application: health for machines, the API for programs, and the console for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from scrapersky.api import ApiContext, add_api
from scrapersky.api.bodies.request_body import RequestBody, body_limits
from scrapersky.api.caller import find_caller
from scrapersky.api.context import PREFIX
from scrapersky.api.correlation import Correlation
from scrapersky.api.idempotency import IdempotentAnswers
from scrapersky.api.installation import is_of_installation
from scrapersky.api.open_loopback import is_loopback
from scrapersky.api.problems import add_problem_handlers
from scrapersky.api.quotas import RefusedCallers
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.web.account_pages import add_account_pages
from scrapersky.web.assets import add_assets, load_assets
from scrapersky.web.console import add_console
from scrapersky.web.console.system import Startup, add_system_page
from scrapersky.web.documentation import add_documentation
from scrapersky.web.headers import HeaderLimit, SecurityHeaders
from scrapersky.web.hosts import AllowedHosts, HostCheck
from scrapersky.web.html import make_templates
from scrapersky.web.metrics import add_metrics
from scrapersky.web.origins import OriginCheck
from scrapersky.web.proxies import TrustedProxies

# Workers are processes of their own and need some seconds to start.
STARTUP_SECONDS = 30.0
# Load balancers ask with either.
PROBE_METHODS = ["GET", "HEAD"]
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(
    health: HealthQuery,
    stages: StageQuery,
    *,
    api: ApiContext | None = None,
    lifespan: Lifespan | None = None,
    allowed_hosts: Iterable[str] = (),
    startup_seconds: float = STARTUP_SECONDS,
) -> FastAPI:
    web = FastAPI(title="ScraperSky", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    assets = load_assets()
    templates = make_templates(assets)
    # The last one is the outermost: its headers are in every answer.
    if api is not None:
        web.add_middleware(IdempotentAnswers, prefix=PREFIX, context=api)
        web.add_middleware(RequestBody, prefix=PREFIX, limits=body_limits(api.settings))
        web.add_middleware(
            OriginCheck,
            public_url=api.settings.public_url,
            requires_tls=not is_loopback(api.settings.host),
        )
        web.add_middleware(RefusedCallers)
    web.add_middleware(HeaderLimit)
    web.add_middleware(HostCheck, allowed=AllowedHosts(allowed_hosts))
    web.add_middleware(Correlation, log=api.log if api else None)
    web.add_middleware(SecurityHeaders)
    web.add_middleware(TrustedProxies, networks=api.settings.trusted_proxies if api else "")
    add_problem_handlers(web)
    add_assets(web, assets)
    _add_health(web, health)
    if api is not None:
        add_api(web, api)
        add_metrics(web, api)
        add_documentation(web, templates)
        add_account_pages(web, api, templates)
        add_console(web, api, templates, assets, health, stages)
    add_system_page(web, health, stages, templates, Startup(startup_seconds))
    return web


def _add_health(web: FastAPI, health: HealthQuery) -> None:
    @web.api_route("/health", methods=PROBE_METHODS)
    async def full_report(request: Request) -> JSONResponse:
        """Booleans and numbers for everybody, reasons for the people of the default tenant."""
        report = await health.report()
        caller = await find_caller(request)
        if caller is None or not is_of_installation(caller, web.state.api):
            del report["details"]
        return JSONResponse(report, status_code=200 if report["status"] != "unhealthy" else 503)

    @web.api_route("/health/live", methods=PROBE_METHODS)
    async def live() -> dict[str, str]:
        return {"status": "alive"}

    @web.api_route("/health/ready", methods=PROBE_METHODS)
    async def ready() -> JSONResponse:
        is_ready = await health.is_ready()
        return JSONResponse(
            {"status": "ready" if is_ready else "not ready"}, status_code=200 if is_ready else 503
        )
