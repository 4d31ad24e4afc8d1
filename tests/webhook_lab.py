"""Messages as workflows of n8n send them: signed with the secret of a destination."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import uuid

from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky.actions.actor import Actor
from scrapersky.actions.delivery.destinations import DestinationEditor
from scrapersky.secret_key import SecretKey
from scrapersky.tables.seed import local_user_id

KEY = SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL")


def sign(secret: str, body: bytes, *, message: str = "msg_1", moment: float | None = None) -> dict[str, str]:
    """As an n8n workflow would, by the text of the specification."""
    stamp = str(int(time.time() if moment is None else moment))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message}.{stamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        "content-type": "application/json",
    }


async def add_workflow(db: AsyncEngine, tenant: uuid.UUID = TENANT, name: str = "n8n") -> str:
    actor = Actor(tenant, local_user_id(TENANT), "local")
    options = {"url": "https://n8n.example/webhook/x"}
    _, secret = await DestinationEditor(db, actor, KEY).add(name=name, kind="n8n", options=options)
    return secret
