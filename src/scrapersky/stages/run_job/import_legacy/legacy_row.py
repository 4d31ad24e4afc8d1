"""One row of the original database as JSON, read column by column; what nobody reads is left over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
# Columns that have no meaning here: one tenant is imported, by one person.
IGNORED = frozenset({"id", "tenant_id", "tenant_id_uuid", "created_by", "updated_by", "user_id", "user_name"})


class LegacyRow:
    def __init__(self, values: Mapping[str, Any], now: datetime) -> None:
        self._values, self.now = values, now
        self._read = set(IGNORED)
        self.legacy_id = str(values["id"])
        # What could not be taken as it was.
        self.changes: list[str] = []

    def value(self, *names: str) -> Any:
        """The first of these columns that is there and not NULL."""
        self._read.update(names)
        return next((self._values[name] for name in names if self._values.get(name) is not None), None)

    def string(self, *names: str, limit: int = 2_000) -> str | None:
        value = self.value(*names)
        result = str(value).strip() if isinstance(value, str | int | float) else ""
        if len(result) > limit:
            self.changes.append(f"{names[0]} cut to {limit} characters")
        return result[:limit] or None

    def number(self, name: str, low: float, high: float) -> float | None:
        value = self.value(name)
        try:
            result = float(value) if value is not None else None
        except (TypeError, ValueError):
            result = math.nan
        if result is None or low <= result <= high:
            return result
        self.changes.append(f"{name} {str(value)[:50]!r} is out of range and left empty")
        return None

    def whole(self, name: str, low: int = 0, high: int = 2**31 - 1) -> int | None:
        result = self.number(name, low, high)
        return None if result is None else int(result)

    def boolean(self, name: str) -> bool | None:
        value = self.value(name)
        return value if isinstance(value, bool) else None

    def moment(self, *names: str) -> datetime | None:
        """A time; one without a zone is UTC."""
        value = self.value(*names)
        if value is None:
            return None
        try:
            result = datetime.fromisoformat(str(value))
        except ValueError:
            result = LAST
        result = result if result.tzinfo else result.replace(tzinfo=UTC)
        if FIRST <= result < LAST:
            return result
        self.changes.append(f"{names[0]} {str(value)[:50]!r} is not a usable time and left empty")
        return None

    def json(self, *names: str) -> dict[str, Any]:
        value = self.value(*names)
        if value is None or isinstance(value, dict):
            return value or {}
        return {"value": value}

    def texts(self, name: str) -> list[str]:
        value = self.value(name)
        return [str(text) for text in value if text is not None] if isinstance(value, list) else []

    def uuid(self, name: str) -> UUID | None:
        try:
            return UUID(str(self.value(name)))
        except ValueError:
            return None

    def left_over(self) -> dict[str, Any]:
        """What has no column here, kept so that nothing is lost."""
        rest = {
            name: value
            for name, value in self._values.items()
            if name not in self._read and not name.startswith("_") and value not in (None, "", [], {})
        }
        return {"legacy": rest} if rest else {}
