"""DeBounce as its documents describe it: single validation and balance, credits, five calls at a time.

Response codes: https://help.debounce.com/understanding-results/result-codes/; errors and limits:
https://developers.debounce.com/api-concepts/responses and /rate-limiting.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Literal

from aiohttp import web

MAX_CONCURRENT = 5
# Code: the words of `result` and `reason` that come with it.
ANSWERS = {
    "1": ("Invalid", "Syntax"),
    "2": ("Invalid", "Spam Trap"),
    "3": ("Invalid", "Disposable"),
    "4": ("Risky", "Accept-All"),
    "5": ("Safe to Send", "Deliverable"),
    "6": ("Invalid", "Bounce"),
    "7": ("Unknown", "Unknown"),
    "8": ("Safe to Send", "Role"),
}
Failure = Literal["", "error", "cut", "slow", "busy", "garbage"]


class DebounceServer:
    """`codes` says what each address is (5 for all others); `failure` makes every call fail in one way."""

    def __init__(self, *, key: str = "key", balance: int = 1_000) -> None:
        self.key, self.balance = key, balance
        self.codes: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.suggestions: dict[str, str] = {}
        self.failure: Failure = ""
        self.seconds = 0.0
        self.retry_after = ""
        self.asked: Counter[str] = Counter()
        self.charged = 0
        self.most_at_once = 0
        self.port = 0
        self._running = 0

    async def __aenter__(self) -> DebounceServer:
        application = web.Application()
        application.add_routes([web.get("/v1/", self._validate), web.get("/v1/balance/", self._balance)])
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        """An address that only CONNECT_TO leads here."""
        return "http://debounce.example/v1/"

    async def _balance(self, request: web.Request) -> web.StreamResponse:
        if self.failure:
            return await self._fail(request)
        if request.query.get("api") != self.key:
            return _error(401, "Wrong API")
        return web.json_response({"balance": str(self.balance)})

    async def _validate(self, request: web.Request) -> web.StreamResponse:
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        try:
            return await self._answer(request)
        finally:
            self._running -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        email = request.query.get("email", "")
        self.asked[email] += 1
        if self.failure:
            return await self._fail(request)
        if self._running > MAX_CONCURRENT:
            return _error(429, "Maximum concurrent calls reached")
        if request.query.get("api") != self.key:
            return _error(401, "Wrong API")
        if self.balance < 1:
            return _error(402, "Credits Low")
        await asyncio.sleep(self.seconds)
        self.balance -= 1
        self.charged += 1
        return web.json_response(
            {"debounce": self._verdict(email), "success": "1", "balance": str(self.balance)}
        )

    def _verdict(self, email: str) -> dict[str, Any]:
        code = self.codes.get(email, "5")
        result, reason = ANSWERS.get(code, ("Unknown", "Unknown"))
        return {
            "email": email,
            "code": code,
            "role": str(code == "8").lower(),
            "free_email": "false",
            "result": self.words.get(email, result),
            "reason": reason,
            "send_transactional": "1" if code in "4578" else "0",
            "did_you_mean": self.suggestions.get(email, ""),
        }

    async def _fail(self, request: web.Request) -> web.StreamResponse:
        if self.failure == "slow":
            await asyncio.sleep(60)
        if self.failure == "cut" and request.transport:
            request.transport.abort()
        if self.failure == "busy":
            return _error(429, "Maximum concurrent calls reached", retry_after=self.retry_after)
        if self.failure == "garbage":
            return web.Response(text="<html>maintenance</html>", content_type="text/html")
        return _error(500, "Internal error")


def _error(status: int, text: str, *, retry_after: str = "") -> web.Response:
    headers = {"Retry-After": retry_after} if retry_after else {}
    body = {"debounce": {"error": text, "code": "0"}, "success": "0"}
    return web.json_response(body, status=status, headers=headers)
