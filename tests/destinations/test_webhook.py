"""Signed webhooks: the published vector, rotation, retries, and every answer of the other side (C14)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from rig import open_fetcher

from scrapersky.destinations import DeliveryPayload, DestinationContext, make_destinations
from scrapersky.destinations.api_request import DestinationGone, KeyRefused, Refused
from scrapersky.destinations.webhook_signature import (
    InvalidSignature,
    decode_secret,
    make_secret,
    signed_headers,
    verify,
)
from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.errors import DestinationError
from scrapersky.fetch.errors import Failure, PermanentFailure
from scrapersky_demo.contracts.n8n import N8NServer
from scrapersky_demo.contracts.server import running

# The example that the specification and its reference libraries publish.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE, TIME, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
TENANT = uuid.uuid4()


def check(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """An independent reading of the specification: a signature of `id.timestamp.body`."""
    known = {name.lower(): value for name, value in headers.items()}
    signed = b".".join([known["webhook-id"].encode(), known["webhook-timestamp"].encode(), body])
    key = base64.b64decode(secret.split("_", 1)[1])
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in known["webhook-signature"].split(" ")


def payload(
    number: int = 0, *, kind: str = "webhook", secrets: tuple[str, ...] = (SECRET,), **options: Any
) -> DeliveryPayload:
    contact = {"id": uuid.UUID(int=number + 1), "email": f"info{number}@shop.example", "name": "Ada Lovelace"}
    url = {"url": "http://hook.example/webhook/leads"}
    return DeliveryPayload(
        kind, "Hook", contact, uuid.UUID(int=number + 100), TENANT, {**url, **options}, secrets=secrets
    )


@asynccontextmanager
async def webhook(server: N8NServer, kind: str = "webhook", **rig: Any) -> AsyncIterator[Any]:
    async with running(server.application()) as port, open_fetcher(port, **rig) as fetcher:
        yield make_destinations(DestinationContext(Path(), TENANT, fetcher))[kind]


def test_the_vector_of_the_specification() -> None:
    assert signed_headers([SECRET], MESSAGE, TIME, BODY)["webhook-signature"] == SIGNATURE
    verify([SECRET], MESSAGE, str(TIME), SIGNATURE, BODY, now=TIME + 299)


@pytest.mark.parametrize(
    "changes",
    [
        {"message_id": "msg_other"},
        {"message_id": ""},
        {"message_id": "a.b"},
        {"timestamp": str(TIME + 1)},
        {"timestamp": "now"},
        {"timestamp": f"-{TIME}"},
        {"now": TIME + 301},
        {"now": TIME - 301},
        {"body": b'{"test":2432232314}'},
        {"signature": SIGNATURE.replace("v1,", "v1a,")},
        {"signature": SIGNATURE[:-2] + "A="},
        {"signature": ""},
        {"secrets": [make_secret()]},
        {"secrets": []},
    ],
)
def test_everything_else_is_refused(changes: dict[str, Any]) -> None:
    values = {
        "secrets": [SECRET],
        "message_id": MESSAGE,
        "timestamp": str(TIME),
        "signature": SIGNATURE,
        "body": BODY,
        "now": float(TIME),
    }
    verify(**values)  # type: ignore[arg-type]
    with pytest.raises(InvalidSignature):
        verify(**{**values, **changes})


@pytest.mark.parametrize("secret", ["whsec_", "whsec_!!", "whsec_" + base64.b64encode(b"x" * 8).decode()])
def test_a_secret_of_another_form_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="secret"):
        decode_secret(secret)


async def test_a_message_is_signed_with_both_secrets_while_one_replaces_the_other() -> None:
    server, old, new = N8NServer(), make_secret(), make_secret()
    async with webhook(server) as destination:
        await destination.deliver_batch([payload(number, secrets=(new, old)) for number in range(3)])
    [(headers, body)] = server.messages
    assert check(headers, body, old)
    assert check(headers, body, new)
    assert not check(headers, body + b" ", new)
    message = json.loads(body)
    assert message["type"] == "contacts.delivered"
    assert [entry["email"] for entry in message["data"]] == [f"info{n}@shop.example" for n in range(3)]
    assert "Ada Lovelace" in body.decode()


async def test_a_retry_has_the_same_id_and_other_contacts_another() -> None:
    server = N8NServer()
    server.faults.queue = ["cut", 503]
    batch = [payload(number) for number in range(3)]
    async with webhook(server) as destination:
        for _ in range(2):
            with pytest.raises((Failure, DestinationError)):
                await destination.deliver_batch(batch)
        await destination.deliver_batch(list(reversed(batch)))
        await destination.deliver_batch(batch[:2])
    ids = [headers["webhook-id"] for headers, _ in server.messages]
    # The second attempt was answered before it was read; the first was accepted and cut.
    assert ids[0] == ids[1] != ids[2]
    assert len(server.contacts) == 3


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (301, DestinationError),
        (307, DestinationError),
        (400, Refused),
        (401, KeyRefused),
        (404, Refused),
        (410, DestinationGone),
        (500, DestinationError),
        (503, DestinationError),
        ("drop", Failure),
    ],
)
async def test_every_answer_has_its_class(fault: Any, error: type[Exception]) -> None:
    server = N8NServer()
    server.faults.queue = [fault]
    async with webhook(server) as destination:
        with pytest.raises(error):
            await destination.deliver(payload())
    assert server.messages == []


@pytest.mark.parametrize("status", [429, 503])
async def test_the_wait_that_is_asked_for_is_kept(status: int) -> None:
    server = N8NServer()
    server.faults.queue = [(status, 17)]
    async with webhook(server) as destination:
        with pytest.raises(Snooze) as caught:
            await destination.deliver(payload())
    assert caught.value.wait is not None
    assert caught.value.wait.total_seconds() == 17


async def test_of_a_huge_answer_64_kib_are_read() -> None:
    server = N8NServer()
    server.faults.queue = ["huge"]
    async with webhook(server) as destination:
        assert await destination.deliver(payload()) == str(uuid.UUID(int=1))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/hook", "http://169.254.169.254/latest", "http://[::1]/x", "http://localhost/x"]
)
async def test_private_addresses_are_never_called(url: str) -> None:
    async with webhook(N8NServer(), allow="", connect_to="") as destination:
        with pytest.raises(PermanentFailure):
            await destination.deliver(payload(url=url))


async def test_n8n_takes_its_production_url_and_its_test_url_only_for_a_sample() -> None:
    server = N8NServer(is_listening=True)
    async with webhook(server, "n8n") as destination:
        test_url = {"kind": "n8n", "url": "http://hook.example/webhook-test/leads"}
        with pytest.raises(Discard, match="test URL"):
            await destination.deliver(payload(**test_url))
        assert (await destination.check(payload(**test_url))).startswith("ok")
        await destination.deliver(payload(1, kind="n8n"))
        server.is_active = False
        with pytest.raises(Refused, match="not registered"):
            await destination.deliver(payload(2, kind="n8n"))
    sample, real = (json.loads(body) for _, body in server.messages)
    assert (sample["type"], real["type"]) == ("contacts.sample", "contacts.delivered")
    assert {"contact_id", "email", "name", "timestamp"} <= set(real["data"][0])
