"""The rules that Protego read for one agent. Only this module uses private parts of Protego.

Protego answers whether a URL is allowed, but not which rule decided; that answer needs its rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from protego import Protego
from protego._utils import _quote_path


class RobotsRule(NamedTuple):
    """A line of a robots.txt: "allow" or "disallow", its pattern, and whether it matches a path."""

    field: str
    pattern: str
    matches: Callable[[str], bool]


def rules_for(parsed: Protego, token: str) -> list[RobotsRule] | None:
    """The rules for an agent in the order in which they decide; None when no group of the file applies."""
    group = parsed._get_matching_rule_set(token)
    if group is None:
        return None
    return [RobotsRule(rule.field, rule.value._pattern, rule.value.match) for rule in group._rules]


def normalize_path(url: str) -> str:
    """Path and query of a URL in the form that rules are compared with."""
    return str(_quote_path(url))
