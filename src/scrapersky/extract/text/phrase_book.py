"""Finds any of many phrases in a text by their first letters, without a long pattern."""

import re
from collections.abc import Collection, Iterator

_WORD_START = re.compile(r"(?<!\w)\w")
_KEY = 3


def first_letters(low: str) -> list[str]:
    """The beginnings of the words of a text in lower case."""
    return [word[:_KEY] for word in low.split()]


class PhraseBook:
    """A set of phrases in lower case; a phrase that ends in "$" must end with its word."""

    def __init__(self, phrases: Collection[str]) -> None:
        self._by_key: dict[str, list[tuple[str, bool]]] = {}
        for phrase in phrases:
            bare = phrase.removesuffix("$")
            self._by_key.setdefault(bare[:_KEY], []).append((bare, bare != phrase))

        self._keys = frozenset(phrase.removesuffix("$").split()[0][:_KEY] for phrase in phrases)

    def __contains__(self, text: str) -> bool:
        low = text.lower()
        return self.may_hold(first_letters(low)) and next(self.found_in(low), None) is not None

    def may_hold(self, letters: list[str]) -> bool:
        """Whether some word begins as a phrase does: a first look that leaves out most texts."""
        return not self._keys.isdisjoint(letters)

    def found_in(self, low: str) -> Iterator[tuple[int, int]]:
        """Where the phrases stand in a text in lower case: begin and end of each."""
        for start in _WORD_START.finditer(low):
            end = self.starts(low, start.start())
            if end:
                yield start.start(), end

    def starts(self, low: str, position: int) -> int:
        """The end of the longest phrase at a position of a text in lower case; 0 when there is none."""
        best = 0
        for phrase, is_whole in self._by_key.get(low[position : position + _KEY], ()):
            end = position + len(phrase)
            if (
                end > best
                and low.startswith(phrase, position)
                and not (is_whole and low[end : end + 1].isalnum())
            ):
                best = end
        return best
