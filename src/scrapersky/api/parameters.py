"""Checks the query parameters and form fields of every route: none is unknown, repeated or oddly spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Cookie, Header
from fastapi.routing import APIRoute
from starlette.datastructures import FormData

# Python reads `1_000`, ` 10 ` and `٣` as numbers, and `on` as true; other programs do not.
INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
BOOLEAN = re.compile(r"true|false")
SPELLINGS: Mapping[type, tuple[re.Pattern[str], str]] = {
    bool: (BOOLEAN, "Input should be true or false"),
    int: (INTEGER, "Input should be a whole number of at most 18 digits"),
}

_DECLARED: dict[int, dict[str, Any]] = {}


async def check_parameters(request: Request) -> None:
    """Raise if a query parameter or form field is unknown, repeated, misspelled or contains NUL."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    # Routes are not hashable, and live as long as their module.
    declared = _DECLARED.get(id(route)) or _DECLARED.setdefault(id(route), _types(route))
    faults = [*_query_faults(request, declared), *_path_faults(request)]
    if request.headers.get("content-type", "").startswith("multipart/"):
        # Parsed already, and kept by the request.
        faults += _form_faults(await request.form(), route)
    if faults:
        raise RequestValidationError(faults)


def _types(route: APIRoute) -> dict[str, Any]:
    """The type of every parameter that the route declares, by its name in the address."""
    fields = get_flat_params(route.dependant)
    return {
        field.alias: field.field_info.annotation
        for field in fields
        if not isinstance(field.field_info, Header | Cookie)
    }


def _query_faults(request: Request, declared: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in dict.fromkeys(request.query_params):
        values = request.query_params.getlist(name)
        if name not in declared or name in request.path_params:
            known = ", ".join(key for key in declared if key not in request.path_params) or "none"
            yield _fault("query", name, "extra_forbidden", f"Unknown parameter; known: {known}"[:500])
        elif len(values) > 1 and not _is_list(declared[name]):
            yield _fault("query", name, "repeated", "The parameter is repeated")
        else:
            yield from _value_faults("query", name, values, declared[name])


def _form_faults(form: FormData, route: APIRoute) -> Iterator[dict[str, Any]]:
    declared = {field.alias: field.field_info.annotation for field in route.dependant.body_params}
    for name in dict.fromkeys(form):
        values = form.getlist(name)
        if name not in declared:
            known = ", ".join(declared) or "none"
            yield _fault("body", name, "extra_forbidden", f"Unknown field; known: {known}"[:500])
        elif len(values) > 1:
            yield _fault("body", name, "repeated", "The field is repeated")
        else:
            texts = [value for value in values if isinstance(value, str)]
            yield from _value_faults("body", name, texts, declared[name])


def _value_faults(place: str, name: str, values: list[str], annotation: Any) -> Iterator[dict[str, Any]]:
    kinds = set(_kinds(annotation))
    for value in values:
        if "\0" in value:
            yield _fault(place, name, "string_nul", "A text contains the character NUL")
        for kind, (spelling, message) in SPELLINGS.items():
            if kind in kinds and str not in kinds and not spelling.fullmatch(value):
                yield _fault(place, name, f"{kind.__name__}_parsing", message)


def _path_faults(request: Request) -> Iterator[dict[str, Any]]:
    for name, value in request.path_params.items():
        if "\0" in str(value):
            yield _fault("path", name, "string_nul", "A text contains the character NUL")


def _kinds(annotation: Any) -> Iterator[Any]:
    """The plain types in an annotation such as `list[int] | None`."""
    arguments = get_args(annotation)
    if not arguments:
        yield annotation
    for argument in arguments:
        yield from _kinds(argument)


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation)
    return origin in (list, set, tuple) or any(_is_list(argument) for argument in get_args(annotation))


def _fault(place: str, name: str, kind: str, message: str) -> dict[str, Any]:
    return {"type": kind, "loc": (place, name[:200]), "msg": message, "input": None}
