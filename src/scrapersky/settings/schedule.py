"""Settings of the schedule, built from the stage declarations: seven for each stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import create_model

from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.settings.field import Group, setting

Mode = Literal["continuous", "interval"]


def stage_settings(stage: StageDeclaration) -> dict[str, Any]:
    """The settings of one stage by name: type and field.

    A stage in `continuous` mode is drained as soon as rows are queued; the interval is only the longest time
    between two looks at its queue. In `interval` mode the fleet begins one run per interval, a run takes at
    most the batch size, and at most `MAX_INSTANCES` runs are open at once.
    """
    fields = {
        "mode": (Mode, "continuous", "drain the queue continuously, or run once per interval", {}),
        "interval_minutes": (int, 1, "minutes between runs in interval mode", {"ge": 1, "le": 1_440}),
        "batch_size": (
            int,
            stage.batch,
            "maximum rows per claim, and per run in interval mode",
            {"ge": 1, "le": 10_000},
        ),
        "max_instances": (
            int,
            stage.max_instances,
            "maximum concurrent runs in the fleet in interval mode",
            {"ge": 1, "le": 32},
        ),
        "misfire_grace_seconds": (
            int,
            stage.misfire_grace_seconds,
            "a run that is later than this is skipped",
            {"ge": 1, "le": 86_400},
        ),
        "concurrency": (int, stage.concurrency, "rows processed concurrently", {"ge": 1, "le": 1_000}),
        "timeout_seconds": (int, stage.timeout_seconds, "time limit for one row", {"ge": 1, "le": 7_200}),
    }
    return {
        f"{stage.compat.settings_prefix}_{name}": (
            kind,
            setting(default, f"{stage.title}: {text}.", editable=True, **limits),
        )
        for name, (kind, default, text, limits) in fields.items()
    }


if TYPE_CHECKING:

    class ScheduleSettings(Group):
        """Built below; its fields are read by name."""

else:
    ScheduleSettings = create_model(
        "ScheduleSettings",
        __base__=Group,
        __doc__="Schedule",
        **{name: field for stage in DECLARATIONS for name, field in stage_settings(stage).items()},
    )
