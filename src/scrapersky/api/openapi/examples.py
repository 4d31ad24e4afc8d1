"""An example for every request body: the one that its model gives, or one made from its schema."""

from __future__ import annotations

from typing import Any
from uuid import UUID

Node = dict[str, Any]
BY_FORMAT = {
    "uuid": str(UUID(int=1)),
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "email": "ada@example.com",
    "uri": "https://example.com/",
}
BY_TYPE: dict[str, Any] = {"string": "example", "boolean": True, "number": 1.5, "null": None}


def resolve(document: Node, node: Node) -> Node:
    """What a reference of the document refers to."""
    while "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def example_of(document: Node, schema: Node) -> Any:
    """A short valid value: required fields only, or all of them where none is required."""
    schema = resolve(document, schema)
    if "examples" in schema or "default" in schema:
        return schema["examples"][0] if "examples" in schema else schema["default"]
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return example_of(document, options[0])
    if schema.get("type") == "array":
        return [example_of(document, schema["items"])] * max(1, schema.get("minItems", 0))
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        names = schema.get("required") or list(fields)
        return {name: example_of(document, fields[name]) for name in names}
    if schema.get("type") == "integer":
        return int(max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1))
    text = BY_FORMAT.get(schema.get("format", ""), BY_TYPE.get(schema.get("type", ""), "example"))
    return text.ljust(schema.get("minLength", 0), "x") if isinstance(text, str) else text
