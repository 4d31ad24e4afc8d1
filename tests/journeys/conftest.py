"""Makes what the tests of the running product share importable, and runs some of them in both modes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import demo_lab


@pytest.fixture(params=["stage by stage", "visits"])
def both_modes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with each stage taking its turn, and once with visits."""
    monkeypatch.setitem(demo_lab.LABORATORY, "VISITS", str(request.param == "visits"))
