"""Creates, edits and deletes destinations; secrets are encrypted, and only generated ones are shown, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.delivery.destination_secrets import decrypt_secrets, encrypt_secrets
from scrapersky.declarations import statuses
from scrapersky.destinations.field_map import DEFAULT_MAPPINGS, check_mapping
from scrapersky.destinations.file_destination import FILE_NAME
from scrapersky.destinations.n8n import is_test_url
from scrapersky.destinations.webhook_signature import decode_secret, make_secret
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.secret_key import SecretKey
from scrapersky.tables.ids import new_id

DESTINATIONS = tables.destinations
MAX_URL, MAX_SECRET = 2_048, 1_000
SIGNED_KINDS = ("webhook", "n8n")
# The options of each kind, beside the mapping; a kind that is not listed here has a URL.
OPTIONS = {
    "csv": ("file", "formula_safe"),
    "jsonl": ("file",),
    "webhook": ("url",),
    "n8n": ("url",),
    "hubspot": (),
    "brevo": ("list_id",),
}
EDITABLE = ("name", "options", "is_active", "is_automatic")


@dataclass(frozen=True, slots=True)
class DestinationEditor:
    """Changes the destinations of one tenant."""

    engine: AsyncEngine
    actor: Actor
    key: SecretKey

    async def add(
        self,
        *,
        name: str,
        kind: str,
        options: Mapping[str, Any] | None = None,
        secret: str = "",
        is_automatic: bool = False,
    ) -> tuple[UUID, str]:
        """Add a destination; gives its id, and the secret that was generated for it, if one was."""
        if kind not in statuses.DESTINATION_KIND:
            known = ", ".join(statuses.DESTINATION_KIND)
            raise InvalidInput(f"Invalid kind {kind[:50]!r}; expected one of {known}")
        generated = make_secret() if kind in SIGNED_KINDS and not secret else ""
        secrets = [check_secret(kind, secret or generated)] if secret or generated else []
        destination_id = new_id()
        values = {
            "name": check_name(name),
            "kind": kind,
            "options": check_options(kind, options or {}),
            "is_automatic": is_automatic,
        }
        row = {
            **values,
            **self._sealed(destination_id, secrets),
            "id": destination_id,
            "tenant_id": self.actor.tenant_id,
            "created_by": self.actor.user_id,
        }
        try:
            async with self.engine.begin() as connection:
                await connection.execute(insert(DESTINATIONS).values(row))
                await self._record(connection, "create", destination_id, after=values)
        except IntegrityError:
            raise Conflict(f"There is a destination {name!r} already") from None
        return destination_id, generated

    async def edit(self, destination_id: UUID, changes: Mapping[str, Any], *, secret: str = "") -> None:
        """Change fields or replace the secret. What is switched on again is not known to be broken."""
        try:
            async with self.engine.begin() as connection:
                row = await self._lock(connection, destination_id)
                values = self._checked(row.kind, changes)
                if values.get("is_active"):
                    values["disabled_reason"] = None
                before = {name: row._mapping[name] for name in values}
                if secret:
                    values |= self._sealed(destination_id, [check_secret(row.kind, secret)])
                    before["encrypted_secret"] = row.encrypted_secret
                await self._update(connection, destination_id, values)
                after = {name: values[name] for name in before}
                await self._record(connection, "update", destination_id, before=before, after=after)
        except IntegrityError:
            raise Conflict("There is a destination with this name already") from None

    async def rotate_secret(self, destination_id: UUID) -> str:
        """Generate a new secret for signatures; messages are signed with both until the next rotation."""
        async with self.engine.begin() as connection:
            row = await self._lock(connection, destination_id)
            if row.kind not in SIGNED_KINDS:
                raise InvalidInput(
                    f"A destination of the kind {row.kind} signs nothing; edit its secret instead"
                )
            new = make_secret()
            previous = decrypt_secrets(self.key, destination_id, row.encrypted_secret)
            await self._update(connection, destination_id, self._sealed(destination_id, [new, *previous]))
            await self._record(connection, "rotate_secret", destination_id)
        return new

    async def forget_previous_secret(self, destination_id: UUID) -> None:
        """Sign with the newest secret alone, once the receiver knows it."""
        async with self.engine.begin() as connection:
            row = await self._lock(connection, destination_id)
            secrets = decrypt_secrets(self.key, destination_id, row.encrypted_secret)
            await self._update(connection, destination_id, self._sealed(destination_id, secrets[:1]))
            await self._record(connection, "forget_secret", destination_id)

    async def delete(self, destination_id: UUID) -> None:
        """Delete the destination with its deliveries; what arrived there stays there."""
        async with self.engine.begin() as connection:
            row = await self._lock(connection, destination_id)
            await connection.execute(delete(DESTINATIONS).where(DESTINATIONS.c.id == destination_id))
            before = {name: row._mapping[name] for name in ("name", "kind", "options")}
            await self._record(connection, "delete", destination_id, before=before)

    # ---- parts

    def _checked(self, kind: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: changes[name] for name in EDITABLE if name in changes}
        if "name" in values:
            values["name"] = check_name(values["name"])
        if "options" in values:
            values["options"] = check_options(kind, values["options"])
        return values

    def _sealed(self, destination_id: UUID, secrets: Sequence[str]) -> dict[str, Any]:
        encrypted = encrypt_secrets(self.key, destination_id, secrets)
        return {
            "encrypted_secret": encrypted,
            "encryption_key_id": self.key.key_id if encrypted else None,
        }

    async def _update(
        self, connection: AsyncConnection, destination_id: UUID, values: Mapping[str, Any]
    ) -> None:
        chosen = DESTINATIONS.c.id == destination_id
        await connection.execute(
            update(DESTINATIONS).where(chosen).values({**values, "updated_at": func.now()})
        )

    async def _lock(self, connection: AsyncConnection, destination_id: UUID) -> Any:
        columns = DESTINATIONS.c
        mine = columns.id == destination_id, columns.tenant_id == self.actor.tenant_id
        row = (await connection.execute(select(DESTINATIONS).where(*mine).with_for_update())).first()
        if row is None:
            raise NotFound(f"There is no destination {destination_id}")
        return row

    async def _record(
        self, connection: AsyncConnection, verb: str, destination_id: UUID, **values: Any
    ) -> None:
        table = DESTINATIONS.name
        await record(
            connection, self.actor, f"destination.{verb}", table=table, row_id=destination_id, **values
        )


async def switch_off(engine: AsyncEngine, actor: Actor, destination_id: UUID, reason: str) -> None:
    """Disable a destination that answered that it is gone; its deliveries wait as dead letters."""
    values = {"is_active": False, "disabled_reason": reason[:500]}
    columns = DESTINATIONS.c
    chosen = columns.id == destination_id, columns.tenant_id == actor.tenant_id, columns.is_active
    async with engine.begin() as connection:
        changed = await connection.execute(
            update(DESTINATIONS).where(*chosen).values({**values, "updated_at": func.now()})
        )
        if changed.rowcount:
            await record(
                connection,
                actor,
                "destination.switch_off",
                table=DESTINATIONS.name,
                row_id=destination_id,
                after=values,
            )


def check_name(name: str) -> str:
    if not name.strip():
        raise InvalidInput("The name is empty")
    if len(name.strip()) > 200:
        raise InvalidInput("The name is longer than 200 characters")
    return name.strip()


def check_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they are stored; unknown names and impossible values are refused."""
    allowed = {*OPTIONS.get(kind, ("url",)), *(("mapping",) if kind in DEFAULT_MAPPINGS else ())}
    if unknown := sorted(set(options) - allowed):
        known = ", ".join(sorted(allowed)) or "none"
        raise InvalidInput(f"Invalid option {unknown[0][:50]!r} of the kind {kind}; expected one of {known}")
    values = {name: value for name, value in options.items() if value not in (None, "", {})}
    if kind in SIGNED_KINDS:
        values["url"] = _check_url(kind, str(values.get("url", "")))
    if kind == "brevo" and "list_id" in values:
        values["list_id"] = _check_list(str(values["list_id"]))
    if "file" in values and not FILE_NAME.fullmatch(str(values["file"])):
        raise InvalidInput("The file must be the name of a file, without a folder")
    if "formula_safe" in values and not isinstance(values["formula_safe"], bool):
        raise InvalidInput("formula_safe must be true or false")
    if "mapping" in values:
        values["mapping"] = _check_mapping(kind, values["mapping"])
    return values


def check_secret(kind: str, secret: str) -> str:
    """A secret as it can be sent in a header; that of a webhook has the form of the specification."""
    if len(secret) > MAX_SECRET or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InvalidInput("The secret must be at most 1,000 printable characters without spaces")
    if kind in SIGNED_KINDS:
        try:
            decode_secret(secret)
        except ValueError as error:
            raise InvalidInput(str(error)) from None
    return secret


def _check_url(kind: str, url: str) -> str:
    """Where the URL leads is checked when it is called; here only what can never work."""
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    # Parsers repair blanks and control characters, each in its own way.
    is_plain = url.isprintable() and not set(url) & set(" \\") and len(url) <= MAX_URL
    if not (is_whole and is_plain and parts.scheme in ("https", "http")):
        raise InvalidInput("The option url must be an address that begins with https:// or http://")
    if parts.username or parts.password:
        raise InvalidInput("The URL holds a password, which everybody who sees the destination could read")
    if kind == "n8n" and is_test_url(url):
        problem = "This is n8n's test URL, which takes one call after a click"
        raise InvalidInput(f"{problem}; activate the workflow and use its production URL")
    return url


def _check_list(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise InvalidInput("list_id must be the number of a list in Brevo")
    return int(text)


def _check_mapping(kind: str, mapping: Any) -> dict[str, str]:
    if not isinstance(mapping, Mapping) or not all(isinstance(value, str) for value in mapping.values()):
        raise InvalidInput("The mapping must have a column for each property")
    try:
        return check_mapping(kind, mapping)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
