"""Schedules by HTTP: add, pause, resume, run, delete."""

from __future__ import annotations

import httpx

SCHEDULES = "/api/v3/schedules"


async def test_a_schedule_is_added_paused_run_and_deleted(api: httpx.AsyncClient) -> None:
    body = {"name": "Fresh contacts", "kind": "crawl", "every_days": 7, "weekday": "monday"}
    answer = await api.post(SCHEDULES, json=body)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    path = f"{SCHEDULES}/{made['id']}"
    assert (made["about"], made["is_enabled"], made["last_outcome"]) == ("read every page again", True, None)
    assert (await api.post(SCHEDULES, json=body)).status_code == 409
    assert (await api.post(f"{path}/pause")).json()["is_enabled"] is False
    assert (await api.post(f"{path}/resume")).json()["is_enabled"] is True
    started = await api.post(f"{path}/run")
    assert (started.status_code, started.json()["last_outcome"]) == (202, "started")
    again = await api.post(f"{path}/run")
    assert (again.status_code, "is still open" in again.json()["detail"]) == (409, True)
    assert [row["id"] for row in (await api.get(SCHEDULES)).json()["items"]] == [made["id"]]
    assert (await api.delete(path)).status_code == 204
    assert (await api.get(path)).status_code == 404


async def test_wrong_days_and_times_are_refused(api: httpx.AsyncClient) -> None:
    good = {"name": "x", "kind": "crawl", "every_days": 7}
    for wrong in ({"every_days": 0}, {"time_of_day": "25:00"}, {"time_zone": "Mars/X"}, {"kind": "export"}):
        assert (await api.post(SCHEDULES, json=good | wrong)).status_code == 422, wrong


async def test_an_export_has_a_view_and_a_file(api: httpx.AsyncClient) -> None:
    view = (await api.post("/api/v3/views", json={"name": "Mine", "entity": "business"})).json()["id"]
    body = {"name": "Weekly", "kind": "export", "every_days": 7, "view_id": view, "file": "firms.xlsx"}
    assert (await api.post(SCHEDULES, json=body | {"file": "../firms.xlsx"})).status_code == 422
    made = await api.post(SCHEDULES, json=body)
    assert (made.status_code, made.json()["about"]) == (201, "write the view Mine to firms.xlsx")
