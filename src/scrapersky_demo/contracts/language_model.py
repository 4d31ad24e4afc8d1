"""An endpoint of chat completions: messages in, one answer and its tokens out."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from scrapersky_demo.contracts.faults import Faults


class LanguageModelServer:
    """Gives the next of `answers` to every call, and keeps what was asked."""

    def __init__(self, *answers: Any, key: str = "", tokens: int = 900) -> None:
        self.answers = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
        self.key, self.tokens, self.faults = key, tokens, Faults()
        self.asked: list[dict[str, Any]] = []
        self.application = web.Application()
        self.application.add_routes([web.post("/v1/chat/completions", self._serve)])

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        return await self.faults.serve(request, self._answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response({"error": {"message": "Invalid key"}}, status=401)
        question = await request.json()
        if not question.get("model") or not question.get("messages"):
            return web.json_response({"error": {"message": "Invalid request"}}, status=400)
        self.asked.append(question)
        content = self.answers.pop(0) if self.answers else "{}"
        return web.json_response(
            {
                "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
                "usage": {"total_tokens": self.tokens},
            }
        )
