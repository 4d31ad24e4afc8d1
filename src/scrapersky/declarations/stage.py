"""What one stage is, as plain data: its queue, its hand-over to the next stages, and its figures."""

from __future__ import annotations

from dataclasses import dataclass

from scrapersky.declarations.queue import Queue


@dataclass(frozen=True, slots=True)
class Gate:
    """A setting that must be on for a hand-over; otherwise rows wait for a person's decision."""

    setting: str
    default: bool
    help: str


@dataclass(frozen=True, slots=True)
class Next:
    """A stage whose rows this stage queues, if the gate is open; without a gate always."""

    stage: str
    gate: Gate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compat:
    """Names of the stage that callers outside depend on; an empty one follows from the stage's own name."""

    job_id: str
    settings_prefix: str
    health_name: str = ""
    depth_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageDeclaration(Queue):
    """One stage. Its columns, indexes, settings, job id, health name, progress and checks follow from it.

    `reads` are the columns handed to its function, `writes` the tables that it adds rows to (with
    `output_optional` a completed row may add none), `queues` the stages that it hands rows over to. The
    figures are the defaults of its settings. `workflow` is its number in the original documents.
    """

    title: str
    workflow: str = ""
    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    output_optional: bool = False
    queues: tuple[Next, ...] = ()
    batch: int
    concurrency: int
    timeout_seconds: int
    max_instances: int = 1
    misfire_grace_seconds: int = 60
    compat: Compat

    @property
    def feeds(self) -> str | None:
        """The stage that back-pressure looks at: the first other one that it queues."""
        return next((following.stage for following in self.queues if following.stage != self.name), None)

    @property
    def health_name(self) -> str:
        return self.compat.health_name or self.name

    @property
    def depth_name(self) -> str:
        return self.compat.depth_name or f"{self.name}_queued"
