"""A language model behind an endpoint of chat completions, on this machine or elsewhere; off without a URL.

Every call is counted in tokens and reserved before it is made, so that the daily cap holds for all workers.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from scrapersky.engine.outcome import Snooze
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import ConnectFailed, DNSFailed, Failure, TLSFailed
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.daily_cap import DailyCap

CONCURRENT_CALLS = 2
MAX_BODY_BYTES = 262_144
MAX_ANSWER_TOKENS = 1_500
UNSENT = (ConnectFailed, DNSFailed, TLSFailed)


class TokenCapReached(Failure):
    """The tokens of today are used up."""

    failure_class = "token_cap_reached"


class LanguageModelFailed(Failure):
    """The language model failed."""

    failure_class = "language_model_failed"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What the model says; without a text, why there is none, and what the rules found stands."""

    text: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LanguageModelOptions:
    """`repr` hides the key."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_seconds: float = 60.0

    @property
    def limits(self) -> Limits:
        return Limits(body=MAX_BODY_BYTES, deadline=self.timeout_seconds, first_byte=self.timeout_seconds)

    @property
    def headers(self) -> dict[str, str]:
        bearer = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return {"Content-Type": "application/json", **bearer}


def is_language_model_failure(error: BaseException) -> bool:
    """Whether the service itself failed, which opens its circuit."""
    return isinstance(error, LanguageModelFailed)


class LanguageModel:
    """One per process; few pages need it, so that few calls run at a time."""

    def __init__(
        self, fetcher: Fetcher, options: LanguageModelOptions, cap: DailyCap, circuit: CircuitBreaker
    ) -> None:
        self._fetcher, self._options, self._cap, self._circuit = fetcher, options, cap, circuit
        self._slots = asyncio.Semaphore(CONCURRENT_CALLS)

    async def ask(self, instruction: str, text: str) -> ModelAnswer:
        """The answer of the model, or why there is none: an outage must not stop the pipeline."""
        reserved = len(instruction.encode()) + len(text.encode()) + MAX_ANSWER_TOKENS
        try:
            async with self._slots, self._circuit:
                if not await self._cap.take(reserved):
                    raise TokenCapReached(f"the daily cap of {self._cap.limit:,} tokens is reached")
                return ModelAnswer(await self._call(instruction, text, reserved))
        except (Failure, Snooze) as why:
            return ModelAnswer(None, str(why))

    async def _call(self, instruction: str, text: str, reserved: int) -> str:
        try:
            response = await self._fetcher.request(
                "POST",
                self._options.url,
                headers=self._options.headers,
                body=_body(self._options, instruction, text, MAX_ANSWER_TOKENS),
                limits=self._options.limits,
            )
        except Failure as failure:
            if isinstance(failure, UNSENT):
                await self._cap.give_back(reserved)
            # A call that was cut may have been charged, so it stays counted.
            raise LanguageModelFailed(f"language model: {failure}") from None
        if response.status != 200:
            await self._cap.give_back(reserved)
            raise LanguageModelFailed(f"the language model returned HTTP {response.status}")
        answer, used = _read(response)
        await self._cap.give_back(max(0, reserved - used) if used else 0)
        return answer


async def check_model(fetcher: Fetcher, options: LanguageModelOptions) -> str:
    """Whether the model answers a word with a word; the key is never shown."""
    body = _body(options, "Answer with one word.", "ok", 1)
    try:
        response = await fetcher.request(
            "POST", options.url, headers=options.headers, body=body, limits=options.limits
        )
    except Failure as failure:
        return f"unreachable: {failure.failure_class}"
    if response.status in (401, 403):
        return "refused the key"
    return "ok" if response.status == 200 else f"answered {response.status}"


def _body(options: LanguageModelOptions, instruction: str, text: str, tokens: int) -> bytes:
    """A call as JSON; with temperature 0 the same page gets the same answer."""
    messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
    content = {"model": options.model, "temperature": 0, "max_tokens": tokens, "messages": messages}
    return json.dumps(content).encode()


def _read(response: Page) -> tuple[str, int]:
    """The text of the first answer, and the tokens that it cost."""
    try:
        document: Any = json.loads(response.body)
        content = document["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError):
        raise LanguageModelFailed("the language model gave an answer that cannot be read") from None
    usage = document.get("usage")
    used = usage.get("total_tokens") if isinstance(usage, dict) else 0
    return str(content), used if isinstance(used, int) and used > 0 else 0
