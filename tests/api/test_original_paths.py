"""The tables of original paths and parameters name what exists."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

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


@pytest.mark.parametrize(
    "address",
    [
        "/local-businesses?business_name=x&sort=updated_at:desc&page=1&size=200",
        "/domains?domain_filter=x&sort=-domain",
        "/sitemap-files/?url_contains=x&deep_scrape_curation_status=New&sitemap_type=index",
        "/pages/?url_contains=x&page_type=about&page_curation_status=New",
        "/contacts?email_contains=@gmail.&name_contains=x&email_type=person&email_validation_status=Queued",
        "/places/staging?status=New&discovery_job_id=00000000-0000-0000-0000-000000000001",
        "/deliveries?destination_id=00000000-0000-0000-0000-000000000001&status=Queued",
    ],
)
async def test_the_parameters_of_the_original_are_taken(api: httpx.AsyncClient, address: str) -> None:
    answer = await api.get(f"/api/v3{address}", follow_redirects=True)
    assert (answer.status_code, answer.json()["items"]) == (200, []), answer.text
