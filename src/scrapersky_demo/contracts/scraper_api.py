"""ScraperAPI as its documents describe it: a page for credits, options that cost more, an account.

Statuses: https://docs.scraperapi.com/responses-and-formats/api-status-codes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

# What a request costs with each option; they multiply.
OPTIONS = {"premium": 5, "render": 10, "country_code": 2}
CHARGED = (200, 404)
PAGE = "<p>by service</p>"
Failure = Literal["", "error", "cut", "busy", "key", "no credits"]


@dataclass(slots=True)
class ScraperAPIServer:
    """`pages` gives the answers of sites by URL, 200 for all others; `failure` makes every call fail."""

    key: str = "scraper-demo"
    credits: int = 5_000
    concurrency: int = 5
    failure: Failure = ""
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)
    # What was asked for, and what each answer cost.
    asked: list[dict[str, str]] = field(default_factory=list)
    charged: int = 0
    running: int = 0
    port: int = 0

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/", self._serve)
        application.router.add_get("/account", self._account)
        return application

    def _refusal(self, request: web.Request) -> web.Response | None:
        if self.failure == "error":
            return web.Response(status=500, text="Request failed. You will not be charged for this request.")
        if request.query.get("api_key") != self.key or self.failure == "key":
            return web.Response(status=401, text="Unauthorized request, make sure your API key is valid.")
        return None

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(dict(request.query))
        self.running += 1
        try:
            return self._answer(request)
        finally:
            self.running -= 1

    def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.failure == "cut" and request.transport is not None:
            request.transport.abort()
        if (refusal := self._refusal(request)) is not None:
            return refusal
        url = request.query.get("url", "")
        if not url.startswith(("http://", "https://")):
            return web.Response(status=400, text="Bad request: url is missing or malformed.")
        cost = 1
        for name, factor in OPTIONS.items():
            cost *= factor if request.query.get(name, "false") != "false" else 1
        if self.failure == "no credits" or self.credits < cost:
            return web.Response(status=403, text="You have exhausted the API credits of this cycle.")
        if self.failure == "busy" or self.running > self.concurrency:
            return web.Response(status=429, text="You have exceeded your concurrency limit.")
        status, page = self.pages.get(url, (200, PAGE))
        if status not in CHARGED:
            return web.Response(status=500, text="Request failed. You will not be charged for this request.")
        self.credits -= cost
        self.charged += cost
        headers = {"sa-credit-cost": str(cost), "sa-statuscode": str(status)}
        return web.Response(status=status, text=page, headers=headers, content_type="text/html")

    async def _account(self, request: web.Request) -> web.StreamResponse:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        return web.json_response(
            {
                "concurrencyLimit": self.concurrency,
                "concurrentRequests": self.running,
                "failedRequestCount": 0,
                "requestCount": self.charged,
                "requestLimit": self.credits + self.charged,
            }
        )
