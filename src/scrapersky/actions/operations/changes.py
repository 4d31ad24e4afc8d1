"""What a decision writes to a row: the curation status, and the queue columns of the stages it concerns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, and_, case, func, literal, null

from scrapersky.actions.operations.exclusions import CRAWL_STAGES, domain_is_excluded
from scrapersky.declarations import VALIDATE_EMAIL, StageDeclaration, statuses
from scrapersky.queries.rows.entities import Entity

CURATE, RESET, RUN, UNDO, DELIVER_CONTACTS = statuses.OPERATION_ACTION
# A row that has been due for longer is claimed first.
HEAD_START = timedelta(days=1)
# The columns of a queue that change when a row is queued or reset, and that of the worker.
QUEUE_ROLES = ("due_at", "retries", "rescues", "crashes", "worker", "correlation_id")
LEASE_ROLE = "lease_seq"
# Other changes of the row write these too, so they do not show whether a decision still stands.
SIGNATURE = ("updated_at", "updated_by")

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowChange:
    """One decision about rows of an entity; `grace` is how long the rows it queues wait for an undo."""

    entity: Entity
    action: str
    value: str | None
    user_id: UUID | None
    grace: timedelta = timedelta(0)

    @property
    def stages(self) -> tuple[StageDeclaration, ...]:
        """The stages whose queue columns change."""
        if self.action == RESET:
            return self.entity.stages
        if self.action == RUN:
            return (self.entity.first_stage,)
        return (self.entity.selected_stage,) if self.value == statuses.SELECTED else ()

    @property
    def counted_stage(self) -> StageDeclaration | None:
        """The stage whose queued rows are counted."""
        return self.stages[0] if self.stages else None

    @property
    def sets_curation(self) -> bool:
        return self.action not in (RUN, DELIVER_CONTACTS)

    @property
    def journaled_columns(self) -> tuple[str, ...]:
        """Every column that the change or a trigger writes, and the lease sequence of each stage."""
        if self.action == DELIVER_CONTACTS:
            return ()  # The contacts themselves stay as they are.
        names = [self.entity.curation_column] if self.sets_curation else []
        for stage in self.stages:
            names += [stage.status, stage.error, *map(stage.column, QUEUE_ROLES), stage.column(LEASE_ROLE)]
        return (*names, *(name for name in SIGNATURE if name in self.entity.table.c))

    def permissions(self) -> list[ColumnElement[bool]]:
        """For each stage, whether its columns may change, to be selected with the row."""
        return [_may_change(self.entity, stage).label(_permission(stage)) for stage in self.stages]

    def values(self, row: FromClause) -> Values:
        """The new values; `row` has the permissions."""
        values: Values = {"updated_at": func.now()}
        if "updated_by" in self.entity.table.c:
            values["updated_by"] = self.user_id
        if self.sets_curation:
            values[self.entity.curation_column] = self.value
        for stage in self.stages:
            values |= self._unless_forbidden(row, stage, self._queue_values(stage))
        return values

    def _queue_values(self, stage: StageDeclaration) -> Values:
        queued = {stage.status: stage.statuses.queued, stage.error: null()}
        due_at = stage.column("due_at")
        if self.action == RESET:
            return _new_row_values(self.entity, stage)
        if self.action == RUN:
            return {**queued, due_at: func.now() - HEAD_START}
        if self.grace:
            return {**queued, due_at: self._due_after_grace(stage)}
        return queued

    def _due_after_grace(self, stage: StageDeclaration) -> ColumnElement[Any]:
        """A row that could be claimed already keeps its place in the queue."""
        columns = self.entity.table.c
        is_claimable = and_(
            columns[stage.status].is_not_distinct_from(stage.statuses.queued),
            columns[self.entity.curation_column].not_in(statuses.EXCLUDED),
        )
        return case((is_claimable, columns[stage.column("due_at")]), else_=func.now() + self.grace)

    def _unless_forbidden(
        self, row: FromClause, stage: StageDeclaration, values: Mapping[str, Any]
    ) -> Values:
        columns, allowed = self.entity.table.c, row.c[_permission(stage)]
        return {name: case((allowed, value), else_=columns[name]) for name, value in values.items()}


def _permission(stage: StageDeclaration) -> str:
    return f"may_change_{stage.name}"


def _may_change(entity: Entity, stage: StageDeclaration) -> ColumnElement[bool]:
    """Rows in work, below an excluded domain, or with nothing to process keep the columns of the queue."""
    columns = entity.table.c
    allowed: ColumnElement[bool] = columns[stage.status].is_distinct_from(stage.statuses.processing)
    if stage is VALIDATE_EMAIL:
        allowed = and_(allowed, columns.email.is_not(None))
    if stage in CRAWL_STAGES:
        allowed = and_(allowed, ~domain_is_excluded(columns.domain_id))
    return allowed


def _new_row_values(entity: Entity, stage: StageDeclaration) -> Values:
    default = getattr(entity.table.c[stage.status].server_default, "arg", None)
    return {
        stage.status: null() if default is None else default,
        stage.error: null(),
        stage.column("due_at"): func.now(),
        **{stage.column(role): 0 for role in ("retries", "rescues", "crashes")},
    }


def skip_reasons(change: RowChange, changed: FromClause) -> dict[str, ColumnElement[bool]]:
    """Why rows that were decided about are not queued, as conditions on the changed rows."""
    stage = change.counted_stage
    if stage is None or change.action == RESET:
        return {}
    is_in_work = changed.c.status.is_not_distinct_from(stage.statuses.processing)
    is_elsewhere = and_(~is_in_work, changed.c.status.is_distinct_from(stage.statuses.queued))
    other = "no_email" if stage is VALIDATE_EMAIL else "domain_excluded"
    return {"in_work": is_in_work, other: is_elsewhere}


def hashed(entity: Entity, names: tuple[str, ...] | list[str], source: FromClause | None = None) -> Any:
    """A hash of the journaled values of a row, by which an undo sees whether the decision still stands."""
    columns = entity.table.c if source is None else source.c
    compared = [columns[name] for name in names if name not in SIGNATURE]
    return func.hash_record_extended(func.row(*compared), literal(0))
