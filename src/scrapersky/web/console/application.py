"""Adds the console to the web application: its frame and every router of its pages."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from jinja2 import Environment
from starlette.routing import BaseRoute

from scrapersky.api.caller import require_caller
from scrapersky.api.context import ApiContext
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.web.assets import Assets
from scrapersky.web.console import (
    activity,
    add,
    database,
    dead_letters,
    details,
    jobs,
    lists,
    matches,
    overview,
    presets,
    settings,
    stages,
    styleguide,
    system,
)
from scrapersky.web.console.console import Console
from scrapersky.web.console.problem_pages import add_problem_pages

# One module for each subject; each has a `router`.
ROUTERS: tuple[APIRouter, ...] = (
    activity.router,
    add.router,
    database.router,
    dead_letters.router,
    details.router,
    jobs.router,
    lists.router,
    matches.router,
    overview.router,
    presets.router,
    settings.router,
    stages.router,
    styleguide.router,
    system.router,
)


def add_console(
    web: FastAPI,
    api: ApiContext,
    templates: Environment,
    assets: Assets,
    health: HealthQuery,
    stages: StageQuery,
) -> None:
    web.state.console = Console(api, templates, assets, health, stages)
    add_problem_pages(web)
    web.router.routes.extend(console_routes())


@cache
def console_routes() -> list[BaseRoute]:
    """The routes; analysing them takes long, so all applications of a process share them."""
    console = APIRouter()
    for router in ROUTERS:
        console.include_router(router, dependencies=[Depends(require_caller)], include_in_schema=False)
    return console.routes
