"""Visits: a worker that holds a host continues there with the rows that its stage has queued for others.

The queue stays the truth. Every row is stored and claimed before it runs, and a visit may end after any
batch; what it leaves is queued, and whoever claims the host next continues with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from scrapersky.engine.claims import Host, HostBatch
from scrapersky.engine.context import RunnerContext

if TYPE_CHECKING:
    from scrapersky.engine.runner import StageRunner


@dataclass(slots=True, eq=False)
class Visit:
    """A host that is ours from the stage that claimed it on, until no stage that follows has rows for it.

    It counts as busy in the runner that claimed it, wherever it is: so sites are finished one after another
    and not all begun at once.
    """

    host: Host
    origin: StageRunner
    # Where it is.
    runner: StageRunner
    batch: HostBatch
    began: float = field(default_factory=perf_counter)
    # The stages to look at next, and the rows that one of them shares with the stage before it.
    pending: set[str] = field(default_factory=set)
    ids: dict[str, list[Any]] = field(default_factory=dict)
    is_over: bool = False

    def enter(self, runner: StageRunner, batch: HostBatch) -> None:
        """Continue in a stage; when the batch has run, the stages that it queues rows for are due."""
        self.runner, self.batch = runner, batch
        for name in runner.stage.queues:
            following = runner.context.runners.get(name)
            if following is None:
                continue
            if following.stage.queue.host:
                self.pending.add(name)
            elif following.stage.table is runner.stage.table:
                self.ids[name] = [item.id for item in batch.items]
                # It calls nobody, so it may have run outside of the visit before we look.
                polite = following.stage.queues
                self.pending |= {name, *(each for each in polite if each in runner.context.runners)}

    def leave(self) -> None:
        """The host is leased to another worker now."""
        self.is_over = True
        self.runner.leave_host(self.batch, self.host.name)

    def end(self) -> None:
        """The host is released."""
        self.origin.end_visit(self)


async def continue_visits(context: RunnerContext, batches: list[HostBatch]) -> None:
    """Claim what follows the batches, which have run and are written; those that continue leave the list.

    The last stage goes first, so that a site's contacts come before its other pages are looked for.
    """
    try:
        async with context.following:
            for runner in reversed(context.runners.values()):
                if waiting := list(_waiting_for(runner, context, batches)):
                    await _continue_in(runner, waiting, batches)
    except Exception as error:  # noqa: BLE001 - the visits end here; their rows are in the queue.
        await context.report_error("visits", error)


def _waiting_for(
    runner: StageRunner, context: RunnerContext, batches: list[HostBatch]
) -> Iterator[tuple[HostBatch, Visit]]:
    """The batches whose visit may continue in a stage."""
    if not (context.options.visits and runner.may_be_visited()):
        return
    oldest = perf_counter() - context.options.visit_time.total_seconds()
    for batch in batches:
        visit = batch.visit
        if visit is None or visit.is_over or visit.host.backoff or visit.began < oldest:
            continue
        if runner.stage.name in visit.pending:
            yield batch, visit


async def _continue_in(
    runner: StageRunner, waiting: list[tuple[HostBatch, Visit]], batches: list[HostBatch]
) -> None:
    name, per_host = runner.stage.name, runner.options.per_host
    if runner.stage.queue.host:
        items = await runner.claims.follow_hosts([visit.host for _, visit in waiting], per_host)
    else:
        # The rows that it shares with the stage before it; no others are the visit's.
        items = await runner.claims.follow_rows([visit.ids.pop(name, []) for _, visit in waiting])
    for (batch, visit), some in zip(waiting, items, strict=True):
        if len(some) < per_host:
            visit.pending.discard(name)
        if some:
            batches.remove(batch)
            runner.accept(visit, some)
