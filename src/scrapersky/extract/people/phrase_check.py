"""Whether what looks like a name is made of the page's ordinary words."""

from __future__ import annotations

import re
from functools import lru_cache


def is_phrase(name: str, text: str) -> bool:
    """Whether the page uses the first word of a name, or all others, as ordinary words."""
    first, *rest = [word.lower() for word in name.split() if len(word) > 2] or [""]
    return _is_ordinary(first, text) or (bool(rest) and all(_is_ordinary(word, text) for word in rest))


@lru_cache(maxsize=512)
def _word_pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@./-]){re.escape(word)}(?![\w@/-]|\.\w)")


def _is_ordinary(word: str, text: str) -> bool:
    """Whether the page writes the word in small letters as well, outside of addresses."""
    return word in text and _word_pattern(word).search(text) is not None
