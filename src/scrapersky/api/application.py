"""Adds the API to the web application: its context and every router in `routes`."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute

from scrapersky.actions.accounts.login_limits import LoginSlots
from scrapersky.api.broadcaster import Broadcaster
from scrapersky.api.caller import require_caller
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.etags import add_etag_handler
from scrapersky.api.idempotency import add_replay_handler
from scrapersky.api.openapi.document import routers
from scrapersky.api.parameters import check_parameters
from scrapersky.api.quotas import RequestLimits, limit_requests

__all__ = ["PREFIX", "ApiContext", "add_api"]


def add_api(web: FastAPI, context: ApiContext) -> None:
    web.state.api = context
    web.state.broadcaster = Broadcaster(context)
    web.state.login_slots = LoginSlots()
    web.state.request_limits = RequestLimits()
    add_etag_handler(web)
    add_replay_handler(web)
    web.router.routes.extend(api_routes())


@cache
def api_routes() -> list[BaseRoute]:
    """The routes; analysing them takes a third of a second, so all applications of a process share them."""
    # A route that names no role is still closed to those whom we do not know.
    checks = [Depends(require_caller), Depends(limit_requests), Depends(check_parameters)]
    api = APIRouter()
    for router in routers():
        api.include_router(router, prefix=PREFIX, dependencies=checks)
    return api.routes
