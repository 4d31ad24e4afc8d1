"""The hand-over between stages: whether a row that one stage writes is queued for the next one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrapersky.declarations import GATES, Gate, StageDeclaration

# The settings that can hold a hand-over back.
GATE_SETTINGS = frozenset(gate.setting for gate in GATES)


@dataclass(frozen=True, slots=True)
class HandOver:
    """Follows the declarations; `open_gates` are the settings that are on.

    With `reads_all_pages` every page is queued, whatever its priority (R258).
    """

    open_gates: frozenset[str] = GATE_SETTINGS
    reads_all_pages: bool = False

    def status(self, stage: StageDeclaration, next_stage: StageDeclaration) -> str | None:
        """The status for a row that `stage` writes: queued, or None while the gate is closed."""
        gate = _gate(stage, next_stage)
        return next_stage.statuses.queued if gate is None or gate.setting in self.open_gates else None

    def fields(
        self, stage: StageDeclaration, next_stage: StageDeclaration, now: datetime
    ) -> dict[str, str | datetime | None]:
        """The same as columns of the row."""
        status = self.status(stage, next_stage)
        fields: dict[str, Any] = {next_stage.status: status}
        if status is None and next_stage.queued_by_default:
            # The database queues a row that has neither a status nor an end (D1, R002).
            fields[next_stage.column("finished_at")] = now
        return fields


def _gate(stage: StageDeclaration, next_stage: StageDeclaration) -> Gate | None:
    for declared in stage.queues:
        if declared.stage == next_stage.name:
            return declared.gate
    raise ValueError(f"{stage.name} does not declare that it queues {next_stage.name}")
