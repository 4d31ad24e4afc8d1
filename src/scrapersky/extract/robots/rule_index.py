"""Many rules of a robots.txt at once: only those whose longest text stands in a path are asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ahocorasick_rs


class RuleIndex:
    """Rules in the order in which they are asked; each has a `field` and a `value` that matches paths."""

    def __init__(self, rules: Sequence[Any]) -> None:
        # Of rules with the same pattern only the first can ever decide.
        first: dict[str, Any] = {}
        for rule in rules:
            first.setdefault(rule.value._pattern, rule)
        self._rules = list(first.values())
        self._always: list[int] = []
        by_text: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            text = max(rule.value._pattern.removesuffix("$").split("*"), key=len)
            (by_text.setdefault(text, []) if text else self._always).append(number)
        self._numbers = list(by_text.values())
        self._search = ahocorasick_rs.AhoCorasick(list(by_text)) if by_text else None

    def deciding(self, path: str) -> Any | None:
        """The first rule that matches a path."""
        numbers = {*self._always, *self._candidates(path)}
        rules = (self._rules[number] for number in sorted(numbers))
        return next((rule for rule in rules if rule.value.match(path)), None)

    def _candidates(self, path: str) -> Iterator[int]:
        matches = self._search.find_matches_as_indexes(path, overlapping=True) if self._search else ()
        for text in {text for text, _, _ in matches}:
            yield from self._numbers[text]
