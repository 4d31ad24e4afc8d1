"""Many rows as parameters of one statement of a fixed text: an array for each column, read as a table.

A statement of its own for every number of rows would have to be parsed and planned each time.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, column, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import TypeEngine


def given(**columns: TypeEngine[Any]) -> Any:
    """A table with these columns; what stands in one is bound to its name with `_list` after it."""
    arrays = [bindparam(f"{name}_list", type_=ARRAY(kind)) for name, kind in columns.items()]
    valued = [column(name, kind) for name, kind in columns.items()]
    return func.unnest(*arrays).table_valued(*valued, name="given").render_derived()
