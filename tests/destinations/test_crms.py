"""HubSpot and Brevo against servers that follow their contracts: batches, refusals, limits."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from rig import open_fetcher

from scrapersky.destinations import DeliveryPayload, DestinationContext, make_destinations
from scrapersky.destinations.api_request import KeyRefused
from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.errors import DestinationError
from scrapersky.fetch.errors import Failure
from scrapersky_demo.contracts.brevo import BrevoServer
from scrapersky_demo.contracts.hubspot import HubSpotServer
from scrapersky_demo.contracts.server import running

TENANT = uuid.uuid4()
# The published descriptions are not part of the project.
CONTRACTS = Path(os.environ.get("CONTRACTS", Path(__file__).parents[3] / "shared" / "contracts"))
PUBLISHED = CONTRACTS / "hubspot" / "contacts-2026-09.json"


def payload(number: int, kind: str, secret: str, email: str | None = "", **options: Any) -> DeliveryPayload:
    address = f"info{number}@shop.example" if email == "" else email
    contact = {
        "id": uuid.UUID(int=number + 1),
        "email": address,
        "name": "Ada Lovelace",
        "confidence": 0.9,
        "phone_number": "+4930123456",
    }
    return DeliveryPayload(
        kind, "CRM", contact, uuid.UUID(int=number + 1_000), TENANT, options, secrets=(secret,)
    )


@asynccontextmanager
async def crm(server: HubSpotServer | BrevoServer, kind: str, **more: Any) -> AsyncIterator[Any]:
    urls = {"hubspot_url": "http://crm.example", "brevo_url": "http://crm.example/v3"}
    async with running(server.application()) as port, open_fetcher(port) as fetcher:
        yield make_destinations(DestinationContext(Path(), TENANT, fetcher, **{**urls, **more}))[kind]


def hubspot_batch(number: int, **options: Any) -> list[DeliveryPayload]:
    return [payload(at, "hubspot", "pat-demo", **options) for at in range(number)]


async def test_hubspot_takes_a_hundred_in_one_call_and_creates_each_once() -> None:
    server = HubSpotServer()
    async with crm(server, "hubspot") as destination:
        first = await destination.deliver_batch(hubspot_batch(100))
        again = await destination.deliver_batch(hubspot_batch(100))
    assert len(server.requests) == 2
    assert first == again
    assert set(server.created.values()) == {1}
    assert all(isinstance(answer, str) for answer in first.values())
    values = server.contacts["info0@shop.example"]["properties"]
    assert (values["firstname"], values["lastname"], values["phone"]) == ("Ada", "Lovelace", "+4930123456")


async def test_the_mapping_decides_which_column_becomes_which_property() -> None:
    server = HubSpotServer(properties={"email", "sky_confidence", "sky_name"})
    mapping = {"email": "email", "sky_confidence": "confidence", "sky_name": "name"}
    async with crm(server, "hubspot") as destination:
        await destination.deliver(payload(0, "hubspot", "pat-demo", mapping=mapping))
        assert (await destination.check(payload(0, "hubspot", "pat-demo", mapping=mapping))).startswith("ok")
        assert "has no property firstname" in await destination.check(payload(0, "hubspot", "pat-demo"))
    stored = server.contacts["info0@shop.example"]["properties"]
    assert stored == {"email": "info0@shop.example", "sky_confidence": "0.9", "sky_name": "Ada Lovelace"}


async def test_hubspot_refuses_single_contacts_and_the_others_arrive() -> None:
    server = HubSpotServer()
    batch = [
        *hubspot_batch(5),
        payload(7, "hubspot", "pat-demo", "nonsense"),
        payload(8, "hubspot", "pat-demo", None),
    ]
    async with crm(server, "hubspot") as destination:
        answers = await destination.deliver_batch(batch)
    refused = [answers[batch[at].delivery_id] for at in (5, 6)]
    assert all(isinstance(answer, Discard) for answer in refused)
    assert "invalid" in str(refused[0])
    assert len(server.contacts) == 5


async def test_a_batch_that_hubspot_refuses_whole_is_taken_apart() -> None:
    """One value that the account's own rules forbid must not keep the other contacts back."""
    server = HubSpotServer()
    bad = payload(9, "hubspot", "pat-demo", mapping={"email": "email", "unknown_property": "name"})
    async with crm(server, "hubspot") as destination:
        answers = await destination.deliver_batch([*hubspot_batch(6), bad])
    assert isinstance(answers[bad.delivery_id], Discard)
    assert len(server.contacts) == 6


async def test_one_address_twice_in_a_batch_is_sent_in_two_calls() -> None:
    server = HubSpotServer()
    batch = [
        payload(1, "hubspot", "pat-demo", "a@x.example"),
        payload(2, "hubspot", "pat-demo", "A@x.example"),
    ]
    async with crm(server, "hubspot") as destination:
        answers = await destination.deliver_batch(batch)
    assert len(set(answers.values())) == 1
    assert server.created == {"a@x.example": 1}


async def test_an_account_without_the_new_version_gets_the_old_one() -> None:
    server = HubSpotServer(versions=("v3",))
    async with crm(server, "hubspot") as destination:
        await destination.deliver(payload(0, "hubspot", "pat-demo"))
    assert server.requests[0][0] == "/crm/v3/objects/contacts/batch/upsert"


async def test_the_answers_of_hubspot_have_their_classes() -> None:
    server = HubSpotServer()
    one = payload(0, "hubspot", "pat-demo")
    async with crm(server, "hubspot") as destination:
        for fault, error in (
            (500, DestinationError),
            ("cut", Failure),
            ("html", DestinationError),
            ((429, 3), Snooze),
        ):
            server.faults.queue = [fault]
            with pytest.raises(error):
                await destination.deliver(one)
        with pytest.raises(KeyRefused):
            await destination.deliver(payload(0, "hubspot", "wrong"))
        server.calls_per_10_seconds = 0
        with pytest.raises(Snooze) as caught:
            await destination.deliver(one)
    assert caught.value.wait
    # The one that was cut had been stored.
    assert server.created == {"info0@shop.example": 1}


@pytest.mark.parametrize(
    "answer", [{}, {"results": [{"id": "9"}]}, {"results": [{"id": 9, "objectWriteTraceId": "T"}]}]
)
def test_nothing_counts_as_stored_without_an_id(answer: dict[str, Any]) -> None:
    from scrapersky.destinations.hubspot import read_answer

    one = payload(0, "hubspot", "pat-demo")
    text = (
        json.dumps(answer).replace("T", str(one.delivery_id))
        if "T" in json.dumps(answer)
        else json.dumps(answer)
    )
    assert isinstance(read_answer([one], json.loads(text))[one.delivery_id], DestinationError)


async def test_a_contact_is_deleted_from_hubspot_by_its_id() -> None:
    server = HubSpotServer()
    async with crm(server, "hubspot") as destination:
        external_id = await destination.deliver(payload(0, "hubspot", "pat-demo"))
        gone = DeliveryPayload(
            "hubspot",
            "CRM",
            {},
            uuid.uuid4(),
            TENANT,
            secrets=("pat-demo",),
            external_id=external_id,
            is_deletion=True,
        )
        assert await destination.delete(gone) == external_id
        assert await destination.delete(gone) == external_id
    assert server.contacts == {}


@pytest.mark.skipif(not PUBLISHED.exists(), reason="HubSpot's published description is not here")
async def test_requests_and_the_contract_server_follow_the_published_description() -> None:
    document = json.loads(PUBLISHED.read_text())
    schemas = {"components": document["components"]}

    def validate(value: Any, name: str) -> None:
        jsonschema_rs.validate({"$ref": f"#/components/schemas/{name}", **schemas}, value)

    server = HubSpotServer()
    async with crm(server, "hubspot") as destination:
        await destination.deliver_batch([*hubspot_batch(3), payload(7, "hubspot", "pat-demo", "nonsense")])
    [(path, body)] = server.requests
    assert path.replace("/contacts/", "/{objectType}/") in document["paths"]
    validate(body, "BatchInputSimplePublicObjectBatchInputUpsert")
    stored = [server._store(entry) for entry in body["inputs"]]
    for entry in stored:
        validate(entry, "SimplePublicUpsertObject")


# ---- Brevo


def brevo_batch(number: int, **options: Any) -> list[DeliveryPayload]:
    return [payload(at, "brevo", "xkeysib-demo", **options) for at in range(number)]


async def test_brevo_imports_many_and_creates_few_one_by_one() -> None:
    server = BrevoServer(polls=2)
    async with crm(server, "brevo") as destination:
        many = await destination.deliver_batch(brevo_batch(40, list_id=7))
        few = await destination.deliver_batch(brevo_batch(3, list_id=7))
    paths = [path for path, _ in server.requests]
    assert paths == ["/v3/contacts/import", *["/v3/contacts"] * 3]
    assert set(server.created.values()) == {1}
    assert len(server.contacts) == 40
    assert all(many[key] == value for key, value in few.items())
    stored = server.contacts["info1@shop.example"]
    assert stored["ext_id"] == str(uuid.UUID(int=2))
    assert stored["attributes"]["FIRSTNAME"] == "Ada"


async def test_brevo_warns_of_attributes_that_it_would_ignore() -> None:
    server = BrevoServer(attributes={"FIRSTNAME"})
    async with crm(server, "brevo") as destination:
        assert "no attribute" in await destination.check(payload(0, "brevo", "xkeysib-demo"))
        known = {"mapping": {"FIRSTNAME": "first_name"}}
        assert (await destination.check(payload(0, "brevo", "xkeysib-demo", **known))).startswith("ok")
        with pytest.raises(Discard, match="List ID"):
            await destination.check(payload(0, "brevo", "xkeysib-demo", list_id=99))


async def test_brevo_refuses_one_and_takes_the_others_and_deletes_by_our_id() -> None:
    server = BrevoServer()
    batch = [
        *brevo_batch(2),
        payload(5, "brevo", "xkeysib-demo", "nonsense"),
        payload(6, "brevo", "xkeysib-demo", None),
    ]
    async with crm(server, "brevo") as destination:
        answers = await destination.deliver_batch(batch)
        assert [isinstance(answers[each.delivery_id], Discard) for each in batch] == [
            False,
            False,
            True,
            True,
        ]
        gone = DeliveryPayload(
            "brevo",
            "CRM",
            {},
            uuid.uuid4(),
            TENANT,
            secrets=("xkeysib-demo",),
            external_id=str(uuid.UUID(int=1)),
        )
        await destination.delete(gone)
        await destination.delete(gone)
        with pytest.raises(KeyRefused):
            await destination.deliver(payload(0, "brevo", "wrong"))
    assert list(server.contacts) == ["info1@shop.example"]
