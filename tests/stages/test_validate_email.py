"""Contact → what is known of its address without a key; without DNS the answer is an honest "unknown"."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeDNS, context, item
from scrapersky.fetch.dns.mx_lookup import MailServers
from scrapersky.stage_context.auto_delivery import AutoDelivery
from scrapersky.stage_context.email_checker import EmailChecker
from scrapersky.stages import validate_email
from scrapersky.storage import AutomaticDelivery

TAKES_MAIL = MailServers("found", ("mx.lune.co.uk",))


@pytest.mark.parametrize(
    ("email", "dns", "result"),
    [
        ("hello@lune.co.uk", TAKES_MAIL, "valid"),
        ("hello@lune.co.uk", MailServers("null_mx"), "invalid"),
        ("hello@lune.co.uk", MailServers("no_domain"), "invalid"),
        ("not an address", TAKES_MAIL, "invalid"),
        ("x@mailinator.com", TAKES_MAIL, "disposable"),
    ],
)
async def test_the_verdict_is_stored_with_score_reason_and_time(
    email: str, dns: MailServers, result: str
) -> None:
    done = await validate_email.run(item(email=email), context(mail=EmailChecker(FakeDNS(dns))))

    assert done.fields["email_validation_result"] == result
    assert 0 <= done.fields["email_validation_score"] <= 100
    assert done.fields["email_validation_reason"]
    assert done.fields["email_validated_at"].tzinfo is not None
    assert list(done.rows) == []


async def test_without_dns_nothing_is_called_valid() -> None:
    done = await validate_email.run(item(email="hello@lune.co.uk"), context(mail=EmailChecker(None)))

    assert done.fields["email_validation_result"] == "unknown"
    assert "DNS" in done.fields["email_validation_reason"]


async def test_a_misspelt_provider_gets_a_suggestion() -> None:
    done = await validate_email.run(
        item(email="ada@gmial.com"), context(mail=EmailChecker(FakeDNS(TAKES_MAIL)))
    )

    assert done.fields["email_validation_suggestion"] == "ada@gmail.com"


CONTACT = {
    "email": "hello@lune.co.uk",
    "email_relation": "own",
    "is_email_hidden": False,
    "contact_objection": None,
    "confidence": 0.9,
}


@pytest.mark.req("R270")
@pytest.mark.parametrize(
    ("changes", "allowed", "is_delivered"),
    [
        ({}, {}, True),
        ({"is_email_hidden": True}, {}, False),
        ({"contact_objection": "Keine Werbung!"}, {"includes_hidden": True}, False),
        ({"is_email_hidden": True}, {"includes_hidden": True}, True),
        ({"email_relation": "free"}, {}, False),
        ({"email_relation": "free"}, {"includes_webmail": True}, True),
        ({"confidence": 0.4}, {}, False),
        ({"confidence": 0.79}, {}, False),
        ({"confidence": None}, {}, False),
        ({"confidence": 0.4}, {"min_confidence": 0.3}, True),
        ({"email": "x@mailinator.com"}, {}, False),
        ({"email": "x@mailinator.com"}, {"results": frozenset({"disposable"})}, True),
    ],
)
async def test_automatic_delivery_leaves_out_what_is_hidden_webmail_or_unsure(
    changes: dict[str, Any], allowed: dict[str, Any], is_delivered: bool
) -> None:
    row = item(**{**CONTACT, **changes})
    kit = {"mail": EmailChecker(FakeDNS(TAKES_MAIL)), "auto_delivery": AutoDelivery(**allowed)}
    closed = await validate_email.run(row, context(**kit))
    done = await validate_email.run(row, context(settings={"auto_delivery": True}, **kit))

    assert list(closed.rows) == []
    assert list(done.rows) == ([AutomaticDelivery(row.id)] if is_delivered else [])
