"""People and programs: sessions, users, API keys and the first start."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.accounts import api_keys, sessions, setup, users

router = APIRouter()
for _module in (sessions, users, api_keys, setup):
    router.include_router(_module.router)
