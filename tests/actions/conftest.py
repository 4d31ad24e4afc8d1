"""Makes what the tests of the running product share importable, and valid rows of any table."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

_spec = importlib.util.spec_from_file_location("rows_of_any_table", TESTS / "tables" / "conftest.py")
assert _spec is not None
assert _spec.loader is not None
_rows = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_rows)
make = _rows.make
