"""The pages under /settings: how the installation behaves, who may use it, and how it looks."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.web.console.settings import (
    column_mappings,
    destinations,
    integrations,
    keys,
    people,
    privacy,
    score,
    sections,
    tenants,
    values,
)

router = APIRouter()
for _module in (
    column_mappings,
    destinations,
    integrations,
    keys,
    people,
    privacy,
    score,
    sections,
    tenants,
    values,
):
    router.include_router(_module.router)
