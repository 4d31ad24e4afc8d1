"""Coverage: how many businesses a search has missed, estimated from two sources."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, Field

from scrapersky.api.caller import Viewer
from scrapersky.queries.places.coverage import CoverageQuery, Estimate

router = APIRouter(prefix="/searches", tags=["searches"])


class EstimateModel(BaseModel):
    """Businesses by the first source, by the second and by both, and the estimated number of all."""

    first: int
    second: int
    both: int
    listed: int = Field(description="By one of the sources or both.")
    estimate: float | None = Field(description="null while the sources have nothing in common.")
    low: float | None = Field(description="The lower end of the interval of 95 %.")
    high: float | None = Field(description="The upper end.")
    share: float | None = Field(description="listed / estimate")

    @classmethod
    def of(cls, estimate: Estimate) -> EstimateModel:
        return cls.model_validate(estimate, from_attributes=True)


class CellModel(BaseModel):
    south: float
    west: float
    north: float
    east: float
    estimate: EstimateModel


class CoverageModel(BaseModel):
    """The estimate for the area of a search and for its cells; it needs a second source."""

    source: str
    other_source: str = Field(description="Empty while no other source has searched the area.")
    whole: EstimateModel
    cells: list[CellModel]


@router.get("/{search_id:uuid}/coverage")
async def get_coverage(search_id: UUID, caller: Viewer) -> CoverageModel:
    """Estimate how many businesses of the kind there are in the area of a search."""
    coverage = await CoverageQuery(caller.engine, caller.actor.tenant_id).of_search(search_id)
    return CoverageModel(
        source=coverage.source,
        other_source=coverage.other_source,
        whole=EstimateModel.of(coverage.whole),
        cells=[
            CellModel(
                south=cell.south,
                west=cell.west,
                north=cell.north,
                east=cell.east,
                estimate=EstimateModel.of(cell.estimate),
            )
            for cell in coverage.cells
        ],
    )
