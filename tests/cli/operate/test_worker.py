"""`worker` and `serve`: options are checked before anything starts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import Result

from scrapersky.declarations import DECLARATIONS

Sky = Callable[..., Result]


def test_a_stage_that_does_not_exist_is_refused_with_those_that_do(sky: Sky) -> None:
    result = sky("worker", "--stage", "read_minds")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("Invalid stage 'read_minds'; expected one of ")
    assert all(stage.name in result.stderr for stage in DECLARATIONS)


@pytest.mark.parametrize(
    "command",
    [
        ("worker", "--processes", "0"),
        ("worker", "--processes", "many"),
        ("serve", "--port", "0"),
        ("serve", "--port", "70000"),
        ("up", "--port", "http"),
    ],
    ids=" ".join,
)
def test_wrong_numbers_are_refused(sky: Sky, command: tuple[str, ...]) -> None:
    assert sky(*command).exit_code == 2
