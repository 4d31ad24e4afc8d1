"""The table of original paths names routes that exist."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

TABLE = Path(__file__).parents[2] / "docs" / "original-paths.md"
ROW = re.compile(r"^\| `(?P<original>[A-Z]+ [^`]+)` \| (?P<today>[^|]+) \| (?P<note>[^|]*)\|$")
ROUTE = re.compile(r"`([A-Z]+) ([^`]+)`")


async def test_every_path_of_the_table_is_a_route_or_says_why_not(api: httpx.AsyncClient) -> None:
    document = (await api.get("/api/v3/openapi.json")).json()
    routes = {
        (method.upper(), path.removeprefix("/api/v3"))
        for path, methods in document["paths"].items()
        for method in methods
    } | {("GET", "/health")}
    rows = [row for line in TABLE.read_text(encoding="utf-8").splitlines() if (row := ROW.match(line))]
    assert len(rows) > 60
    for row in rows:
        named = ROUTE.findall(row["today"])
        missing = [route for route in named if route not in routes]
        assert not missing, row["original"]
        assert named or (row["today"] == "not built" and row["note"].strip()), row["original"]
