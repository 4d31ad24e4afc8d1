"""Erasures as jobs run them: the person arrives encrypted, so that the job's row does not name them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.privacy.erasure import Progress, erase_person
from scrapersky.actions.privacy.person_files import PersonFiles
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.secret_key import SecretKey

SEALED_FOR = "erase_person"
# What answers to clients are encrypted for (api/idempotency.py).
ANSWERS_FOR = "Idempotency-Key"


def seal_person(secret_key: SecretKey, identifiers: list[Identifier]) -> str:
    return secret_key.encrypt(json.dumps(identifiers), context=SEALED_FOR).hex()


class Eraser:
    """`files_of` names the folders of a tenant."""

    def __init__(
        self, engine: AsyncEngine, secret_key: SecretKey, files_of: Callable[[UUID], PersonFiles]
    ) -> None:
        self._engine, self._secret_key, self._files_of = engine, secret_key, files_of

    async def erase(
        self, actor: Actor, identifiers: list[Identifier], reason: str, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Erase the person in the actor's tenant; returns what was found where."""
        report = await erase_person(
            self._engine,
            actor,
            identifiers,
            reason,
            files=self._files_of(actor.tenant_id),
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
