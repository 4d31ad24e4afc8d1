"""This description of the API itself."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from scrapersky.api.caller import Viewer
from scrapersky.api.openapi.document import openapi_document

router = APIRouter(prefix="/openapi.json", tags=["openapi"])


@router.get("", response_class=JSONResponse)
async def get_openapi_document(caller: Viewer) -> JSONResponse:
    """The OpenAPI document."""
    # It is made once, which takes a second that other requests must not wait for.
    return JSONResponse(await asyncio.to_thread(openapi_document))
