"""Rules: a decision about every new row that matches."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.presets.rules import check_filters, create_rule, delete_rule, update_rule
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.decision_bodies import FilterValue, Status, as_filters
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.declarations import statuses
from scrapersky.queries.decisions.presets import RuleQuery
from scrapersky.queries.rows.entities import get_entity
from scrapersky.queries.rows.filters import Filters

router = APIRouter(prefix="/rules", tags=["rules"])
EntityName = Literal["place", "business", "domain", "sitemap", "page", "contact"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
RuleFilter = Annotated[
    dict[Annotated[str, Field(max_length=100)], FilterValue],
    Field(max_length=50, description="Filters of the list.", examples=[{"page_type": ["login"]}]),
]


class PreviewBody(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"entity": "page", "filter": {"page_type": ["login"]}}]}
    )

    entity: EntityName
    filter: RuleFilter


class RuleBody(PreviewBody):
    """Decides about rows that come from now on, as long as nobody has."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "entity": "page",
                    "filter": {"page_type": ["login"]},
                    "name": "No login pages",
                    "decision": statuses.REJECTED,
                }
            ]
        }
    )

    name: Name
    decision: Status | None = Field(None, description="What rows are set to; or a destination.")
    destination_id: UUID | None = Field(None, description="Where contacts are sent, once they are validated.")
    is_enabled: bool = True


class RuleChanges(Body):
    """What is left out stays as it is."""

    name: Name = left_out()
    filter: RuleFilter = left_out()
    decision: Status = left_out()
    is_enabled: bool = left_out()


class RulePreview(BaseModel):
    """Rows of the last 30 days that match, and those of them that nobody has decided about."""

    matching: int
    new: int


class RuleModel(BaseModel):
    id: UUID
    name: str
    entity: EntityName
    filter: dict[str, list[str]] = Field(validation_alias="filters")
    decision: str | None
    destination_id: UUID | None
    is_enabled: bool
    enabled_at: datetime
    checked_at: datetime
    changed_rows: int
    user_id: UUID
    created_at: datetime
    updated_at: datetime


class RuleList(WholeList[RuleModel]):
    """All rules, on one page."""


@router.get("")
async def list_rules(caller: Viewer) -> RuleList:
    """List the rules."""
    return RuleList.of([RuleModel.model_validate(row) for row in await _query(caller).list_rules()])


@router.post("", status_code=201)
async def add_rule(body: RuleBody, caller: Operator, response: Response) -> RuleModel:
    """Add a rule."""
    rule_id = await create_rule(
        caller.engine,
        caller.actor,
        name=body.name,
        entity=body.entity,
        filters=as_filters(get_entity(body.entity), body.filter).to_json(),
        decision=body.decision,
        destination_id=body.destination_id,
        is_enabled=body.is_enabled,
    )
    response.headers["Location"] = f"{PREFIX}/rules/{rule_id}"
    return await get_rule(rule_id, caller)


@router.post("/preview")
async def preview_rule(body: PreviewBody, caller: Viewer) -> RulePreview:
    """Count the rows of the last 30 days that a rule would have matched."""
    entity = get_entity(body.entity)
    filters = Filters.from_json(check_filters(entity, as_filters(entity, body.filter).to_json()))
    return RulePreview.model_validate(await _query(caller).preview(entity, filters))


@router.get("/{rule_id:uuid}")
async def get_rule(rule_id: UUID, caller: Viewer) -> RuleModel:
    """One rule."""
    return RuleModel.model_validate(await _query(caller).show(rule_id))


@router.patch("/{rule_id:uuid}")
async def change_rule(rule_id: UUID, body: RuleChanges, caller: Operator) -> RuleModel:
    """Change, enable or disable a rule."""
    changes = body.model_dump(exclude_unset=True)
    if "filter" in changes:
        rule = await get_rule(rule_id, caller)
        changes["filters"] = as_filters(get_entity(rule.entity), changes.pop("filter")).to_json()
    await update_rule(caller.engine, caller.actor, rule_id, changes)
    return await get_rule(rule_id, caller)


@router.delete("/{rule_id:uuid}", status_code=204, name="delete_rule")
async def remove_rule(rule_id: UUID, caller: Operator) -> None:
    """Delete a rule; what it has decided stays."""
    await delete_rule(caller.engine, caller.actor, rule_id)


def _query(caller: Caller) -> RuleQuery:
    return RuleQuery(caller.engine, caller.actor.tenant_id)
