"""The OpenAPI document says exactly what the routes do."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import jsonschema_rs
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api.openapi.document import openapi_document
from scrapersky.api.openapi.examples import resolve as resolve_in
from scrapersky.api.problem_types import PROBLEM_TYPES
from scrapersky.errors import ActionError
from webhook_lab import add_workflow, sign

sys.path.insert(0, str(Path(__file__).parents[2]))
from source_code import python_files, tree, where

# Answers whose shape nothing smaller than themselves describes.
FREE_FORM = {"get_openapi_document"}
# Their bodies hold what only the installation itself can give.
OWN_TOKENS = {"/api/v3/setup", "/api/v3/session"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in openapi_document()["paths"].items():
        for method, operation in item.items():
            yield method, path, operation


def resolve(node: dict[str, Any]) -> dict[str, Any]:
    return resolve_in(openapi_document(), node)


def names(faulty: list[tuple[str, str, Any]]) -> str:
    return "\n".join(f"{method.upper()} {path}" for method, path, _ in faulty)


def test_every_operation_has_a_summary_and_a_tag_with_a_description() -> None:
    tags = {tag["name"]: tag["description"] for tag in openapi_document()["tags"]}
    faulty = [entry for entry in operations() if not entry[2]["summary"]]
    assert not faulty, "Without a docstring:\n" + names(faulty)
    faulty = [entry for entry in operations() if not tags.get(entry[2].get("tags", [""])[0])]
    assert not faulty, "Without a tag on the router:\n" + names(faulty)


def test_operation_ids_are_unique_names() -> None:
    ids = Counter(operation["operationId"] for _, _, operation in operations())
    assert not [name for name, number in ids.items() if number > 1 or not name.isidentifier()]
    # A client has all operations side by side: `delete_page`, never `prune` or `delete_many`.
    vague = ("_one", "_many", "_all")
    assert not [name for name in ids if "_" not in name or name.endswith(vague)]


def test_every_list_has_one_shape() -> None:
    for method, path, operation in operations():
        if operation["operationId"].startswith("list_") and operation["operationId"] != "list_table_rows":
            schema = resolve(operation["responses"]["200"]["content"]["application/json"]["schema"])
            fields = {"items", "next", "total", "total_exact"}
            assert set(schema.get("properties", ())) == fields, (method, path)


def test_every_operation_describes_its_answer() -> None:
    """A response model, a declared media type, or no content at all."""
    faulty = []
    for method, path, operation in operations():
        good = {status: answer for status, answer in operation["responses"].items() if status < "300"}
        for status, answer in good.items():
            contents = answer.get("content", {})
            is_described = status == "204" or any(
                media != "application/json" or resolve(content.get("schema", {}))
                for media, content in contents.items()
            )
            if not is_described and operation["operationId"] not in FREE_FORM:
                faulty.append((method, path, status))
    assert not faulty, "Add a response model:\n" + names(faulty)


def test_every_operation_has_its_problems() -> None:
    for method, path, operation in operations():
        answers = operation["responses"]
        problems = {status: resolve(answer) for status, answer in answers.items() if status >= "400"}
        # A login has no security scheme and is still refused: a wrong password, too many of them.
        assert {"401", "403", "422", "429", "503"} <= set(problems), (method, path)
        assert ("404" in problems) >= ("{" in path), (method, path)
        for problem in problems.values():
            assert "application/problem+json" in problem["content"], (method, path)


def test_every_json_body_has_an_example_that_is_valid() -> None:
    document = openapi_document()
    for method, path, operation in operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None:
            schema = {**content["schema"], "components": document["components"]}
            jsonschema_rs.validate(schema, content["example"])
            assert content["example"] or content["example"] == {}, (method, path)


def test_every_body_but_a_webhooks_refuses_unknown_fields() -> None:
    """Workflows of other programs pass on more fields than we know; a client of ours mistyped one."""
    faulty = [
        (method, path, content)
        for method, path, operation in operations()
        for media, content in operation.get("requestBody", {}).get("content", {}).items()
        if media == "application/json"
        and resolve(content["schema"]).get("type") == "object"
        and resolve(content["schema"]).get("additionalProperties") is not ("/webhooks/n8n/" in path)
    ]
    assert not faulty, "Derive the body from scrapersky.api.models.Body:\n" + names(faulty)


def test_every_post_takes_an_idempotency_key() -> None:
    for method, path, operation in operations():
        named = {parameter["name"] for parameter in operation.get("parameters", [])}
        assert ("Idempotency-Key" in named) == (method == "post" and bool(operation["security"])), (
            method,
            path,
        )


def problem_titles() -> Iterator[tuple[str, str]]:
    for path in python_files("src"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Problem":
                title = node.args[1] if len(node.args) > 1 else None
                if isinstance(title, ast.Constant):
                    yield str(title.value), where(path, node)


def subclasses(parent: type[ActionError]) -> Iterator[type[ActionError]]:
    yield parent
    for child in parent.__subclasses__():
        yield from subclasses(child)


def test_every_problem_is_explained() -> None:
    known = {problem.title for problem in PROBLEM_TYPES}
    unknown = {f"{place} {title}" for title, place in problem_titles() if title not in known}
    unknown |= {error.__name__ for error in subclasses(ActionError) if error.title not in known}
    assert not unknown, "Add the title to api/problem_types.py:\n" + "\n".join(sorted(unknown))


async def test_the_document_is_served(api: httpx.AsyncClient) -> None:
    answer = await api.get("/api/v3/openapi.json")
    assert answer.json() == openapi_document()
    assert answer.json()["openapi"].startswith("3.1")


@pytest.mark.parametrize("path", ["/docs", "/docs/problems"])
async def test_the_pages_need_no_script_and_no_other_host(api: httpx.AsyncClient, path: str) -> None:
    page = await api.get(path)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for forbidden in ("<script", "http://", "https://", "style=", "onclick"):
        assert forbidden not in page.text


async def test_the_pages_have_every_operation_and_every_problem(api: httpx.AsyncClient) -> None:
    reference, problems = (await api.get("/docs")).text, (await api.get("/docs/problems")).text
    for method, path, _ in operations():
        assert f"<code>{method.upper()} {path}</code>" in reference
    for problem in PROBLEM_TYPES:
        assert f'<h2 id="{problem.slug}">' in problems


def test_one_address_has_one_spelling() -> None:
    """OpenAPI forbids two paths that differ in the names of their parameters only."""
    paths = Counter(re.sub(r"\{\w+\}", "{}", path) for path in openapi_document()["paths"])
    assert not [path for path, number in paths.items() if number > 1]


async def test_the_server_accepts_every_example_of_a_body(
    open_api: Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]],
    places_file: str,
    api_key: str,
    db: AsyncEngine,
) -> None:
    """A reader who copies an example gets an answer about rows (404, 409), never about its form."""
    async with open_api(overture_path=places_file) as api:
        refused = await refused_examples(api, api_key, await add_workflow(db))
    assert not refused, "\n".join(refused)


async def refused_examples(api: httpx.AsyncClient, api_key: str, webhook_secret: str) -> list[str]:
    refused = []
    for method, path, operation in operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None or path in OWN_TOKENS:
            continue
        example = (
            content["example"] if "example" in content else next(iter(content["examples"].values()))["value"]
        )
        address = re.sub(r"\{[^}]*\}", str(UUID(int=5)), path)
        body = json.dumps(example).encode()
        headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
        if "/webhooks/" in path:
            headers = sign(webhook_secret, body, message=path)
        answer = await api.request(method, address, content=body, headers=headers)
        if answer.status_code in (400, 401, 403, 415, 422):
            refused.append(f"{method.upper()} {path}: {answer.json()} for {example}")
    return refused
