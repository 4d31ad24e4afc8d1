"""Edits settings while the program runs; every process follows within seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict, Forbidden, InvalidInput
from scrapersky.fetch.egress.settings_check import check_egress_settings
from scrapersky.queries.installation.setting_overrides import StoredSetting, override_text, setting_name
from scrapersky.secret_key import SecretKey
from scrapersky.settings import InvalidSettings, Settings, is_editable, is_secret, with_overrides

HIDDEN = "***"
# Of a secret the database sees only the encrypted bytes.
MAX_VALUE = 2_000
WEBHOOKS = ("alert_webhook_url", "alert_slack_url")
# Rules between settings hold only if nobody else edits one at the same time.
LOCK = select(func.pg_advisory_xact_lock(func.hashtextextended("setting_overrides", 0)))


@dataclass(frozen=True, slots=True)
class SettingEditor:
    """Edits settings of the installation; only the default tenant may."""

    engine: AsyncEngine
    actor: Actor
    settings: Settings
    secret_key: SecretKey

    async def set(self, name: str, value: str | int | bool) -> None:
        """Store a value, checked as at the start."""
        name, text_value = self._editable(name), _as_text(value)
        async with self.engine.begin() as connection:
            before = await self._overrides(connection)
            self._check({**before, name: text_value}, name)
            await self._store(connection, name, text_value)
            await self._record(connection, "setting.set", name, before.get(name), text_value)

    async def unset(self, name: str) -> None:
        """Return to the default."""
        name = self._editable(name)
        columns = tables.setting_overrides.c
        async with self.engine.begin() as connection:
            before = await self._overrides(connection)
            self._check({other: value for other, value in before.items() if other != name}, name)
            query = delete(tables.setting_overrides).where(
                columns.tenant_id == self.settings.default_tenant_id, columns.name == name
            )
            if (await connection.execute(query)).rowcount:
                await self._record(connection, "setting.unset", name, before.get(name), None)

    async def encrypt_again(self) -> int:
        """Encrypt what the previous secret key encrypted under the current one; gives how many."""
        async with self.engine.begin() as connection:
            rows = [
                row
                for row in await self._rows(connection)
                if row.encrypted_value and not self.secret_key.is_current(row.encrypted_value)
            ]
            for row in rows:
                await self._store(connection, row.name, override_text(self.secret_key, row))
            if rows:
                names = [row.name.upper() for row in rows]
                await record(connection, self.actor, "secret_key.rotate", after={"settings": names})
        return len(rows)

    def _editable(self, name: str) -> str:
        if self.actor.tenant_id != self.settings.default_tenant_id:
            raise Forbidden("Settings are edited by admins of the default tenant")
        name = setting_name(name)
        if not is_editable(name):
            raise Conflict(f"{name.upper()} can only be set in the environment or in .env, before the start")
        if name in self.settings.model_fields_set:
            origin = self.settings.origin(name)
            raise Conflict(
                f"{name.upper()} is set by its origin, {origin}, which wins; remove it there first"
            )
        return name

    def _check(self, overrides: dict[str, str], name: str) -> None:
        try:
            settings = with_overrides(self.settings, overrides)
        except InvalidSettings as error:
            raise InvalidInput(str(error)) from None
        webhooks = {
            webhook.upper(): secret.get_secret_value()
            for webhook in WEBHOOKS
            if webhook == name and (secret := getattr(settings, webhook)) is not None
        }
        if problems := check_egress_settings(settings.egress_allow, settings.connect_to, webhooks):
            raise InvalidInput("\n".join(problems))

    async def _rows(self, connection: AsyncConnection) -> list[StoredSetting]:
        await connection.execute(LOCK)
        table = tables.setting_overrides
        query = select(
            table.c.name, table.c.value, table.c.encrypted_value, table.c.updated_by, table.c.updated_at
        ).where(table.c.tenant_id == self.settings.default_tenant_id)
        return [StoredSetting(**row) for row in (await connection.execute(query)).mappings()]

    async def _overrides(self, connection: AsyncConnection) -> dict[str, str]:
        return {row.name: override_text(self.secret_key, row) for row in await self._rows(connection)}

    async def _store(self, connection: AsyncConnection, name: str, value: str) -> None:
        values: dict[str, Any] = {"value": value, "encrypted_value": None}
        if is_secret(name):
            values = {"value": None, "encrypted_value": self.secret_key.encrypt(value, context=name)}
        values |= {"updated_by": self.actor.user_id, "updated_at": func.now()}
        statement = insert(tables.setting_overrides).values(
            tenant_id=self.settings.default_tenant_id, name=name, **values
        )
        await connection.execute(
            statement.on_conflict_do_update(index_elements=["tenant_id", "name"], set_=values)
        )

    async def _record(
        self, connection: AsyncConnection, action: str, name: str, before: str | None, after: str | None
    ) -> None:
        def entry(value: str | None) -> dict[str, Any] | None:
            return None if value is None else {name.upper(): HIDDEN if is_secret(name) else value}

        table = tables.setting_overrides.name
        await record(connection, self.actor, action, table=table, before=entry(before), after=entry(after))


def _as_text(value: str | int | bool) -> str:
    """The value as it would stand in the environment."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not text.strip():
        raise InvalidInput("The value is empty; remove the setting to return to its default")
    if len(text) > MAX_VALUE:
        raise InvalidInput(f"The value is longer than {MAX_VALUE:,} characters")
    return text
