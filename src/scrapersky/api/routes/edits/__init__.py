"""What people change one by one: contacts, domains, sitemap files and pages."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.edits import contacts, email_validation, sites

router = APIRouter()
for _module in (contacts, email_validation, sites):
    router.include_router(_module.router)
