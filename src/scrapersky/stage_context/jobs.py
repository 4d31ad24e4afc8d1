"""Job types: any function can be one, with checked input, progress and a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from scrapersky.declarations import statuses
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.job_progress import Cancelled

if TYPE_CHECKING:
    from scrapersky.stage_context.context import StageContext


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job as its function sees it."""

    item: Item
    tools: StageContext

    async def tell(self, percent: float, message: str) -> None:
        await self.tools.progress.tell(self.item, percent, message)


@dataclass(frozen=True, slots=True)
class JobType:
    """`input` is the shape of the job's data.

    `run` gives the result, or what to write and which status, for a job that continues later.
    """

    name: str
    input: type[BaseModel]
    run: Callable[[Any, JobRun], Awaitable[dict[str, Any] | Result]]


Shape = TypeVar("Shape", bound=BaseModel)


class BadJob(Discard):
    """The job cannot be run as it is."""


@dataclass(slots=True)
class Jobs:
    """The known job types."""

    types: dict[str, JobType] = field(default_factory=dict)

    def add(self, one: JobType) -> None:
        self.types[one.name] = one

    async def run(self, job: JobRun) -> Result:
        """Check the input, then run; what does not fit fails with its reason instead of waiting for ever."""
        row = job.item.row
        kind = self.types.get(row.job_type)
        if kind is None:
            raise BadJob(f"there is no job type {row.job_type!r}")
        given = checked(kind.input, row.result_data)
        try:
            found = await self._run(kind, given, job)
        except Cancelled as reason:
            return Result(status=statuses.CANCELLED, fields={"progress_message": str(reason)})
        if isinstance(found, Result):
            return found
        # The input stays beside the result, so that a finished job can be run again.
        result = {**row.result_data, **found}
        return Result(fields={"result_data": result, "progress": 1.0, "progress_percent": 100})

    async def _run(self, kind: JobType, given: BaseModel, job: JobRun) -> dict[str, Any] | Result:
        seconds = job.item.row.timeout_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await kind.run(given, job)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimeoutError(f"took longer than {seconds} s") from None


def checked(shape: type[Shape], data: Any) -> Shape:
    """The data as its shape, or a readable reason why it is not."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in one['loc']) or 'input'}: {one['msg']}" for one in error.errors()
        )
        raise BadJob(f"the job's input is not valid: {wrong}") from None
