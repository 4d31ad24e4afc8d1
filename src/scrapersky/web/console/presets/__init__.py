"""What people keep for later: saved views of lists, rules about new rows, and schedules."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.web.console.presets import rules, schedules, views

router = APIRouter()
for _module in (rules, schedules, views):
    router.include_router(_module.router)
