"""Contact → what is known of its address without a key; without DNS the answer is an honest "unknown"."""

from __future__ import annotations

import pytest

from fakes import FakeDNS, context, item
from scrapersky.fetch.dns.mx_lookup import MailServers
from scrapersky.stage_context.email_checker import EmailChecker
from scrapersky.stages import validate_email

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
