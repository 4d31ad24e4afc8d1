"""Detects the language of a text; the detector has no package for Python 3.14 yet."""

from __future__ import annotations

from typing import Any

try:
    import pycld2
except ImportError:
    # Then only what a page declares about its language is known.
    pycld2 = None


def detect_language(text: bytes, **options: Any) -> str | None:
    """The two-letter code of the language, if it can be detected."""
    if pycld2 is None:
        return None
    try:
        reliable, _, guesses = pycld2.detect(text, **options)
    except pycld2.error:
        return None
    code = str(guesses[0][1])
    return code if reliable and code != "un" else None
