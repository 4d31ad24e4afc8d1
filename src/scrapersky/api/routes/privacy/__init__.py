"""Suppressions, and what is known about a person."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.privacy import people, suppressions

router = APIRouter()
for _module in (people, suppressions):
    router.include_router(_module.router)
