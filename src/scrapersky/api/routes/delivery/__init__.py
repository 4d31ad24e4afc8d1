"""Delivery: destinations, and what is sent to them."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.delivery import destinations, sends

router = APIRouter()
for _module in (destinations, sends):
    router.include_router(_module.router)
