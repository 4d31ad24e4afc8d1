"""What holds for the whole installation: settings, tenants and integrations."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.installation import integrations, settings, tenants

router = APIRouter()
for _module in (integrations, settings, tenants):
    router.include_router(_module.router)
