"""Job types: any function can be one, with validated input, progress and a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from scrapersky.declarations import statuses
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item, Result
from scrapersky.stage_context.job_progress import JobCancelled

if TYPE_CHECKING:
    from scrapersky.stage_context.context import StageContext


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job as its function sees it."""

    item: Item
    context: StageContext

    async def report_progress(self, percent: float, message: str) -> None:
        await self.context.progress.report(self.item, percent, message)


@dataclass(frozen=True, slots=True)
class JobType:
    """`input` is the model of the job's data.

    `run` returns what to add to it, or a Result for a job that continues later.
    """

    name: str
    input: type[BaseModel]
    run: Callable[[Any, JobRun], Awaitable[dict[str, Any] | Result]]


Model = TypeVar("Model", bound=BaseModel)


class InvalidJob(Discard):
    """The job cannot be run as it is."""


async def run_job_type(job: JobRun) -> Result:
    """Validate the input, then run the job by its type."""
    row = job.item.row
    job_type = job.context.job_types.get(row.job_type)
    if job_type is None:
        known = ", ".join(sorted(job.context.job_types)) or "none"
        raise InvalidJob(f"Invalid job type {row.job_type!r}; expected one of {known}")
    params = parse_job_input(job_type.input, row.result_data)
    try:
        output = await _run_in_time(job_type, params, job)
    except JobCancelled as reason:
        return Result(status=statuses.CANCELLED, fields={"progress_message": str(reason)})
    if isinstance(output, Result):
        return output
    # The input stays beside the output, so that a finished job can be run again.
    result = {**row.result_data, **output}
    return Result(fields={"result_data": result, "progress": 1.0, "progress_percent": 100})


async def _run_in_time(job_type: JobType, params: BaseModel, job: JobRun) -> dict[str, Any] | Result:
    seconds = job.item.row.timeout_seconds
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await job_type.run(params, job)
    except TimeoutError:
        if not limit.expired():
            raise
        raise TimeoutError(f"took longer than {seconds} s") from None


def parse_job_input(model: type[Model], data: Any) -> Model:
    """The job's data as its model; InvalidJob with a readable reason when it does not fit."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'input'}: {problem['msg']}" for problem in error.errors()
        )
        raise InvalidJob(f"the job's input is not valid: {problems}") from None
