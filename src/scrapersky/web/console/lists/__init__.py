"""The lists in which people decide: their pages, decisions with undo, and the contacts of one page."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.web.console.lists import columns, decisions, lists, page_contacts, sends

router = APIRouter()
for _module in (columns, decisions, lists, page_contacts, sends):
    router.include_router(_module.router)
