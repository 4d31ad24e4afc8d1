"""Encodes calls and results as plain data: a result can only hold values of the declared type."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from inspect import signature
from operator import attrgetter
from typing import Any, get_type_hints

import orjson
from pydantic import TypeAdapter

# Status and size of what follows.
HEADER = struct.Struct(">BQ")
OK, ERROR = 0, 1

_SIZE = struct.Struct(">Q")


@lru_cache(maxsize=64)
def _adapters(function: Callable[..., Any]) -> tuple[list[str], dict[str, TypeAdapter[Any]]]:
    """A function's parameters, and the adapters that convert their values and the result."""
    hints = get_type_hints(function)
    names = list(signature(function).parameters)
    if not {*names, "return"} <= hints.keys():
        raise TypeError(f"{function.__qualname__} needs annotations to run in a parser process")
    return names, {name: TypeAdapter(hint) for name, hint in hints.items()}


def encode_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[bytes]:
    """A call as JSON, followed by the bytes among its arguments, which are not copied."""
    names, adapters = _adapters(function)
    arguments = dict(zip(names, args, strict=False)) | kwargs
    raw = {name: value for name, value in arguments.items() if isinstance(value, bytes)}
    plain = {
        name: adapters[name].dump_python(value, mode="json", warnings="error")
        for name, value in arguments.items()
        if name not in raw
    }
    sizes = {name: len(value) for name, value in raw.items()}
    head = orjson.dumps([function.__module__, function.__qualname__, plain, sizes])
    return [_SIZE.pack(len(head)), head, *raw.values()]


def run_encoded_call(call: bytes) -> bytes:
    """Run a call in the parser process and encode its result."""
    (size,) = _SIZE.unpack_from(call)
    at = _SIZE.size + size
    module, name, plain, sizes = orjson.loads(call[_SIZE.size : at])
    function = attrgetter(name)(import_module(module))
    _, adapters = _adapters(function)
    arguments = {key: adapters[key].validate_python(value) for key, value in plain.items()}
    for key, length in sizes.items():
        arguments[key] = call[at : at + length]
        at += length
    return adapters["return"].dump_json(function(**arguments), warnings="error")


def decode_result(function: Callable[..., Any], content: bytes) -> Any:
    """The result of a call, as the type that the function declares."""
    return _adapters(function)[1]["return"].validate_json(content)


def encode_error(error: BaseException) -> bytes:
    return orjson.dumps([type(error).__name__, str(error)[:500].encode("utf-8", "replace").decode("utf-8")])


def decode_error(content: bytes) -> tuple[str, str]:
    name, message = orjson.loads(content)
    return str(name), str(message)
