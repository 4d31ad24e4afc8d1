"""The OpenAPI document as people read it: operations by subject, with parameters, fields and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from scrapersky.api.openapi.document import ROLE, openapi_document
from scrapersky.api.openapi.examples import Node, resolve


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter of an operation or a field of its body."""

    name: str
    place: str
    kind: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class OperationEntry:
    method: str
    path: str
    summary: str
    description: str
    values: list[Value]
    answers: dict[str, str]
    # The lowest role that may call it; empty where everybody may.
    role: str

    @property
    def anchor(self) -> str:
        return (
            f"{self.method} {self.path}".lower().replace(" ", "-").translate(dict.fromkeys(map(ord, "{}/")))
        )


@dataclass(frozen=True, slots=True)
class ReferenceSection:
    name: str
    description: str
    operations: list[OperationEntry]


def reference_sections() -> list[ReferenceSection]:
    document = openapi_document()
    operations: dict[str, list[OperationEntry]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            entry = _entry(document, method.upper(), path, operation)
            operations.setdefault(operation["tags"][0], []).append(entry)
    return [
        ReferenceSection(tag["name"], tag["description"], operations.get(tag["name"], []))
        for tag in document["tags"]
    ]


def _entry(document: Node, method: str, path: str, operation: Node) -> OperationEntry:
    description = operation["description"]
    return OperationEntry(
        method,
        path,
        operation["summary"],
        "" if description.rstrip(".") == operation["summary"] else description.replace("\n", " "),
        [*_parameters(document, operation), *_fields(document, operation)],
        {
            status: str(resolve(document, answer)["description"])
            for status, answer in operation["responses"].items()
        },
        operation.get(ROLE, ""),
    )


def _parameters(document: Node, operation: Node) -> Iterator[Value]:
    for parameter in operation.get("parameters", []):
        yield Value(
            parameter["name"],
            parameter["in"],
            _describe(document, parameter["schema"]),
            parameter.get("required", False),
            parameter.get("description", ""),
        )


def _fields(document: Node, operation: Node) -> Iterator[Value]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = resolve(document, content["schema"])
        for name, field in schema.get("properties", {}).items():
            is_required = name in schema.get("required", [])
            yield Value(name, "body", _describe(document, field), is_required, field.get("description", ""))


def _describe(document: Node, schema: Node) -> str:
    """The type with its limits and its default, such as "integer, 1 to 200, default 50"."""
    schema = resolve(document, schema)
    words = [_kind(document, schema), *_limits(schema)]
    if (default := schema.get("default")) not in (None, "", [], {}):
        words.append(f"default {json.dumps(default) if isinstance(default, bool) else default}")
    return ", ".join(words)


def _limits(schema: Node) -> Iterator[str]:
    """What a value or a list of values may be beyond its type."""
    for option in [schema, *schema.get("anyOf", [])]:
        if "minimum" in option and "maximum" in option:
            yield f"{option['minimum']:,} to {option['maximum']:,}"
        if "maxLength" in option:
            yield f"at most {option['maxLength']:,} characters"
        if "maxItems" in option:
            yield f"at most {option['maxItems']:,} values"


def _kind(document: Node, schema: Node) -> str:
    """The type in a few words, such as "array of integer" or "one of New, Selected"."""
    schema = resolve(document, schema)
    if choices := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return "one of " + ", ".join(map(str, choices))
    if several := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(document, option) for option in several))
    kind = str(schema.get("format") or schema.get("type", "any"))
    return f"array of {_kind(document, schema['items'])}" if kind == "array" and "items" in schema else kind
