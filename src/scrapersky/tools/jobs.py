"""Job types: any function can be one, with checked input, progress, a time limit and a circuit breaker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from scrapersky.engine.circuit import Circuit
from scrapersky.engine.signals import GiveUp
from scrapersky.engine.stage import Item

if TYPE_CHECKING:
    from scrapersky.tools.toolbox import Tools


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job as its function sees it."""

    item: Item
    tools: Tools

    async def tell(self, percent: float, message: str) -> None:
        await self.tools.progress.tell(self.item, percent, message)


@dataclass(frozen=True, slots=True)
class JobType:
    """`input` is the shape of the job's data; `needs` names the dependency whose circuit it runs through."""

    name: str
    input: type[BaseModel]
    run: Callable[[Any, JobRun], Awaitable[dict[str, Any]]]
    needs: str | None = None


class BadJob(GiveUp):
    """The job cannot be run as it is."""


@dataclass(slots=True)
class Jobs:
    """The known job types and the circuits to what they depend on."""

    types: dict[str, JobType] = field(default_factory=dict)
    circuits: dict[str, Circuit] = field(default_factory=dict)

    def add(self, one: JobType) -> None:
        self.types[one.name] = one

    async def run(self, job: JobRun) -> dict[str, Any]:
        """Check the input, then run; what does not fit fails with its reason instead of waiting for ever."""
        row = job.item.row
        kind = self.types.get(row.job_type)
        if kind is None:
            raise BadJob(f"there is no job type {row.job_type!r}")
        given = checked(kind.input, row.result_data)
        async with AsyncExitStack() as stack:
            if kind.needs:
                await stack.enter_async_context(self.circuits.setdefault(kind.needs, Circuit(kind.needs)))
            if row.timeout_seconds:
                await stack.enter_async_context(asyncio.timeout(row.timeout_seconds))
            return await kind.run(given, job)


def checked(shape: type[BaseModel], data: Any) -> BaseModel:
    """The data as its shape, or a readable reason why it is not."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in one['loc']) or 'input'}: {one['msg']}" for one in error.errors()
        )
        raise BadJob(f"the job's input is not valid: {wrong}") from None
