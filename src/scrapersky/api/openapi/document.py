"""The OpenAPI document: what the routes declare, and what all of them have in common."""

from __future__ import annotations

import importlib
import pkgutil
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts

from scrapersky import __version__
from scrapersky.actions.accounts.api_keys import ROLES
from scrapersky.api import caller, etags, idempotency, routes
from scrapersky.api.context import PREFIX
from scrapersky.api.openapi.examples import example_of
from scrapersky.api.problem_types import ProblemType, type_of_status
from scrapersky.api.problems import MEDIA_TYPE, ProblemDetails
from scrapersky.api.session_cookie import SECURE_NAME

TITLE = "ScraperSky API"
DESCRIPTION = (
    "Everything that people and programs can do with ScraperSky. Errors are problems (RFC 9457), lists have"
    " cursors, every POST takes an Idempotency-Key, and single resources have an ETag. Unknown parameters and"
    " fields are errors."
)
SECURITY_SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key: `Authorization: Bearer ssky_…`."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SECURE_NAME,
        "description": "The session of a browser that has logged in.",
    },
}
CORRELATION_ID = {
    "description": "The id of the request in the log; send one of your own to find it there.",
    "schema": {"type": "string"},
}
IDEMPOTENCY_KEY = {
    "name": idempotency.HEADER,
    "in": "header",
    "required": False,
    "description": "Your name for this request; sent again within 24 hours it has no second effect.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
# The extension that names the lowest role that may call an operation.
ROLE = "x-required-role"
PROBLEM_STATUSES = (400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 503)
CHANGES = frozenset({"post", "put", "patch", "delete"})


def routers() -> Iterator[APIRouter]:
    """The router of every module in `routes`: a module there is a resource."""
    for module in sorted(pkgutil.iter_modules(routes.__path__), key=lambda module: module.name):
        yield importlib.import_module(f"{routes.__name__}.{module.name}").router


@cache
def openapi_document() -> dict[str, Any]:
    """The same document for every installation."""
    web = FastAPI(title=TITLE, version=__version__, description=DESCRIPTION, openapi_tags=_tags())
    for router in routers():
        web.include_router(router, prefix=PREFIX)
    with warnings.catch_warnings():
        # A route of two methods has one generated id; both get their own below.
        warnings.filterwarnings("ignore", "Duplicate Operation ID")
        document = web.openapi()
    _add_components(document)
    described = list(api_routes(web))
    names = Counter(name for context in described for name in [context.name] * len(context.methods or ()))
    for context in described:
        for method in context.methods or ():
            operation = document["paths"][context.path_format][method.lower()]
            _complete(operation, method.lower(), context)
            _add_example(document, operation)
            operation["operationId"] = _operation_id(context, method, is_unique=names[context.name] == 1)
    return document


def _add_example(document: dict[str, Any], operation: dict[str, Any]) -> None:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is not None and not {"example", "examples"} & set(content):
        content["example"] = example_of(document, content["schema"])


def _add_components(document: dict[str, Any]) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= schemas["Problem"].pop("$defs", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    components["securitySchemes"] = SECURITY_SCHEMES
    components["headers"] = {"X-Correlation-Id": CORRELATION_ID}
    usual = {problem.status: problem for problem in map(type_of_status, PROBLEM_STATUSES)}
    components["responses"] = {_component(problem): _problem_response(problem) for problem in usual.values()}


def _operation_id(context: RouteContext, method: str, *, is_unique: bool) -> str:
    """The name of the function, or method and path where several routes share one function."""
    if is_unique:
        return str(context.name)
    words = re.findall(r"[a-z0-9]+", str(context.path_format).removeprefix(PREFIX).lower())
    return "_".join([method.lower(), *words])


def api_routes(web: FastAPI) -> Iterator[RouteContext]:
    """The routes that the document describes."""
    for context in iter_route_contexts(web.routes):
        if isinstance(context.original_route, APIRoute) and context.include_in_schema:
            yield context


def _tags() -> list[dict[str, str]]:
    """Each tag with the sentence that its module begins with."""
    described: dict[str, str] = {}
    entries = pkgutil.walk_packages(routes.__path__, f"{routes.__name__}.")
    # Modules first: the sentence of their package is about all of them.
    for entry in sorted(entries, key=lambda entry: entry.ispkg):
        module = importlib.import_module(entry.name)
        sentence = (module.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        for tag in {str(tag) for route in iter_route_contexts(module.router.routes) for tag in route.tags}:
            is_named_so = module.__name__.split(".")[-1] == re.sub(r"\W", "_", tag)
            described[tag] = sentence if is_named_so else described.get(tag, sentence)
    return [{"name": tag, "description": text} for tag, text in sorted(described.items())]


def _complete(operation: dict[str, Any], method: str, context: RouteContext) -> None:
    """Add what FastAPI does not know: security, common headers, and the problems that can occur."""
    summary, _, rest = (context.description or "").partition("\n\n")
    operation |= {"summary": summary.replace("\n", " ").rstrip("."), "description": rest or summary}
    calls = set(_calls(context.dependant))
    is_protected = not caller.is_public(context.endpoint)
    operation["security"] = [{"key": []}, {"session": []}] if is_protected else []
    if roles := {call.role for call in calls if isinstance(call, caller.RoleCheck)}:
        operation[ROLE] = max(roles, key=ROLES.index)
    parameters = operation.setdefault("parameters", [])
    if method == "post" and is_protected:
        parameters.append(IDEMPOTENCY_KEY)
    if not parameters:
        del operation["parameters"]
    responses = operation["responses"]
    for status, response in responses.items():
        if status.startswith("2"):
            response["headers"] = {**response.get("headers", {}), **_headers(etags.Tagger in calls)}
    if etags.Tagger in calls:
        responses["304"] = {"description": "You have the current version."}
    responses.pop("422", None)
    for status in _problem_statuses(operation, method, calls):
        reference = f"#/components/responses/{_component(type_of_status(status))}"
        responses.setdefault(str(status), {"$ref": reference})
    operation["responses"] = dict(sorted(responses.items()))


def _headers(is_tagged: bool) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Correlation-Id": {"$ref": "#/components/headers/X-Correlation-Id"}}
    if is_tagged:
        headers["ETag"] = {"description": "The version of the resource.", "schema": {"type": "string"}}
    return headers


def _problem_statuses(operation: dict[str, Any], method: str, calls: set[Any]) -> Iterator[int]:
    """The problems that can occur: every route refuses unknown callers and parameters, and may be busy."""
    yield from (401, 403, 422, 429, 503)
    if any(parameter["in"] == "path" for parameter in operation.get("parameters", [])):
        yield 404
    if method in CHANGES:
        # The rows that a body names may be gone or in another state.
        yield from (404, 409)
    if "requestBody" in operation:
        yield from (400, 408, 413, 415)
    if etags.parse_if_match in calls:
        yield 412


def _component(problem: ProblemType) -> str:
    return problem.title.title().replace(" ", "")


def _problem_response(problem: ProblemType) -> dict[str, Any]:
    example = {
        "type": problem.address,
        "title": problem.title,
        "status": problem.status,
        "detail": problem.meaning,
        "instance": "4f0c1f3ad2b94d6fb1a6a1b7a1b1c0de",
    }
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}
    return {"description": problem.title, "content": {MEDIA_TYPE: content}}


def _calls(dependant: Dependant | None) -> Iterator[Any]:
    """What a route depends on, directly or not."""
    if dependant is not None:
        yield dependant.call
        for child in dependant.dependencies:
            yield from _calls(child)
