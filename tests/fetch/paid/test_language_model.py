"""The language model against a server that speaks its contract: tokens, cap, failures, a page of a stage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, context, item
from scrapersky.engine.database import Database
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.paid.daily_cap import DailyCap
from scrapersky.fetch.paid.language_model import LanguageModel
from scrapersky.settings import load_settings
from scrapersky.stages import read_page
from scrapersky.wiring import build_language_model, check_language_model, fetch_options
from scrapersky_demo.contracts.language_model import LanguageModelServer
from scrapersky_demo.contracts.server import running

KEY = "a-very-secret-key"
URL = "https://tarn.co.uk/team"
BODY = "<h1>Hello</h1><p>Since spring Ysolde Quarrington keeps the accounts: yq@tarn.co.uk</p>"
ANSWER = {
    "people": [
        {"name": "Ysolde Quarrington", "role": "keeps the accounts", "email": "yq@tarn.co.uk"},
        {"name": "Ada Lovelace", "role": "Director", "email": ""},
    ]
}


def environment(port: int, **more: str) -> dict[str, str]:
    return {
        "LANGUAGE_MODEL_URL": "http://model.example/v1/chat/completions",
        "LANGUAGE_MODEL_API_KEY": KEY,
        "CIRCUIT_FAILURES": "2",
        "EGRESS_ALLOW": f"127.0.0.1:{port}",
        "CONNECT_TO": f"model.example:80:127.0.0.1:{port}",
        **more,
    }


@asynccontextmanager
async def asking(db: AsyncEngine, server: LanguageModelServer, **more: str) -> AsyncIterator[LanguageModel]:
    async with running(server.application) as port:
        settings = load_settings(env_file=None, environment=environment(port, **more))
        async with Fetcher(fetch_options(settings)) as fetcher:
            model = build_language_model(settings, db, fetcher)
            assert model is not None
            yield model


async def used(db: AsyncEngine) -> int:
    return await DailyCap(Database(db), "language_model", 1).used()


async def read(model: LanguageModel | None) -> Any:
    row = {
        "url": URL,
        "domain_id": uuid4(),
        "priority_level": 1,
        "scraped_content": None,
        "additional_json": {},
        "etag": None,
        "last_modified_header": None,
        "content_hash": None,
        "page_curation_status": "New",
    }
    return await read_page.run(item("tarn.co.uk", **row), context(FakeWeb({URL: BODY}), language_model=model))


async def test_without_a_url_nothing_is_asked(db: AsyncEngine) -> None:
    settings = load_settings(env_file=None, environment={})
    async with Fetcher(fetch_options(settings)) as fetcher:
        assert build_language_model(settings, db, fetcher) is None
    assert "language_model" not in (await read(None)).fields["scraped_content"]


async def test_an_unsure_page_gets_what_the_model_quotes_and_pays_its_tokens(db: AsyncEngine) -> None:
    server = LanguageModelServer(ANSWER, key=KEY, tokens=321)
    async with asking(db, server) as model:
        content = (await read(model)).fields["scraped_content"]
    assert [person["value"] for person in content["people"]] == ["Ysolde Quarrington"]
    assert content["people"][0]["method"] == "language model"
    assert content["language_model"] == {"accepted": 1, "refused": 1}
    assert "Ysolde" in server.asked[0]["messages"][1]["content"]
    assert await used(db) == 321


async def test_the_cap_of_a_day_holds_before_a_call_is_made(db: AsyncEngine) -> None:
    server = LanguageModelServer(ANSWER, key=KEY)
    async with asking(db, server, LANGUAGE_MODEL_DAILY_TOKENS="1000") as model:
        content = (await read(model)).fields["scraped_content"]
    assert "1,000 tokens" in content["language_model"]["reason"]
    assert (server.asked, await used(db)) == ([], 0)


@pytest.mark.parametrize("fault", [500, "html", "cut"])
async def test_a_failure_costs_the_page_nothing_but_the_opinion(db: AsyncEngine, fault: Any) -> None:
    server = LanguageModelServer(ANSWER, key=KEY)
    server.faults.queue = [fault]
    async with asking(db, server) as model:
        done = await read(model)
    assert done.fields["contact_scrape_status"] == "ContactFound"
    assert "language model" in done.fields["scraped_content"]["language_model"]["reason"]
    # What may have been charged stays counted.
    assert (await used(db) > 0) is (fault != 500)


async def test_a_model_that_keeps_failing_is_left_alone(db: AsyncEngine) -> None:
    server = LanguageModelServer(key="another key")
    async with asking(db, server) as model:
        for _ in range(2):
            assert "401" in (await model.ask("Answer", "ok")).reason
        assert "keeps failing" in (await model.ask("Answer", "ok")).reason


async def test_the_check_tells_a_wrong_key_from_a_model_that_works() -> None:
    for key, answer in ((KEY, "ok"), ("another key", "refused the key")):
        async with running(LanguageModelServer(key=key).application) as port:
            settings = load_settings(env_file=None, environment=environment(port))
            assert await check_language_model(settings) == answer
