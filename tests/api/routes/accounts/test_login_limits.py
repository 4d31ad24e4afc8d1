"""Wrong passwords are limited by account, by address and over all (C8, C9)."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from people import PASSWORD, add_person, add_session, cookie, log_in
from scrapersky import tables
from scrapersky.actions.accounts.login_limits import address_group, hash_account


async def attempt(client: httpx.AsyncClient, email: str, address: str, password: str = "wrong") -> Any:
    body = {"email": email, "password": password}
    return await client.post("/api/v3/session", json=body, headers={"X-Forwarded-For": address})


async def add_failures(db: AsyncEngine, number: int, email: str, address: str) -> None:
    rows = [{"account_hash": hash_account(email), "address": address} for _ in range(number)]
    async with db.begin() as connection:
        await connection.execute(insert(tables.login_failures), rows)


async def test_the_eleventh_wrong_login_from_an_address_waits(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com")
    statuses = [(await log_in(api, "ada@example.com", "wrong")).status_code for _ in range(10)]
    assert statuses == [401] * 10
    eleventh = await log_in(api, "ada@example.com")
    assert eleventh.status_code == 429, "also the right password has to wait"
    assert 0 < int(eleventh.headers["retry-after"]) <= 300
    async with db.connect() as connection:
        number = await connection.scalar(select(func.count()).select_from(tables.login_failures))
    assert number == 10, "what is refused does not make the wait longer"


async def test_a_sent_address_counts_only_from_a_trusted_proxy(open_api: Any, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    async with open_api() as direct:
        for i in range(10):
            await attempt(direct, f"somebody{i}@example.com", f"203.0.113.{i}")
        assert (await attempt(direct, "ada@example.com", "203.0.113.99")).status_code == 429
    async with open_api(trusted_proxies="127.0.0.1") as behind:
        assert (await attempt(behind, "ada@example.com", "203.0.113.99", PASSWORD)).status_code == 204
        for _ in range(10):
            # What stands before the proxy's own entry anybody may have sent.
            await attempt(behind, "x@example.com", "198.51.100.1, 203.0.113.7")
        assert (await attempt(behind, "y@example.com", "192.0.2.1, 203.0.113.7")).status_code == 429


async def test_one_attacker_does_not_lock_the_owner_out(open_api: Any, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    async with open_api(trusted_proxies="127.0.0.1") as behind:
        for _ in range(10):
            await attempt(behind, "ada@example.com", "203.0.113.1")
        assert (await attempt(behind, "ada@example.com", "203.0.113.1")).status_code == 429
        assert (await attempt(behind, "ada@example.com", "203.0.113.2", PASSWORD)).status_code == 204


async def test_many_addresses_are_limited_by_account_but_a_known_one_is_not(
    open_api: Any, db: AsyncEngine
) -> None:
    ada = await add_person(db, "ada@example.com")
    await add_session(db, ada, address="192.0.2.80")
    async with open_api(trusted_proxies="127.0.0.1") as behind:
        for i in range(10):
            assert (await attempt(behind, "ada@example.com", f"203.0.113.{i}")).status_code == 401
        assert (await attempt(behind, "ada@example.com", "203.0.113.99")).status_code == 429
        assert (await attempt(behind, "ada@example.com", "192.0.2.80", PASSWORD)).status_code == 204
        assert (await attempt(behind, "bob@example.com", "203.0.113.99")).status_code == 401


async def test_a_thousand_failures_stop_everybody_for_a_while(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_person(db, "ada@example.com")
    await add_failures(db, 999, "x@example.com", "203.0.113.1")
    assert (await log_in(api, "ada@example.com")).status_code == 204
    await add_failures(db, 1, "x@example.com", "203.0.113.1")
    assert (await log_in(api, "ada@example.com")).status_code == 429


async def test_parallel_guesses_get_no_more_attempts(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    answers = await asyncio.gather(*(log_in(api, "ada@example.com", f"guess {i}") for i in range(30)))
    wrong = sum(answer.status_code == 401 for answer in answers)
    assert 10 <= wrong <= 11, "at most one more: two run at once"


async def test_a_stolen_session_gets_no_more_guesses_at_the_password(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ada = await add_person(db, "ada@example.com")
    headers = cookie(await add_session(db, ada))

    async def guess(number: int) -> int:
        body = {"password": "another eleven walruses", "current_password": f"guess {number}"}
        answer = await api.put(f"/api/v3/users/{ada}/password", json=body, headers=headers)
        return answer.status_code

    statuses = await asyncio.gather(*(guess(number) for number in range(30)))
    assert 10 <= statuses.count(403) <= 11
    assert set(statuses) == {403, 429}


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1"),
        ("unix", ""),
    ],
)
def test_an_ipv6_network_counts_as_one_address(address: str, group: str) -> None:
    assert address_group(address) == group


@pytest.mark.timed
@pytest.mark.reliability
async def test_the_time_of_an_answer_does_not_reveal_an_account(open_api: Any, db: AsyncEngine) -> None:
    await add_person(db, "ada@example.com")
    times: dict[str, list[float]] = {"ada@example.com": [], "nobody@example.com": []}
    async with open_api(trusted_proxies="127.0.0.1") as behind:
        for i in range(200):
            for email, taken in times.items():
                began = time.perf_counter()
                answer = await attempt(behind, email, f"10.{i}.{len(email)}.1")
                taken.append(time.perf_counter() - began)
                assert answer.status_code == 401
                async with db.begin() as connection:
                    await connection.execute(tables.login_failures.delete())
    known, unknown = (statistics.median(taken) for taken in times.values())
    assert abs(known - unknown) <= 0.010


@pytest.mark.timed
@pytest.mark.reliability
async def test_twenty_logins_at_once_hold_up_nobody(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    for i in range(20):
        await add_person(db, f"p{i}@example.com")
    reader = await add_session(db, await add_person(db, "reader@example.com", "viewer"))
    login_times: list[float] = []
    list_times: list[float] = []

    async def enter(i: int) -> None:
        began = time.perf_counter()
        body = {"email": f"p{i}@example.com", "password": PASSWORD}
        answer = await httpx_post(api, body)
        assert answer.status_code == 204
        login_times.append(time.perf_counter() - began)

    logins = asyncio.gather(*(enter(i) for i in range(20)))
    while not logins.done():
        began = time.perf_counter()
        assert (await api.get("/api/v3/contacts", headers=cookie(reader))).status_code == 200
        list_times.append(time.perf_counter() - began)
        await asyncio.sleep(0.02)
    await logins
    assert statistics.quantiles(list_times, n=20)[-1] <= 0.3
    assert statistics.quantiles(login_times, n=20)[-1] <= 3


async def httpx_post(api: httpx.AsyncClient, body: dict[str, str]) -> httpx.Response:
    """A login of its own, without the cookies of the others."""
    request = api.build_request("POST", "/api/v3/session", json=body)
    request.headers.pop("cookie", None)
    return await api.send(request)
