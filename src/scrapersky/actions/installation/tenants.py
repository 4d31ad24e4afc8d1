"""Adds, changes, disables and enables tenants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.accounts.users import ADMIN, create_user
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.hosts import wake_hosts
from scrapersky.declarations import POLITE_DECLARATIONS
from scrapersky.errors import Conflict, Forbidden, InvalidInput, NotFound
from scrapersky.queries.installation.tenants import MAX_QUOTA, QUOTAS, Quotas, TenantQuery

MAX_NAME, MAX_DESCRIPTION = 200, 2_000


@dataclass(frozen=True, slots=True)
class TenantEditor:
    """Manages tenants, with the owner's engine; only admins of the default tenant may."""

    engine: AsyncEngine
    actor: Actor
    default_tenant_id: UUID

    async def add(self, name: str, *, description: str = "", quotas: Quotas | None = None) -> UUID:
        """Add a tenant without users."""
        self._check_actor()
        values = {
            "name": _name(name),
            "description": _description(description),
            "quotas": _stored(asdict(quotas or Quotas())),
        }
        statement = insert(tables.tenants).values(values).returning(tables.tenants.c.id)
        async with self.engine.begin() as connection:
            try:
                tenant_id = UUID(str(await connection.scalar(statement)))
            except IntegrityError:
                raise Conflict(f"There is a tenant {values['name']!r} already") from None
            await record(
                connection, self.actor, "tenant.add", table="tenants", row_id=tenant_id, after=values
            )
        return tenant_id

    async def edit(self, tenant_id: UUID, changes: Mapping[str, Any]) -> None:
        """Change the name, the description, `is_active` or quotas; a quota of None is removed."""
        self._check_actor()
        async with self.engine.begin() as connection:
            before = await self._lock(connection, tenant_id)
            values = _values(before, changes)
            if values.get("is_active") is False and tenant_id == self.default_tenant_id:
                raise Conflict("The default tenant cannot be disabled")
            statement = update(tables.tenants).where(tables.tenants.c.id == tenant_id)
            try:
                await connection.execute(statement.values(**values, updated_at=func.now()))
            except IntegrityError:
                raise Conflict(f"There is a tenant {values['name']!r} already") from None
            for queue in POLITE_DECLARATIONS:
                # What rested may run again at once; it is checked before each claim.
                await wake_hosts(connection, queue, tenant_id)
            after = {name: values[name] for name in values if values[name] != before[name]}
            await record(
                connection,
                self.actor,
                "tenant.edit",
                table="tenants",
                row_id=tenant_id,
                before={name: before[name] for name in after},
                after=after,
            )

    async def add_admin(self, tenant_id: UUID, *, email: str, password: str, name: str = "") -> UUID:
        """Add an administrator to a tenant, who adds its other users."""
        self._check_actor()
        await TenantQuery(self.engine).show(str(tenant_id))
        there = replace(self.actor, tenant_id=tenant_id)
        return await create_user(self.engine, there, email=email, password=password, role=ADMIN, name=name)

    def _check_actor(self) -> None:
        if self.actor.tenant_id != self.default_tenant_id:
            raise Forbidden("Tenants are managed by admins of the default tenant")

    async def _lock(self, connection: AsyncConnection, tenant_id: UUID) -> dict[str, Any]:
        columns = tables.tenants.c
        query = select(columns.name, columns.description, columns.is_active, columns.quotas)
        row = (await connection.execute(query.where(columns.id == tenant_id).with_for_update())).one_or_none()
        if row is None:
            raise NotFound(f"There is no tenant {tenant_id}")
        return dict(row._mapping)


def _values(before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    check: dict[str, Callable[[Any], Any]] = {"name": _name, "description": _description, "is_active": bool}
    values = {name: check[name](value) for name, value in changes.items() if name in check}
    if "quotas" in changes:
        values["quotas"] = _stored({**before["quotas"], **changes["quotas"]})
    return values


def _name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise InvalidInput(f"A name has 1 to {MAX_NAME} printable characters")
    return name


def _description(text: str | None) -> str | None:
    if text and len(text) > MAX_DESCRIPTION:
        raise InvalidInput(f"A description has at most {MAX_DESCRIPTION} characters")
    return text or None


def _stored(quotas: Mapping[str, int | None]) -> dict[str, int]:
    for name, value in quotas.items():
        if name not in QUOTAS:
            raise InvalidInput(f"Invalid quota {name!r}; expected one of {', '.join(QUOTAS)}")
        if value is not None and not 0 <= value <= MAX_QUOTA:
            raise InvalidInput(f"The quota {name} is {value} but must be from 0 to {MAX_QUOTA}")
    return {name: value for name, value in quotas.items() if value is not None}
