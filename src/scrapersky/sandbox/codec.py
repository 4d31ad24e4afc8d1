"""Packs calls and results as plain data: what comes back can only be values of the declared type."""

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

HEAD = struct.Struct(">BQ")
DONE, FAILED = 0, 1

_SIZE = struct.Struct(">Q")


@lru_cache(maxsize=64)
def _adapters(function: Callable[..., Any]) -> tuple[list[str], dict[str, TypeAdapter[Any]]]:
    """The names of a function's parameters, and what turns their values and the result into plain data."""
    hints = get_type_hints(function)
    names = list(signature(function).parameters)
    if not {*names, "return"} <= hints.keys():
        raise TypeError(f"{function.__qualname__} needs annotations to be run in a reading process")
    return names, {name: TypeAdapter(hint) for name, hint in hints.items()}


def packed_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[bytes]:
    """A call as JSON, with the bytes among its arguments behind it as they are, not copied."""
    names, adapters = _adapters(function)
    given = dict(zip(names, args, strict=False)) | kwargs
    raw = {name: value for name, value in given.items() if isinstance(value, bytes)}
    plain = {
        name: adapters[name].dump_python(value, mode="json", warnings="error")
        for name, value in given.items()
        if name not in raw
    }
    sizes = {name: len(value) for name, value in raw.items()}
    head = orjson.dumps([function.__module__, function.__qualname__, plain, sizes])
    return [_SIZE.pack(len(head)), head, *raw.values()]


def run_call(call: bytes) -> bytes:
    """Run a packed call, in the reading process, and pack what it returned."""
    (size,) = _SIZE.unpack_from(call)
    at = _SIZE.size + size
    module, name, plain, sizes = orjson.loads(call[_SIZE.size : at])
    function = attrgetter(name)(import_module(module))
    _, adapters = _adapters(function)
    given = {key: adapters[key].validate_python(value) for key, value in plain.items()}
    for key, length in sizes.items():
        given[key] = call[at : at + length]
        at += length
    return adapters["return"].dump_json(function(**given), warnings="error")


def unpacked_result(function: Callable[..., Any], content: bytes) -> Any:
    """What a packed call returned, as the type the function declares."""
    return _adapters(function)[1]["return"].validate_json(content)


def packed_failure(why: BaseException) -> bytes:
    return orjson.dumps([type(why).__name__, str(why)[:500].encode("utf-8", "replace").decode("utf-8")])


def unpacked_failure(content: bytes) -> tuple[str, str]:
    name, message = orjson.loads(content)
    return str(name), str(message)
