"""The settings as people see them: value, origin, and who edited it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query
from scrapersky.secret_key import SecretKey, UndecryptableSecret, load_secret_key
from scrapersky.settings import Settings, is_editable, is_secret, with_valid_overrides
from scrapersky.settings.reference import allowed_values, group_of

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class StoredSetting:
    """An edited setting as it is stored; a secret is encrypted."""

    name: str
    value: str | None
    encrypted_value: bytes | None
    updated_by: UUID | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. A secret has no value here, only whether it is set."""

    name: str
    value: Value | None
    default: Value | None
    is_set: bool
    is_secret: bool
    origin: str
    editable: bool
    group: str
    allowed: str
    description: str
    updated_by: UUID | None = None
    updated_at: datetime | None = None


class SettingQuery(Query):
    """Settings of an installation; the edited ones are rows of its default tenant."""

    def __init__(self, engine: AsyncEngine, settings: Settings, secret_key: SecretKey | None = None) -> None:
        super().__init__(engine)
        self.settings, self._secret_key = settings, secret_key

    @cached_property
    def secret_key(self) -> SecretKey:
        """Loaded when a secret was edited; most installations have none."""
        return self._secret_key or load_secret_key(self.settings)

    async def stored(self) -> list[StoredSetting]:
        columns = tables.setting_overrides.c
        query = (
            select(
                columns.name, columns.value, columns.encrypted_value, columns.updated_by, columns.updated_at
            )
            .where(columns.tenant_id == self.settings.default_tenant_id)
            .order_by(columns.name)
        )
        return [StoredSetting(**row) for row in await self.dicts(query)]

    async def current(self) -> Settings:
        """The settings with what people edited."""
        return self.apply(await self.stored())[0]

    def apply(self, stored: list[StoredSetting]) -> tuple[Settings, list[str]]:
        """The settings with these rows laid over them, and why some of the rows have no effect."""
        values: dict[str, str] = {}
        problems: list[str] = []
        for row in stored:
            try:
                values[row.name] = row.value or override_text(self.secret_key, row)
            except UndecryptableSecret as error:
                problems.append(f"{row.name.upper()}: {error}")
        settings, invalid = with_valid_overrides(self.settings, values)
        return settings, [*problems, *invalid]

    async def list(self) -> list[SettingRow]:
        stored = await self.stored()
        by_name = {row.name: row for row in stored}
        settings, _ = self.apply(stored)
        return [self._row(settings, name, by_name.get(name)) for name in Settings.model_fields]

    async def show(self, name: str) -> SettingRow:
        name = setting_name(name).upper()
        return next(row for row in await self.list() if row.name == name)

    def _row(self, settings: Settings, name: str, stored: StoredSetting | None) -> SettingRow:
        value, field = getattr(settings, name), Settings.model_fields[name]
        return SettingRow(
            name=name.upper(),
            value=_plain(value),
            default=_plain(field.default),
            is_set=value not in (None, ""),
            is_secret=is_secret(name),
            origin=settings.origin(name),
            editable=is_editable(name) and name not in self.settings.model_fields_set,
            group=group_of(name),
            allowed=allowed_values(name),
            description=field.description or "",
            updated_by=stored.updated_by if stored else None,
            updated_at=stored.updated_at if stored else None,
        )


def setting_name(name: str) -> str:
    """The name of a setting as its field, from either spelling."""
    if name.lower() not in Settings.model_fields:
        raise NotFound(f"{name[:100]} is not a setting")
    return name.lower()


def override_text(secret_key: SecretKey, row: StoredSetting) -> str:
    if row.encrypted_value is None:
        return row.value or ""
    return secret_key.decrypt(row.encrypted_value, context=row.name)


def _plain(value: object) -> Value | None:
    """The value as JSON has it; a secret is never shown."""
    if value is None or isinstance(value, SecretStr):
        return None
    return value if isinstance(value, bool | int) else str(value)
