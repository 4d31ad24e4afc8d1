"""Escapes cells that a spreadsheet would run as a formula, and restores them."""

from __future__ import annotations

import re

# The signs a formula may begin with, white space that hides one, and their full-width forms.
_FORMULA = r"[=+\-@\t\r\n＝＋－＠]"
_RISKY = re.compile(rf"'*{_FORMULA}")
_MARKED = re.compile(rf"'+{_FORMULA}")


def safe_cell(text: str) -> str:
    """The cell with a leading apostrophe if it could be run; `original_cell` takes exactly that away."""
    return f"'{text}" if _RISKY.match(text) else text


def original_cell(text: str) -> str:
    """What the cell was before `safe_cell`."""
    return text[1:] if _MARKED.match(text) else text
