"""Integrations: the outside services that this installation can use, and a test of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from scrapersky.engine.outcome import Discard, RetryAfter, Snooze, reason_of
from scrapersky.errors import NotFound, ScraperSkyError

OK, FAILED, NOT_CONFIGURED = "ok", "failed", "not configured"
TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Integration:
    """One service. `needs` are the settings that switch it on.

    `check` calls the service as cheaply as it can. It returns "ok", a sentence that begins with "ok: ", or
    what is wrong; it may also raise. It never returns a secret.
    """

    name: str
    title: str
    purpose: str
    needs: tuple[str, ...]
    is_configured: bool
    check: Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class IntegrationResult:
    name: str
    status: str
    message: str = ""


def find_integration(integrations: Mapping[str, Integration], name: str) -> Integration:
    if name not in integrations:
        known = ", ".join(integrations) or "none"
        raise NotFound(f"Invalid integration {name!r}; expected one of {known}")
    return integrations[name]


async def check_integration(integration: Integration) -> IntegrationResult:
    """Call the service once; one that is not configured is not called."""
    name = integration.name
    if not integration.is_configured:
        return IntegrationResult(name, NOT_CONFIGURED, f"set {' and '.join(integration.needs)}")
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            answer = await integration.check()
    except TimeoutError:
        return IntegrationResult(name, FAILED, f"no answer within {TIMEOUT_SECONDS} s")
    except (ScraperSkyError, Snooze, Discard, RetryAfter, OSError) as error:
        return IntegrationResult(name, FAILED, reason_of(error))
    status, _, message = answer.partition(": ")
    return IntegrationResult(name, OK, message) if status == OK else IntegrationResult(name, FAILED, answer)
