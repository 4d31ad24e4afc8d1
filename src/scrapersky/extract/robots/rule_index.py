"""Finds the rule of a robots.txt that decides about a path, in bounded time for very many rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import ahocorasick_rs

from scrapersky.extract.robots.protego_rules import RobotsRule

# Beyond this, trying every rule takes longer than finding those that can match.
_MANY = 300


class RuleIndex:
    """Rules in the order in which they decide; of many, only those with a text of the path are tried."""

    def __init__(self, rules: Sequence[RobotsRule]) -> None:
        # Of rules with the same pattern only the first can ever decide.
        first: dict[str, RobotsRule] = {}
        for rule in rules:
            first.setdefault(rule.pattern, rule)
        self._rules = list(first.values())
        self._always: Iterable[int] = range(len(self._rules))
        self._numbers: list[list[int]] = []
        self._search: ahocorasick_rs.AhoCorasick | None = None
        if len(rules) > _MANY:
            self._build_search()

    def _build_search(self) -> None:
        """Index the rules by the longest text of each pattern; one without any text is always tried."""
        by_text: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            text = max(rule.pattern.removesuffix("$").split("*"), key=len)
            by_text.setdefault(text, []).append(number)
        self._always = by_text.pop("", [])
        self._numbers = list(by_text.values())
        self._search = ahocorasick_rs.AhoCorasick(list(by_text)) if by_text else None

    def find_deciding(self, path: str) -> RobotsRule | None:
        """The first rule that matches a path."""
        numbers = self._always if self._search is None else sorted({*self._always, *self._candidates(path)})
        rules = (self._rules[number] for number in numbers)
        return next((rule for rule in rules if rule.matches(path)), None)

    def _candidates(self, path: str) -> Iterator[int]:
        matches = self._search.find_matches_as_indexes(path, overlapping=True) if self._search else ()
        for text in {text for text, _, _ in matches}:
            yield from self._numbers[text]
