"""What interfaces know of a source before a worker asks it: what it needs, its licence, and its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a source can be searched now: `problem` says why not, `detail` where its data is."""

    problem: str = ""
    detail: str = ""
    data_date: date | None = None

    @property
    def is_ready(self) -> bool:
        return not self.problem


def always_ready() -> SourceState:
    return SourceState()


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source that searches can name.

    One that needs an area gets `params["box"]`; `check_kind` raises InvalidInput for a kind of business that
    the source has no category for; `setup` says in one sentence how to configure it.
    """

    name: str
    title: str
    licence: str = ""
    attribution: str = ""
    needs_area: bool = False
    needs_kind: bool = False
    setup: str = ""
    check_kind: Callable[[str], object] | None = None
    state: Callable[[], SourceState] = field(default=always_ready)
