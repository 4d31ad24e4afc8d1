"""Reads JSON as RFC 8259 and RFC 7493 have it, and refuses what Python's reader lets through."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 50
MAX_KEYS = 1_000
# The integers of 64 bits have up to 19 digits and a sign.
MAX_DIGITS = 20
# PostgreSQL stores neither NUL nor half of a surrogate pair.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class MalformedJson(ValueError):
    """The text is not JSON."""


class RefusedJson(ValueError):
    """The text is JSON that programs read in different ways or that no column can hold."""


def check_json(body: bytes) -> None:
    """Raise if the body is not JSON that every program reads alike."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except RecursionError:
        raise RefusedJson(f"The JSON is nested more than {MAX_DEPTH} levels deep.") from None
    except json.JSONDecodeError as error:
        raise MalformedJson(f"The JSON is invalid at character {error.pos}: {error.msg}.") from None
    _check_values(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS:
        raise RefusedJson(f"An object has more than {MAX_KEYS:,} keys.")
    names = dict(pairs)
    if len(names) < len(pairs):
        raise RefusedJson("An object has the same key twice.")
    return names


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise RefusedJson(f"A number has more than {MAX_DIGITS} digits.")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits[:400])
    if len(digits) > 400 or number in (float("inf"), float("-inf")):
        raise RefusedJson("A number is too large or has too many digits.")
    return number


def _constant(name: str) -> Any:
    raise MalformedJson(f"{name} is not a JSON value.")


def _check_values(value: Any) -> None:
    """Level by level, so that the depth of a value cannot exhaust the stack."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise RefusedJson(f"The JSON is nested more than {MAX_DEPTH} levels deep.")


def _children(value: Any) -> list[Any]:
    if isinstance(value, str):
        _check_text(value)
    if isinstance(value, dict):
        for name in value:
            _check_text(name)
        return list(value.values())
    return value if isinstance(value, list) else []


def _check_text(text: str) -> None:
    if UNSTORABLE.search(text):
        raise RefusedJson("A text contains the character NUL or half of a surrogate pair.")
