"""Makes the laboratory of Google searches importable."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(TESTS), str(TESTS / "fetch")]
