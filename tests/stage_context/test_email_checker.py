"""Checking a mail address: honest words, and never valid without an answer about its mail server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.declarations.statuses import EMAIL_RESULT
from scrapersky.extract.emails.mail_domains import DISPOSABLE, PROVIDERS, is_disposable, suggest_domain
from scrapersky.fetch.dns.mx_lookup import MailServers
from scrapersky.stage_context.email_checker import EmailChecker


class Names:
    """DNS with the answers a test gives it; every other domain has a mail server."""

    def __init__(self, **states: str) -> None:
        self.states = {name.replace("_", "."): state for name, state in states.items()}
        self.asked: list[str] = []

    async def lookup(self, domain: str) -> MailServers:
        self.asked.append(domain)
        state = self.states.get(domain, "mx")
        return MailServers(state, ("mx.example",) if state == "mx" else ())  # type: ignore[arg-type]


NAMES = Names(
    gone_com="no_domain", null_com="null_mx", bare_com="address_only", empty_com="none",
    dark_com="unreachable", odd_com="failed",
)  # fmt: skip


@pytest.mark.parametrize(
    ("email", "result", "reason"),
    [
        ("ada@shop.com", "valid", "the mailbox itself was not asked"),
        ("info@shop.com", "valid", "a role address"),
        ("ada@gmail.com", "valid", "free provider"),
        ("no-reply@shop.com", "valid", "nobody reads"),
        ("ada@münchen.de", "valid", "xn--mnchen-3ya.de takes mail"),
        ("ada@gone.com", "invalid", "does not exist"),
        ("ada@null.com", "invalid", "null MX"),
        ("ada@empty.com", "invalid", "neither"),
        ("ada@bare.com", "unknown", "no MX record"),
        ("ada@dark.com", "unknown", "DNS is not reachable"),
        ("ada@odd.com", "unknown", "no usable answer"),
        ("ada@mailinator.com", "disposable", "thrown away"),
        ("ada@sub.mailinator.com", "disposable", "thrown away"),
        ("not an address", "invalid", "not a mail address"),
        ("a@b", "invalid", "not a mail address"),
        ("a..b@shop.com", "invalid", "not a mail address"),
        ("ada@shop.com, bob@shop.com", "invalid", "not a mail address"),
        ("ada@[127.0.0.1]", "invalid", "not a mail address"),
        ("ada@printer.local", "invalid", "not a mail address"),
        ("", "invalid", "not a mail address"),
        ("x" * 100_000 + "@shop.com", "invalid", "not a mail address"),
    ],
)
async def test_the_verdict_says_what_is_known(email: str, result: str, reason: str) -> None:
    verdict = await EmailChecker(NAMES).check(email)
    assert verdict.result == result
    assert reason in verdict.reason
    assert 0 <= verdict.score <= 100


async def test_without_dns_nothing_is_called_valid() -> None:
    verdict = await EmailChecker().check("info@shop.com")
    assert (verdict.result, verdict.reason) == ("unknown", "DNS is not reachable")


@pytest.mark.parametrize(
    ("given_domain", "meant"),
    [
        ("gmial.com", "gmail.com"),
        ("gmai.com", "gmail.com"),
        ("gmail.con", "gmail.com"),
        ("hotmial.com", "hotmail.com"),
        ("yahooo.com", "yahoo.com"),
        ("outlok.com", "outlook.com"),
        ("acme.com", None),
        ("gmx.com", None),
        ("mail.com", None),
        ("gmail.com", None),
        ("live.de", None),
    ],
)
async def test_a_misspelt_provider_is_suggested(given_domain: str, meant: str | None) -> None:
    verdict = await EmailChecker(NAMES).check(f"Ada.Lovelace@{given_domain}")
    assert verdict.suggestion == (f"Ada.Lovelace@{meant}" if meant else None)


async def test_a_disposable_address_is_not_looked_up() -> None:
    names = Names()
    await EmailChecker(names).check("x@yopmail.com")
    assert names.asked == []


@given(st.text(max_size=60))
async def test_any_text_gets_a_word_that_can_be_stored(text: str) -> None:
    verdict = await EmailChecker(Names()).check(text)
    assert verdict.result in EMAIL_RESULT
    assert verdict.reason


def test_the_lists_do_not_contradict_each_other() -> None:
    assert len(DISPOSABLE) > 300
    assert not [one for one in PROVIDERS if is_disposable(one) or suggest_domain(one)]
