"""`Idempotency-Key` on every POST: a request that is sent again gets the same answer and no second effect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrapersky.actions.actor import Actor
from scrapersky.actions.idempotency import (
    KeyClaim,
    KeyedRequest,
    StoredAnswer,
    claim_key,
    release_key,
    store_answer,
)
from scrapersky.api.context import ApiContext
from scrapersky.api.problems import Problem, respond
from scrapersky.database import with_commit_check
from scrapersky.secret_key import SecretKey

HEADER = "Idempotency-Key"
WELL_FORMED = re.compile(r"[\x21-\x7e]{1,255}")
KEPT_HEADERS = ("content-type", "location", "etag", "retry-after")
MAX_ANSWER_BYTES = 4 * 1024 * 1024


class Replayed(Exception):
    """The request has been answered before."""

    def __init__(self, answer: StoredAnswer) -> None:
        super().__init__(answer.status)
        self.answer = answer


@dataclass(slots=True)
class _OpenClaim:
    """A claim and the engine, confined to the tenant, that its answer is stored with."""

    claim: KeyClaim
    engine: AsyncEngine


async def claim_request(request: Request, actor: Actor, engine: AsyncEngine) -> AsyncEngine:
    """The engine for the rest of the request; its transactions commit only while the key is ours."""
    key = request.headers.get(HEADER)
    if request.method != "POST" or key is None:
        return engine
    opened: _OpenClaim | None = getattr(request.state, "open_claim", None)
    if opened is None:
        target = f"{request.method} {request.url.path}?{request.url.query}".rstrip("?")
        keyed = KeyedRequest(key, target[:2_000], request.state.body_hash)
        outcome = await claim_key(engine, actor, keyed)
        if isinstance(outcome, StoredAnswer):
            raise Replayed(outcome)
        opened = request.state.open_claim = _OpenClaim(outcome, engine)
    return with_commit_check(engine, opened.claim.mark)


def check_claim(request: Request, engine: AsyncEngine) -> AsyncEngine:
    """Another engine for the rest of a request whose key, if it has one, is claimed."""
    opened: _OpenClaim | None = getattr(request.state, "open_claim", None)
    return engine if opened is None else with_commit_check(engine, opened.claim.mark)


def add_replay_handler(web: FastAPI) -> None:
    async def replay(request: Request, error: Any) -> Response:
        context: ApiContext = request.app.state.api
        body = _decrypt(context.secret_key, error.answer.encrypted_body)
        headers = {**error.answer.headers, "Idempotency-Replayed": "true"}
        return Response(body, error.answer.status, headers)

    web.add_exception_handler(Replayed, replay)


class _Collected:
    """The answer of the application, held back until it is stored; one that is too large is passed on."""

    def __init__(self, send: Send) -> None:
        self._send, self._messages, self._size = send, list[Message](), 0
        self.status = 0
        self.is_large = False

    async def send(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self._messages.append(message)
        self._size += len(message.get("body", b""))
        self.is_large = self.is_large or self._size > MAX_ANSWER_BYTES
        if self.is_large:
            await self.pass_on()

    async def pass_on(self) -> None:
        messages, self._messages = self._messages, []
        for message in messages:
            await self._send(message)

    def stored(self, secret_key: SecretKey) -> StoredAnswer | None:
        if self.is_large:
            return None
        sent = Headers(raw=self._messages[0]["headers"])
        body = b"".join(message.get("body", b"") for message in self._messages[1:])
        headers = {name: sent[name] for name in KEPT_HEADERS if name in sent}
        return StoredAnswer(self.status, headers, _encrypt(secret_key, body))


class IdempotentAnswers:
    """Stores the answer of a request with a key before the client gets it."""

    def __init__(self, app: ASGIApp, *, prefix: str, context: ApiContext) -> None:
        self.app, self.prefix, self.context = app, prefix, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        keys = Headers(scope=scope).getlist(HEADER) if _may_have_key(scope, self.prefix) else []
        if not keys:
            await self.app(scope, receive, send)
        elif len(keys) == 1 and WELL_FORMED.fullmatch(keys[0]):
            await self._answer(scope, receive, send)
        else:
            detail = "The header Idempotency-Key is sent once, with 1 to 255 printable ASCII characters."
            fault = {"pointer": HEADER, "detail": detail, "code": "invalid_key"}
            problem = Problem(422, "Invalid input", detail, errors=[fault])
            await respond(Request(scope), problem)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        collected = _Collected(send)
        try:
            await self.app(scope, receive, collected.send)
        except BaseException:
            if opened := scope["state"].get("open_claim"):
                await release_key(opened.engine, opened.claim)
            raise
        if opened := scope["state"].get("open_claim"):
            await self._store(opened, collected)
        await collected.pass_on()

    async def _store(self, opened: _OpenClaim, collected: _Collected) -> None:
        """An answer that refuses is kept only if something changed; otherwise the client may try again."""
        if collected.status >= 400 and await release_key(opened.engine, opened.claim):
            return
        await store_answer(opened.engine, opened.claim, collected.stored(self.context.secret_key))


def _may_have_key(scope: Scope, prefix: str) -> bool:
    return scope["type"] == "http" and scope["method"] == "POST" and bool(scope["path"].startswith(prefix))


# Latin-1 maps every byte to one character: the body comes back as it was.
def _encrypt(secret_key: SecretKey, body: bytes) -> bytes:
    return secret_key.encrypt(body.decode("latin-1"), context=HEADER)


def _decrypt(secret_key: SecretKey, body: bytes) -> bytes:
    return secret_key.decrypt(body, context=HEADER).encode("latin-1")
