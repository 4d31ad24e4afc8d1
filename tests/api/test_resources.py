"""What all resources have in common: what is created has an address, and null is never taken for left out."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

API = "/api/v3"
CREATED: dict[str, dict[str, Any]] = {
    "/contacts": {"domain": "shop.com", "email": "ada@shop.com"},
    "/sitemap-files": {"sitemap_url": "https://shop.com/sitemap.xml"},
    "/rules": {
        "entity": "page",
        "filter": {"page_type": "login"},
        "name": "No logins",
        "decision": "Rejected",
    },
    "/views": {"name": "Logins", "entity": "page", "query": {"page_type": "login"}},
    "/tenants": {"name": "Northern branch"},
    "/schedules": {"name": "Fresh contacts", "kind": "crawl", "every_days": 30},
}
# Fields that have no empty value.
NEVER_NULL = {
    "/rules": ("name", "filter", "decision", "is_enabled"),
    "/views": ("name", "query", "is_shared"),
    "/tenants": ("name", "description", "is_active", "quotas"),
    "/sitemap-files": ("priority_level",),
}


@pytest.mark.parametrize("path", CREATED)
async def test_what_is_created_is_found_at_its_location(api: httpx.AsyncClient, path: str) -> None:
    made = await api.post(f"{API}{path}", json=CREATED[path])
    assert made.status_code == 201, made.text
    found = await api.get(made.headers["location"])
    assert found.status_code == 200
    assert found.json()["id"] == made.json()["id"]
    if etag := made.headers.get("etag"):
        edited = await api.patch(made.headers["location"], json={"notes": "x"}, headers={"If-Match": etag})
        assert edited.status_code == 200, edited.text


@pytest.mark.parametrize("path", NEVER_NULL)
async def test_null_is_not_taken_for_a_field_that_was_left_out(api: httpx.AsyncClient, path: str) -> None:
    made = await api.post(f"{API}{path}", json=CREATED[path])
    for field in NEVER_NULL[path]:
        answer = await api.patch(made.headers["location"], json={field: None})
        assert answer.status_code == 422, field
        assert answer.json()["errors"][0]["pointer"] == f"/{field}"
    unchanged = await api.patch(made.headers["location"], json={})
    assert unchanged.status_code == 200, unchanged.text


@pytest.mark.parametrize("path", ["/contacts", "/sitemap-files"])
async def test_an_empty_change_changes_nothing(api: httpx.AsyncClient, path: str) -> None:
    made = await api.post(f"{API}{path}", json=CREATED[path])
    unchanged = await api.patch(made.headers["location"], json={})
    assert unchanged.headers["etag"] == made.headers["etag"]
    assert unchanged.json()["updated_at"] == made.json()["updated_at"]


async def test_only_the_mapping_of_a_user_can_be_null(api: httpx.AsyncClient) -> None:
    body = {"email": "ada@example.com", "password": "several random words together", "role": "admin"}
    made = await api.post(f"{API}/users", json=body)
    login = await api.post(f"{API}/session", json={name: body[name] for name in ("email", "password")})
    assert login.status_code == 204
    for field in ("name", "role", "is_active"):
        refused = await api.patch(made.headers["location"], json={field: None})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == f"/{field}"
    assert (await api.patch(made.headers["location"], json={"os_user": None})).status_code == 200
    password = {"password": "several other words together", "current_password": "wrong"}
    refused = await api.put(f"{made.headers['location']}/password", json=password)
    assert (refused.status_code, refused.json()["detail"]) == (403, "The current password is wrong")


@pytest.mark.parametrize("path", ["alerts", "users", "tenants", "contacts", "rules", "operations"])
async def test_an_id_that_is_none_is_an_address_of_nothing(api: httpx.AsyncClient, path: str) -> None:
    answer = await api.get(f"{API}/{path}/not-an-id")
    assert answer.status_code == 404
    assert "nothing at this address" in answer.json()["detail"]


async def test_a_sitemap_that_exists_is_named_in_the_conflict(api: httpx.AsyncClient) -> None:
    made, again = [await api.post(f"{API}/sitemap-files", json=CREATED["/sitemap-files"]) for _ in range(2)]
    assert (again.status_code, again.json()["id"]) == (409, made.json()["id"])
