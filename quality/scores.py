"""What reading labelled pages came to: found, surplus and missing values, and figures made of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIELDS = ("emails", "phones", "addresses", "socials", "people")
# A prediction is a line as `scrapersky extract pages` writes it.
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page on disk with what is known of it and what must be found on it."""

    id: str
    path: Path
    country: str | None
    site_domain: str | None
    url: str
    language: str
    labels: dict[str, Any]


@dataclass(slots=True)
class Score:
    """Values of one field: found and right, found and wrong, not found."""

    right: int = 0
    surplus: int = 0
    missing: int = 0

    def add(self, other: Score) -> None:
        self.right += other.right
        self.surplus += other.surplus
        self.missing += other.missing

    @property
    def labels(self) -> int:
        return self.right + self.missing

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.surplus) if self.right + self.surplus else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.labels if self.labels else 0.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class PageScore:
    """The scores of one page, and shares such as the roles that are right, of how many."""

    page: LabelledPage
    fields: dict[str, Score]
    shares: dict[str, tuple[int, int]] = field(default_factory=dict)


def total(scores: Iterable[PageScore]) -> dict[str, Score]:
    """The fields of all pages together."""
    sums: dict[str, Score] = {}
    for score in scores:
        for name, part in score.fields.items():
            sums.setdefault(name, Score()).add(part)
    return {name: sums[name] for name in FIELDS if name in sums}


def total_shares(scores: Iterable[PageScore]) -> dict[str, tuple[int, int]]:
    """The shares of all pages together."""
    sums: dict[str, tuple[int, int]] = {}
    for score in scores:
        for name, (right, of) in score.shares.items():
            before = sums.get(name, (0, 0))
            sums[name] = before[0] + right, before[1] + of
    return sums


def grouped(
    scores: Iterable[PageScore], key: Callable[[LabelledPage], str | None]
) -> dict[str, list[PageScore]]:
    """The pages by language or country, the largest group first."""
    groups: dict[str, list[PageScore]] = {}
    for score in scores:
        groups.setdefault(key(score.page) or "unknown", []).append(score)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def folded(text: str) -> str:
    """Letters and digits only, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in plain if character.isalnum())
