"""Choices that depend on their keys alone, so that the same seed makes the same world everywhere."""

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def number_of(*keys: object) -> int:
    """A 64-bit number for these keys, the same in every process (str hashes are not)."""
    text = "\x1f".join(map(str, keys))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


class Draw:
    """A stream of choices for one subject, named by its keys."""

    def __init__(self, *keys: object) -> None:
        self._random = random.Random(number_of(*keys))  # noqa: S311  Repeatable on purpose, no secret.

    def below(self, limit: int) -> int:
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        return self._random.random() < share

    def choice(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def sample(self, things: Sequence[T], count: int) -> list[T]:
        return self.shuffled(things)[:count]

    def digits(self, count: int) -> str:
        return "".join(str(self.below(10)) for _ in range(count))

    def hexes(self, count: int) -> str:
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(count))


def deal(deck: Mapping[str, int], seed: int, name: str, index: int) -> str:
    """The card that this index gets: over each full deck every word falls exactly its share of times."""
    cards = tuple(word for word, count in deck.items() for _ in range(count))
    return _shuffled_deck(cards, seed, name, index // len(cards))[index % len(cards)]


@lru_cache(maxsize=256)
def _shuffled_deck(cards: tuple[str, ...], seed: int, name: str, round_number: int) -> tuple[str, ...]:
    return tuple(Draw(seed, "deck", name, round_number).shuffled(cards))
