"""The job type that brings over an original ScraperSky database.

A run takes one slice of one table, and the engine writes its rows, its notes and the new position in one
transaction: a killed worker costs one slice at most, and a second import finds everything in place.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scrapersky.declarations import RUN_JOB
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Result
from scrapersky.stage_context.jobs import JobRun, JobType
from scrapersky.stage_context.legacy.source import LegacySource
from scrapersky.stages.run_job.import_legacy.slices import STEPS, LegacySlice, TableCounts

ROWS_PER_SLICE = 1_000


class LegacyImportInput(BaseModel):
    """The address of the original database, encrypted; it is deleted when the job has succeeded."""

    source: str = ""


class LegacyImportState(BaseModel):
    """The progress of the job; kept in `job_metadata` between slices."""

    tables: dict[str, TableCounts]
    before: dict[str, int]
    # The table whose rows come next, and the last one that has come; empty when all have.
    table: str
    after: str | None = None

    @property
    def total(self) -> int:
        return sum(counts.source for counts in self.tables.values())

    @property
    def done(self) -> int:
        return sum(counts.seen for counts in self.tables.values())


async def run(params: LegacyImportInput, job: JobRun) -> Result:
    legacy, tenant_id = job.context.legacy, job.item.tenant_id
    if legacy is None or not params.source:
        raise Discard("the address of the original database is gone; import it again")
    source = LegacySource(legacy.decrypt(params.source))
    if saved := job.item.row.job_metadata:
        state = LegacyImportState.model_validate(saved)
    else:
        counts = {name: TableCounts(source=number) for name, number in (await source.counts()).items()}
        before = await legacy.target.counts(tenant_id)
        state = LegacyImportState(tables=counts, before=before, table=next(iter(counts)))
    if not state.table:
        return _finished(state, await legacy.target.counts(tenant_id))
    message = f"{state.table}: {state.done:,} of {state.total:,} rows"
    await job.report_progress(99 * state.done / max(state.total, 1), message)
    records = await source.rows(state.table, state.after, ROWS_PER_SLICE)
    part = LegacySlice(job, legacy.target, state.tables[state.table], state.table)
    await STEPS[state.table](part, records)
    if len(records) == ROWS_PER_SLICE:
        state.after = str(records[-1]["id"])
    else:
        # Stored JSON forgets the order of its names.
        names = [*(name for name in STEPS if name in state.tables), ""]
        state.table, state.after = names[names.index(state.table) + 1], None
    return _continued(state, part)


def _continued(state: LegacyImportState, part: LegacySlice) -> Result:
    """Back to the queue. The slice was a success: earlier failures and crashes no longer count."""
    counters = {RUN_JOB.column(role): 0 for role in ("retries", "rescues", "crashes")}
    fields = {"job_metadata": state.model_dump(mode="json"), **counters, RUN_JOB.column("due_at"): part.now}
    return Result(status=RUN_JOB.statuses.queued, fields=fields, rows=part.rows)


def _finished(state: LegacyImportState, after: dict[str, int]) -> Result:
    counts = state.tables.values()
    imported, refused = sum(table.imported for table in counts), sum(table.refused for table in counts)
    message = f"brought over {imported:,} of {state.total:,} rows, refused {refused:,}"
    report: dict[str, Any] = {
        "tables": {name: state.tables[name].model_dump() for name in STEPS if name in state.tables},
        "before": state.before,
        "after": after,
    }
    fields = {"job_metadata": {}, "progress": 1.0, "progress_percent": 100, "progress_message": message}
    return Result(fields={**fields, "result_data": report})


IMPORT_LEGACY = JobType("import_legacy", LegacyImportInput, run)
