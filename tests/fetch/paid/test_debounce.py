"""DeBounce against a server that speaks its contract: codes, credits, cap, limits, failures, circuit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.database import Database
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.daily_cap import DailyCap
from scrapersky.fetch.paid.debounce import Debounce, DebounceBusy, DebounceOptions, MailboxNotAsked
from scrapersky.queries import HealthQuery
from scrapersky.settings import Settings, load_settings
from scrapersky.wiring import build_debounce, debounce_cap, fetch_options, service_checks
from scrapersky_demo.contracts.debounce import DebounceServer

KEY = "a-very-secret-key"


@pytest.fixture
async def service() -> AsyncIterator[DebounceServer]:
    async with DebounceServer(key=KEY) as running:
        yield running


def settings_for(service: DebounceServer, **more: str) -> Settings:
    given = {
        "DEBOUNCE_API_KEY": KEY,
        "DEBOUNCE_URL": service.url,
        "CIRCUIT_FAILURES": "3",
        "CIRCUIT_OPEN_SECONDS": "1",
        "EGRESS_ALLOW": f"127.0.0.1:{service.port}",
        "CONNECT_TO": f"debounce.example:80:127.0.0.1:{service.port}",
    }
    return load_settings(env_file=None, environment=given | more)


@pytest.fixture
async def open_debounce(db: AsyncEngine, service: DebounceServer) -> AsyncIterator[Any]:
    """Opens DeBounce as a worker does, with other settings if a test asks for them."""
    fetchers: list[Fetcher] = []

    async def open_one(**more: str) -> Debounce:
        settings = settings_for(service, **more)
        fetcher = await Fetcher(fetch_options(settings)).__aenter__()
        fetchers.append(fetcher)
        made = build_debounce(settings, db, fetcher)
        assert made is not None
        return made

    yield open_one
    for fetcher in fetchers:
        await fetcher.__aexit__(None, None, None)


@pytest.mark.parametrize(
    ("code", "word", "result", "score"),
    [
        ("1", "Invalid", "invalid", 0),
        ("2", "Invalid", "invalid", 0),
        ("3", "Invalid", "disposable", 5),
        ("4", "Risky", "catch-all", 50),
        ("4", "Safe to Send", "catch-all", 50),  # never valid
        ("4", "Deliverable", "catch-all", 50),
        ("5", "Safe to Send", "valid", 100),
        ("5", "Risky", "catch-all", 50),
        ("5", "Invalid", "invalid", 0),
        ("6", "Invalid", "invalid", 0),
        ("7", "Unknown", "unknown", 50),  # never invalid
        ("8", "Safe to Send", "valid", 60),
        ("8", "Risky", "catch-all", 50),
        ("8", "Unknown", "unknown", 50),
        ("99", "Invalid", "invalid", 0),
        ("99", "Something new", "unknown", 50),
        ("0", "", "unknown", 50),
    ],
)
async def test_a_published_code_has_one_meaning(
    service: DebounceServer, open_debounce: Any, code: str, word: str, result: str, score: int
) -> None:
    service.codes["ada@shop.com"], service.words["ada@shop.com"] = code, word
    answer = await (await open_debounce()).check("ada@shop.com")
    assert (answer.result, answer.score) == (result, score)
    assert ("not a published one" in answer.reason) is (code in ("0", "99"))


async def test_a_suggestion_is_passed_on(service: DebounceServer, open_debounce: Any) -> None:
    service.codes["ada@gmial.com"] = "6"
    service.suggestions["ada@gmial.com"] = "ada@gmail.com"
    answer = await (await open_debounce()).check("ada@gmial.com")
    assert (answer.suggestion, answer.reason) == ("ada@gmail.com", "DeBounce: Invalid, Bounce")


async def test_the_daily_cap_is_exact_under_concurrency(
    db: AsyncEngine, service: DebounceServer, open_debounce: Any
) -> None:
    workers = [await open_debounce(DEBOUNCE_DAILY_CALLS="17") for _ in range(2)]

    async def check(number: int) -> str:
        try:
            return str((await workers[number % 2].check(f"ada{number}@shop.com")).result)
        except DebounceBusy:  # Two workers share what the service allows at a time.
            return await check(number)
        except MailboxNotAsked as why:
            return str(why)

    answers = await asyncio.gather(*(check(number) for number in range(40)))
    assert answers.count("valid") == service.charged == 17
    assert answers.count("the daily cap of 17 calls is reached") == 23
    assert await debounce_cap(settings_for(service), db).used() == 17


async def test_a_cap_of_zero_calls_nobody(service: DebounceServer, open_debounce: Any) -> None:
    with pytest.raises(MailboxNotAsked, match="daily cap of 0"):
        await (await open_debounce(DEBOUNCE_DAILY_CALLS="0")).check("ada@shop.com")
    assert service.asked.total() == 0


async def test_the_cap_of_another_service_is_another(db: AsyncEngine) -> None:
    first, second = DailyCap(Database(db), "one", 1), DailyCap(Database(db), "two", 1)
    assert [await first.take(), await first.take(), await second.take()] == [True, False, True]
    await first.give_back()
    assert (await first.used(), await second.used()) == (0, 1)


async def test_at_most_five_calls_run_at_a_time(service: DebounceServer, open_debounce: Any) -> None:
    service.seconds = 0.05
    debounce = await open_debounce()
    answers = await asyncio.gather(*(debounce.check(f"ada{number}@shop.com") for number in range(20)))
    assert {answer.result for answer in answers} == {"valid"}
    assert service.most_at_once == 5


async def test_a_busy_service_is_waited_for_and_costs_nothing(
    db: AsyncEngine, service: DebounceServer, open_debounce: Any
) -> None:
    service.failure, service.retry_after = "busy", "37"
    debounce = await open_debounce()
    for _ in range(4):  # Being busy is no failure: the circuit stays closed.
        with pytest.raises(DebounceBusy) as caught:
            await debounce.check("ada@shop.com")
        assert timedelta(seconds=36) <= caught.value.wait <= timedelta(seconds=37)
    assert await debounce_cap(settings_for(service), db).used() == 0


@pytest.mark.req("R269")
@pytest.mark.parametrize(
    ("failure", "shown", "reason"),
    [
        ("error", "answered 500", "HTTP 500"),
        ("cut", "unreachable: ", "DeBounce: "),
        ("garbage", "answered without a balance", "cannot be read"),
    ],
)
async def test_a_failing_service_is_left_alone_and_health_says_so(
    db: AsyncEngine, service: DebounceServer, open_debounce: Any, failure: Any, shown: str, reason: str
) -> None:
    debounce, settings = await open_debounce(), settings_for(service)
    service.failure = failure
    for _ in range(3):
        with pytest.raises(MailboxNotAsked, match=reason):
            await debounce.check("ada@shop.com")
    with pytest.raises(MailboxNotAsked, match="keeps failing"):
        await debounce.check("ada@shop.com")
    assert service.asked["ada@shop.com"] == 3

    report = await HealthQuery(db, service_checks(settings)).report()
    details = report["details"]["external_services"]["debounce"]
    assert report["external_services"]["debounce"] is False
    assert details["status"].startswith(shown)
    assert details["circuit"]["state"] == "open"
    assert reason in details["circuit"]["reason"]
    assert KEY not in str(report)

    service.failure = ""
    await asyncio.sleep(1.1)
    assert (await debounce.check("ada@shop.com")).result == "valid"
    report = await HealthQuery(db, service_checks(settings)).report()
    details = report["details"]["external_services"]["debounce"]
    assert (details["status"], details["circuit"]) == ("ok", {"state": "closed"})


@pytest.mark.parametrize("trouble", ["key", "credits"])
async def test_a_refused_key_and_an_empty_account_are_named_and_not_counted(
    db: AsyncEngine, service: DebounceServer, open_debounce: Any, trouble: str
) -> None:
    debounce, settings = await open_debounce(), settings_for(service)
    service.key, service.balance = ("other", 10) if trouble == "key" else (KEY, 0)
    with pytest.raises(MailboxNotAsked, match="check DEBOUNCE_API_KEY") as caught:
        await debounce.check("ada@shop.com")
    assert KEY not in str(caught.value)
    shown = (await HealthQuery(db, service_checks(settings)).report())["details"]["external_services"]
    assert shown["debounce"]["status"] == ("answered 401" if trouble == "key" else "no credits left")
    assert await debounce_cap(settings, db).used() == 0


async def test_a_slow_answer_is_given_up_and_stays_counted(db: AsyncEngine, service: DebounceServer) -> None:
    service.failure = "slow"
    options = DebounceOptions(KEY, service.url, timeout_seconds=0.3)
    cap = DailyCap(Database(db), "debounce", 10)
    async with Fetcher(fetch_options(settings_for(service))) as fetcher:
        debounce = Debounce(fetcher, options, cap, CircuitBreaker("debounce"))
        with pytest.raises(MailboxNotAsked, match="took too long"):
            await debounce.check("ada@shop.com")
    assert await cap.used() == 1


@pytest.mark.parametrize(
    ("trouble", "retried_after"),
    [
        ("quota", (0, 24.1)),  # tomorrow
        ("key", (5.9, 6.1)),
        ("credits", (5.9, 6.1)),
        ("outage", (0.4, 0.6)),
        ("unreachable", (0.4, 0.6)),
        ("cut", None),  # may have been charged
    ],
)
async def test_a_failure_is_retried_by_its_class_and_never_where_it_may_have_been_charged(
    service: DebounceServer, open_debounce: Any, trouble: str, retried_after: tuple[float, float] | None
) -> None:
    more = {
        "quota": {"DEBOUNCE_DAILY_CALLS": "0"},
        "unreachable": {
            "CONNECT_TO": "debounce.example:80:127.0.0.1:9",
            "EGRESS_ALLOW": "127.0.0.1:9",
        },
    }
    debounce = await open_debounce(**more.get(trouble, {}))
    service.failure = {"outage": "error", "cut": "cut"}.get(trouble, "")  # type: ignore[assignment]
    service.key, service.balance = ("other" if trouble == "key" else KEY), (0 if trouble == "credits" else 10)
    with pytest.raises(MailboxNotAsked) as caught:
        await debounce.check("ada@shop.com")
    wait = caught.value.retry_in
    if retried_after is None:
        assert wait is None
    else:
        assert wait is not None
        assert retried_after[0] <= wait.total_seconds() / 3600 <= retried_after[1]


async def test_without_a_key_nothing_is_asked(db: AsyncEngine) -> None:
    settings = load_settings(env_file=None, environment={})
    async with Fetcher(fetch_options(settings)) as fetcher:
        assert build_debounce(settings, db, fetcher) is None
    report = await HealthQuery(db, {"debounce": service_checks(settings)["debounce"]}).report()
    assert report["details"]["external_services"]["debounce"]["status"] == "not configured"
