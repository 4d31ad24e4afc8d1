"""What one robots.txt says."""

from __future__ import annotations

from protego import Protego


class RobotsRules:
    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text)

    def allows(self, agent: str, url: str) -> bool:
        return bool(self._rules.can_fetch(url, agent))

    def crawl_delay(self, agent: str) -> float | None:
        delay = self._rules.crawl_delay(agent)
        return None if delay is None else float(delay)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self._rules.sitemaps)


def read_robots(body: bytes) -> RobotsRules:
    return RobotsRules(body.decode("utf-8-sig", "replace"))
