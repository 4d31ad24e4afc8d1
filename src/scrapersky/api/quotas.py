"""Limits of requests: token buckets for each tenant and each of its keys, counted by this web process."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from cachetools import LRUCache, TTLCache
from fastapi import Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scrapersky.api.caller import Caller
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.problems import Problem, respond
from scrapersky.api.session_cookie import read_session
from scrapersky.queries.installation.tenants import Quotas, TenantQuery

WINDOW_SECONDS = 60
MAX_BUCKETS, MAX_TENANTS = 100_000, 10_000
# How long a changed quota may go unnoticed by the requests of this process.
QUOTA_SECONDS = 2.0


@dataclass(slots=True)
class Bucket:
    """Holds as many tokens as a minute allows, and fills continuously."""

    tokens: float
    filled_at: float

    def fill(self, limit: int, now: float) -> float:
        """Fill it for the time that has passed; gives the seconds until it holds a token."""
        self.tokens = min(limit, self.tokens + (now - self.filled_at) * limit / WINDOW_SECONDS)
        self.filled_at = now
        missing = max(0.0, 1 - self.tokens)
        return missing * WINDOW_SECONDS / limit if limit else float(WINDOW_SECONDS)


Buckets = dict[tuple[str, int], Bucket]


class RequestLimits:
    """The buckets and the quotas of those whose requests this process has seen lately."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self._buckets: LRUCache[Hashable, Bucket] = LRUCache(MAX_BUCKETS)
        self._quotas: TTLCache[UUID, Quotas] = TTLCache(MAX_TENANTS, QUOTA_SECONDS, clock)
        self._refused: LRUCache[bytes, tuple[float, Problem]] = LRUCache(MAX_BUCKETS)

    async def quotas(self, context: ApiContext, tenant_id: UUID) -> Quotas:
        if (known := self._quotas.get(tenant_id)) is not None:
            return known
        state = await TenantQuery(context.engine).state(tenant_id)
        self._quotas[tenant_id] = state.quotas
        return state.quotas

    def bucket(self, key: Hashable, limit: int) -> Bucket:
        if key not in self._buckets:
            self._buckets[key] = Bucket(limit, self.clock())
        return self._buckets[key]

    def refuse(self, credentials: bytes, problem: Problem, wait: float) -> None:
        """Remember the refusal until there is a token again, or until a larger quota may be known."""
        until = self.clock() + min(wait, QUOTA_SECONDS)
        self._refused[hashlib.sha256(credentials).digest()] = until, problem

    def refusal(self, credentials: bytes) -> Problem | None:
        key = hashlib.sha256(credentials).digest()
        until, problem = self._refused.get(key, (0.0, None))
        return problem if self.clock() < until else None


class RefusedCallers:
    """Answers a key or session without quota at once, so that it costs the other tenants next to nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PREFIX):
            limits: RequestLimits = scope["app"].state.request_limits
            if (sent := _credentials(scope)) and (problem := limits.refusal(sent)):
                await respond(Request(scope), problem)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _credentials(scope: Scope) -> bytes | None:
    """What the request shows: an API key or, without one, a session."""
    request = Request(scope)
    sent = request.headers.get("authorization") or read_session(request)
    return sent.encode() if sent else None


async def limit_requests(request: Request, response: Response) -> None:
    """Refuse requests beyond the quotas of the tenant and of the key; those of nobody have no quota."""
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        return
    limits: RequestLimits = request.app.state.request_limits
    quotas = await limits.quotas(request.app.state.api, caller.actor.tenant_id)
    buckets = {
        (name, limit): limits.bucket((name, key), limit) for name, key, limit in _limits(quotas, caller)
    }
    if not buckets:
        return
    waits = _waits(buckets, limits.clock())
    is_refused = any(waits.values())
    if not is_refused:
        for bucket in buckets.values():
            bucket.tokens -= 1
        response.headers.update(_rate_limit_headers(buckets, waits))
        waits = _waits(buckets, limits.clock())
    if any(waits.values()):
        # Without a token, its next request is refused before anything is asked about the caller.
        longest = max(waits, key=lambda name: waits[name])
        refusal = _refusal(longest, waits[longest], _rate_limit_headers(buckets, waits))
        # Who shows neither is on open loopback, where callers cannot be distinguished.
        if sent := _credentials(request.scope):
            limits.refuse(sent, refusal, waits[longest])
        if is_refused:
            raise refusal


def _waits(buckets: Buckets, now: float) -> dict[str, float]:
    return {name: bucket.fill(limit, now) for (name, limit), bucket in buckets.items()}


def _rate_limit_headers(buckets: Buckets, waits: dict[str, float]) -> dict[str, str]:
    return {
        "RateLimit-Policy": ", ".join(f'"{name}";q={limit};w={WINDOW_SECONDS}' for name, limit in buckets),
        "RateLimit": ", ".join(
            f'"{name}";r={int(bucket.tokens)};t={math.ceil(waits[name])}'
            for (name, _), bucket in buckets.items()
        ),
    }


def _refusal(name: str, wait: float, headers: dict[str, str]) -> Problem:
    seconds = math.ceil(wait)
    problem = Problem(
        429, "Too many requests", f"The requests of this {name} exceed its quota; try again in {seconds} s."
    )
    problem.headers |= {**headers, "Retry-After": str(seconds)}
    return problem


def _limits(quotas: Quotas, caller: Caller) -> Iterator[tuple[str, UUID, int]]:
    if quotas.requests_per_minute is not None:
        yield "tenant", caller.actor.tenant_id, quotas.requests_per_minute
    if quotas.key_requests_per_minute is not None:
        key = caller.key_id or caller.session_id or caller.actor.user_id
        yield "key", key, quotas.key_requests_per_minute
