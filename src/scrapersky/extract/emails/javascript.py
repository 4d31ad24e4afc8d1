"""Evaluates string expressions of simple JavaScript without running it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

MAX_SCRIPT = 12_000
_MAX_TOKENS = 12_000
_MAX_VALUE = 5_000
_MAX_DEPTH = 20

_TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`|[A-Za-z_$][\w$]*|\d+|\s+|//[^\n]*|.""",
    re.S,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4})\}?|([0-7]{1,3})|(.))", re.S)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " ", "v": " ", "\n": ""}
_DECODERS = frozenset(("unescape", "decodeURIComponent", "decodeURI", "atob"))

_PLACEHOLDER = re.compile(r"\$\{\s*([A-Za-z_$][\w$]*)\s*\}")


@dataclass(slots=True)
class _Reader:
    """A list of tokens with a place in it, and the variables known so far."""

    tokens: list[str]
    names: dict[str, str] = field(default_factory=dict)
    at: int = 0
    depth: int = 0
    joined: bool = False

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def takes(self, *expected: str) -> bool:
        """Step over the tokens if they are the next ones."""
        if self.tokens[self.at : self.at + len(expected)] != list(expected):
            return False
        self.at += len(expected)
        return True


def evaluate_strings(script: str) -> Iterator[tuple[str, bool]]:
    """Every string a script names or builds, and whether it was put together from pieces."""
    tokens = [word for word in _TOKEN.findall(script[:MAX_SCRIPT]) if not word.isspace() and word[:2] != "//"]
    reader = _Reader(tokens[:_MAX_TOKENS])
    while reader.at < len(reader.tokens):
        target, adding = _target(reader)
        before = reader.at
        reader.joined = False
        value = _concatenation(reader)
        if value is None or reader.at == before:
            reader.at = before + 1
            continue
        if target:
            known = reader.names.get(target, "") if adding else ""
            reader.joined = reader.joined or bool(known)
            value = (known + value)[:_MAX_VALUE]
            reader.names[target] = value
        if len(value) > 1:
            yield value, reader.joined


def unescape_javascript(text: str) -> str:
    """A JavaScript string literal's content with its escapes undone."""
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _escape(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    if code:
        character = chr(int(code, 16))
        return "" if 0xD800 <= ord(character) <= 0xDFFF else character
    if match.group(3):
        return chr(int(match.group(3), 8))
    return _PLAIN_ESCAPES.get(match.group(4), match.group(4))


def _target(reader: _Reader) -> tuple[str, bool]:
    """The variable that the expression after it is assigned to, if one is."""
    name = reader.peek()
    if not (name[:1].isalpha() or name[:1] in "_$") or name in ("String", "document"):
        return "", False
    if reader.peek(1) == "=" and reader.peek(2) != "=":
        reader.at += 2
        return name, False
    if reader.peek(1) == "+" and reader.peek(2) == "=":
        reader.at += 3
        return name, True
    return "", False


def _concatenation(reader: _Reader) -> str | None:
    """The value of strings joined by plus signs; it ends where something unknown stands."""
    value = _term(reader)
    if value is None:
        return None
    while reader.peek() == "+" and reader.peek(1) not in ("+", "="):
        before = reader.at
        reader.at += 1
        more = _term(reader)
        if more is None:
            reader.at = before + 1
            break
        value = (value + more)[:_MAX_VALUE]
        reader.joined = True
    return value


def _term(reader: _Reader) -> str | None:
    """One operand with the methods called on it."""
    if reader.depth > _MAX_DEPTH:
        return None
    reader.depth += 1
    value = _operand(reader)
    reader.depth -= 1
    return _with_methods(reader, value) if isinstance(value, list) or value is not None else None


def _operand(reader: _Reader) -> str | list[str] | None:
    word = reader.peek()
    if word[:1] in "\"'`" and len(word) >= 2:
        reader.at += 1
        text = unescape_javascript(word[1:-1])
        return _filled(reader, text) if word[0] == "`" and "${" in text else text
    if word.isdigit():
        reader.at += 1
        return word
    if word == "(":
        reader.at += 1
        value = _concatenation(reader)
        return value if reader.takes(")") else None
    if word == "[":
        return _list(reader)
    if reader.takes("String", ".", "fromCharCode"):
        reader.joined = True
        return _characters(reader)
    while reader.peek() in ("window", "this", "self") and reader.peek(1) == ".":
        reader.at += 2
    word = reader.peek()
    if word in _DECODERS and reader.peek(1) == "(":
        return _decoded(reader, word)
    if word in reader.names and reader.peek(1) not in ("=", "("):
        reader.at += 1
        return reader.names[word]
    return None


def _filled(reader: _Reader, text: str) -> str:
    """A template with the strings that its names stand for."""
    reader.joined = True
    return _PLACEHOLDER.sub(lambda place: reader.names.get(place[1], place[0]), text)[:_MAX_VALUE]


def _list(reader: _Reader) -> list[str] | None:
    """The strings of a list; it must be all strings."""
    reader.at += 1
    values: list[str] = []
    while reader.peek() and len(values) < 500:
        if reader.takes("]"):
            return values
        value = _concatenation(reader)
        if value is None:
            return None
        values.append(value)
        reader.takes(",")
    return None


def _characters(reader: _Reader) -> str | None:
    """String.fromCharCode with numbers, sums and differences of numbers, or a list by apply."""
    if reader.takes(".", "apply", "("):
        reader.at += 2
    if not reader.takes("("):
        reader.takes("[")
    codes: list[int] = []
    sign = 1
    fresh = True
    while reader.peek() and len(codes) < 500:
        word = reader.peek()
        reader.at += 1
        if word.isdigit():
            number = sign * int(word[:7])
            if fresh:
                codes.append(number)
            else:
                codes[-1] += number
            fresh, sign = False, 1
        elif word == ",":
            fresh = True
        elif word in ("+", "-") and codes:
            sign = 1 if word == "+" else -1
        elif word in ")]":
            while word == "]" and reader.takes(")"):
                pass
            return "".join(chr(code) for code in codes if 0 < code < 0xD800)
        else:
            return None
    return None


def _decoded(reader: _Reader, name: str) -> str | None:
    reader.at += 2
    value = _concatenation(reader)
    if value is None or not reader.takes(")"):
        return None
    reader.joined = True
    if name != "atob":
        return unquote(value)
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def _with_methods(reader: _Reader, value: str | list[str] | None) -> str | None:
    """Apply split, reverse, join and replace as far as they are plain."""
    while reader.peek() == "." and reader.peek(2) == "(":
        method = reader.peek(1)
        before = reader.at
        reader.at += 3
        if method == "map" and isinstance(value, list) and _takes_codes(reader):
            reader.joined = True
            value = [chr(int(code)) for code in value if code.isdigit() and 0 < int(code[:7]) < 0xD800]
            continue
        arguments = _arguments(reader)
        applied = _applied(value, method, arguments)
        if applied is None:
            reader.at = before
            break
        value = applied
        reader.joined = True
    return value if isinstance(value, str) else None


def _takes_codes(reader: _Reader) -> bool:
    """Whether the function that a list is mapped with makes letters of codes; it is passed over."""
    depth, makes_letters = 1, False
    for place in range(reader.at, min(reader.at + 30, len(reader.tokens))):
        word = reader.tokens[place]
        depth += (word == "(") - (word == ")")
        makes_letters = makes_letters or word == "fromCharCode"
        if not depth:
            reader.at = place + 1
            return makes_letters
    return False


def _arguments(reader: _Reader) -> list[str] | None:
    values: list[str] = []
    while reader.peek():
        if reader.takes(")"):
            return values
        if reader.peek() == "/":
            values.append(_pattern(reader))
        else:
            value = _concatenation(reader)
            if value is None:
                return None
            values.append(value)
        reader.takes(",")
    return None


def _pattern(reader: _Reader) -> str:
    """The text of a regular expression without special signs; empty when it has any."""
    reader.at += 1
    text = ""
    while reader.peek() not in ("/", ""):
        text += reader.peek()
        reader.at += 1
    reader.at += 1
    if reader.peek() in ("g", "gi", "i"):
        reader.at += 1
    plain = re.sub(r"\\(.)", r"\1", text)
    return plain if not re.search(r"(?<!\\)[.*+?^$\[({|]", text) else ""


def _applied(
    value: str | list[str] | None, method: str, arguments: list[str] | None
) -> str | list[str] | None:
    if arguments is None or value is None:
        return None
    first = arguments[0] if arguments else ""
    if method == "split" and isinstance(value, str):
        return list(value) if first == "" else value.split(first)
    if method == "reverse" and isinstance(value, list):
        return value[::-1]
    if method == "join" and isinstance(value, list):
        return (first if arguments else ",").join(value)[:_MAX_VALUE]
    if method == "concat" and isinstance(value, str):
        return (value + "".join(arguments))[:_MAX_VALUE]
    if method == "replace" and isinstance(value, str) and len(arguments) == 2 and first:
        return value.replace(first, arguments[1])
    if method in ("toString", "trim", "toLowerCase") and isinstance(value, str):
        return value
    return None
