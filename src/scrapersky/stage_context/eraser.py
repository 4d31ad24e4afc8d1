"""Erasures as jobs run them: the person arrives encrypted, so that the job's row does not name them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.privacy.erasure import Progress, erase_person
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.secret_key import SecretKey

SEALED_FOR = "erase_person"
# What answers to clients are encrypted for (api/idempotency.py).
ANSWERS_FOR = "Idempotency-Key"


def seal_person(secret_key: SecretKey, identifiers: list[Identifier]) -> str:
    return secret_key.encrypt(json.dumps(identifiers), context=SEALED_FOR).hex()


class Eraser:
    """`exports` is the folder of export files; those of the default tenant are directly in it."""

    def __init__(
        self, engine: AsyncEngine, secret_key: SecretKey, exports: Path, default_tenant: UUID
    ) -> None:
        self._engine, self._secret_key = engine, secret_key
        self._exports, self._default_tenant = exports, default_tenant

    async def erase(
        self, actor: Actor, identifiers: list[Identifier], reason: str, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Erase the person in the actor's tenant; returns what was found where."""
        is_default = actor.tenant_id == self._default_tenant
        report = await erase_person(
            self._engine,
            actor,
            identifiers,
            reason,
            folder=self._exports if is_default else self._exports / str(actor.tenant_id),
            decrypt=lambda body: self._secret_key.decrypt(body, context=ANSWERS_FOR),
            **({"progress": progress} if progress else {}),
        )
        return report.as_dict()

    async def erase_sealed(
        self, actor: Actor, sealed: str, reason: str, progress: Progress
    ) -> dict[str, Any]:
        """The same for a person that `seal_person` has encrypted."""
        opened = json.loads(self._secret_key.decrypt(bytes.fromhex(sealed), context=SEALED_FOR))
        return await self.erase(actor, [Identifier(*identifier) for identifier in opened], reason, progress)
