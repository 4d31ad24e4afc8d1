"""Integrations: the outside services of the installation, and a test of each."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from scrapersky.api.caller import Context
from scrapersky.api.installation import InstallationOperator, InstallationViewer
from scrapersky.api.models import WholeList
from scrapersky.queries.installation.integrations import check_integration, find_integration
from scrapersky.wiring import integrations

router = APIRouter(prefix="/integrations", tags=["integrations"])


class IntegrationModel(BaseModel):
    """`needs` are the settings that switch the service on."""

    name: str
    title: str
    purpose: str
    needs: list[str]
    is_configured: bool


class IntegrationList(WholeList[IntegrationModel]):
    """All services, on one page."""


class IntegrationTest(BaseModel):
    """`status` is ok, failed or not configured."""

    name: str
    status: str
    message: str


@router.get("")
async def list_integrations(caller: InstallationViewer, context: Context) -> IntegrationList:
    """List the outside services, and whether the settings switch them on."""
    known = integrations(context.settings).values()
    return IntegrationList.of(
        [IntegrationModel.model_validate(entry, from_attributes=True) for entry in known]
    )


@router.post("/{name}/test")
async def test_integration(name: str, caller: InstallationOperator, context: Context) -> IntegrationTest:
    """Call a service once and answer whether it accepts us."""
    result = await check_integration(find_integration(integrations(context.settings), name))
    return IntegrationTest.model_validate(result, from_attributes=True)
