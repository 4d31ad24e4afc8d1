"""A parser without a sandbox, for tests and for files that the operator names."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class InProcessParser:
    """Runs the function in the calling process; for trusted pages only."""

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)
