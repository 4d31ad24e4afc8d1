"""What a stored robots.txt says about our requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapersky.extract.robots.policy import Robots


def robots_verdict(url: str, host: Mapping[str, Any] | None, agent: str) -> dict[str, Any]:
    """Whether we may read the address, and how slowly; `host` is the stored row of its host."""
    if host is None or not host["robots_txt"]:
        return {"agent": agent, "verdict": None, "delay": None}
    verdict = Robots(host["robots_txt"]).decide(url, agent)
    return {"agent": agent, "verdict": verdict, "delay": verdict.delay}
