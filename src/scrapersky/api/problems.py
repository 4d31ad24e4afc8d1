"""Errors as RFC 9457 problems: one shape for refused input, refused actions and unexpected failures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from scrapersky.api.problem_types import PROBLEM_TYPES, type_of, type_of_status
from scrapersky.engine.database import is_transient, sqlstate
from scrapersky.errors import ActionError, TooManyRequests

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "5"
CHALLENGE = 'Bearer realm="ScraperSky"'
# A hostile body can be wrong in a hundred thousand places; the first ones are enough to fix it.
MAX_ERRORS, MAX_FAULTS = 20, 200
MAX_DETAIL = 500
OR = "; or: "
PLAIN_MESSAGES = {"extra_forbidden": "Unknown field", "model_attributes_type": "Input should be an object"}
# Out of range, wrong encoding; a column that is not null; a check of lengths or dates.
UNSTORABLE_SQLSTATES = ("22", "23502", "23514")
# Where FastAPI says that a value came from; the rest of its location is the path to the value.
PARAMETER_PLACES = frozenset({"query", "path", "header", "cookie"})


class InvalidValue(BaseModel):
    """A wrong value: where it is, what is wrong, and a code for programs."""

    pointer: str = Field(description="A JSON pointer into the body, or the name of a parameter.")
    detail: str
    code: str


class ProblemDetails(BaseModel):
    """The answer to a request that failed (RFC 9457); some problems have further fields."""

    model_config = ConfigDict(title="Problem", extra="allow")

    type: str = Field(description="Where the problem is explained, such as /docs/problems#not-found.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The correlation id: what the log has about it.")
    errors: list[InvalidValue] | None = None


class Problem(Exception):
    """Ends the request with this answer; its type is the heading in `/docs/problems` of the same title."""

    def __init__(self, status: int, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.body = {"type": type_of(title), "title": title, "status": status, "detail": detail, **more}
        self.headers: dict[str, str] = {}

    def with_headers(self, **headers: str) -> Problem:
        self.headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self


def add_problem_handlers(web: FastAPI) -> None:
    handlers: dict[type[Exception], Callable[[Request, Any], Problem]] = {
        Problem: lambda request, problem: problem,
        ActionError: _from_action_error,
        RequestValidationError: _from_invalid_request,
        HTTPException: _from_http_error,
    }
    for error, make in handlers.items():
        web.add_exception_handler(error, _handler(make))


def _handler(make: Callable[[Request, Any], Problem]) -> Any:
    async def handle(request: Request, error: Exception) -> Response:
        return respond(request, make(request, error))

    return handle


def respond(request: Request, problem: Problem) -> Response:
    """The problem as JSON; the web application may have pages of its own for browsers."""
    page = getattr(request.app.state, "problem_page", None) if "app" in request.scope else None
    if page and (response := page(request, problem)):
        answer: Response = response
        return answer
    body = {**problem.body, "instance": request.state.correlation_id}
    return JSONResponse(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers)


def respond_unexpected(request: Request, error: Exception) -> Response:
    """The answer to an error that nobody expected; the reason is only in the log."""
    return respond(request, _from_unexpected(error))


def _from_unexpected(error: Exception) -> Problem:
    state = sqlstate(error)
    if state == "57014":
        return Problem(503, "Timeout", "The database did not answer in time.").with_headers(
            Retry_After=RETRY_AFTER
        )
    if is_transient(error):
        detail = "The database is unavailable; try again later."
        return Problem(503, "Unavailable", detail).with_headers(Retry_After=RETRY_AFTER)
    if state.startswith(UNSTORABLE_SQLSTATES):
        return Problem(422, "Invalid input", "A value cannot be stored.")
    # Two requests at once can pass every check and still meet in the database.
    if state.startswith("23"):
        return Problem(409, "Conflict", "Another row conflicts with this change.")
    return Problem(500, "Internal error", "Something went wrong; the log has the details.")


def _from_action_error(request: Request, error: ActionError) -> Problem:
    problem = Problem(error.status, error.title, str(error), **error.details)
    if isinstance(error, TooManyRequests):
        return problem.with_headers(Retry_After=str(error.retry_after))
    if error.status == 401:
        return problem.with_headers(WWW_Authenticate=CHALLENGE)
    return problem


def _from_http_error(request: Request, error: HTTPException) -> Problem:
    problem_type = type_of_status(error.status_code)
    # The framework has no more to say than the name of the status.
    detail = "" if error.detail in {status.phrase for status in HTTPStatus} else str(error.detail)
    problem = Problem(error.status_code, problem_type.title, detail or problem_type.meaning)
    problem.headers = dict(error.headers or {})
    if error.status_code == 405:
        problem.headers["Allow"] = ", ".join(allowed_methods(request))
    return problem


def allowed_methods(request: Request) -> list[str]:
    """Every method of the path; the framework names those of its first route only."""
    path = request.scope["path"]
    routes = [
        route
        for route in iter_route_contexts(request.app.routes)
        if route.methods and re.fullmatch(route.path_regex, path)
    ]
    # A path such as /jobs/prune is also one for a job that is called so, which cannot be.
    same = [route for route in routes if route.path == path]
    return sorted({method for route in same or routes for method in route.methods or ()})


def _from_invalid_request(request: Request, error: RequestValidationError) -> Problem:
    faults: dict[str, dict[str, str]] = {}
    all_faults = error.errors()
    for fault in all_faults[:MAX_FAULTS]:
        error_entry = _fault(fault, error.body)
        # A value of several possible types is one fault, not one for each type.
        if known := faults.get(error_entry["pointer"]):
            alternatives = dict.fromkeys([*known["detail"].split(OR), error_entry["detail"]])
            known["detail"] = OR.join(alternatives)[:MAX_DETAIL]
        else:
            faults[error_entry["pointer"]] = error_entry
    total = len(faults) if len(all_faults) <= MAX_FAULTS else len(all_faults)
    return invalid_input(list(faults.values())[:MAX_ERRORS], total=total)


def invalid_input(errors: Sequence[dict[str, str]], *, total: int | None = None) -> Problem:
    """A problem that names each wrong value by its JSON pointer or parameter."""
    number = total if total is not None else len(errors)
    detail = "One value is invalid." if number == 1 else f"{number} values are invalid."
    return Problem(422, "Invalid input", detail, errors=list(errors))


def _fault(fault: dict[str, Any], body: Any = None) -> dict[str, str]:
    place, *path = fault["loc"]
    code = str(fault["type"])
    if place in PARAMETER_PLACES:
        pointer = ".".join(map(str, path))
    else:
        is_absent = code == "missing"
        named = [*_path_in_body(body, path[:-1] if is_absent else path), *(path[-1:] if is_absent else ())]
        pointer = "".join(f"/{_escape(str(part))}" for part in named)
    is_body = code == "missing" and not path
    detail = "The body is missing; send a JSON object" if is_body else _plain(code, str(fault["msg"]))
    return {"pointer": pointer, "detail": detail[:MAX_DETAIL], "code": code}


def _path_in_body(body: Any, path: Sequence[Any]) -> Iterator[Any]:
    """The part of a path that leads through the body; the rest names types that the value could have."""
    if not isinstance(body, dict | list):
        # A form, or a fault that was found before the body was read.
        yield from path
        return
    for part in path:
        try:
            body = body[part]
        except (KeyError, IndexError, TypeError):
            return
        yield part


def _plain(code: str, message: str) -> str:
    """The message without what only readers of our source would understand."""
    if code in PLAIN_MESSAGES and message.startswith(("Extra", "Input")):
        return PLAIN_MESSAGES[code]
    message = message.removeprefix("Value error, ")
    return message[:1].upper() + message[1:]


def _escape(part: str) -> str:
    """As RFC 6901 has it; a key may be as long as the whole body."""
    return part.replace("~", "~0").replace("/", "~1")[:200]


__all__ = ["MEDIA_TYPE", "PROBLEM_TYPES", "Problem", "add_problem_handlers", "invalid_input", "respond"]
