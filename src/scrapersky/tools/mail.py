"""Checks a mail address without a key and without asking its mailbox: form, lists, who takes its mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from email_validator import EmailNotValidError, ValidatedEmail, validate_email

from scrapersky.extract.emails.mail_domains import is_disposable, suggest_domain
from scrapersky.extract.emails.vocabulary import NO_REPLY, ROLES, is_free
from scrapersky.fetch.dns.mx_lookup import UNREACHABLE, MailServers

MailCheckResult = Literal["valid", "invalid", "catch-all", "unknown", "disposable"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known: the word that is stored, 0 to 100, why, and the address that was probably meant."""

    result: MailCheckResult
    score: int
    reason: str
    suggestion: str | None = None


class MailDNS(Protocol):
    """Whoever can say who takes the mail of a domain."""

    async def exchange(self, domain: str) -> MailServers: ...


class EmailChecker:
    """Without `dns` nothing is ever called valid: its absence is said instead."""

    def __init__(self, dns: MailDNS | None = None) -> None:
        self._dns = dns

    async def check(self, email: str) -> Verdict:
        """The verdict on one address; never raises. Whether a domain takes any address is not guessed."""
        try:
            found = validate_email(email[:400], check_deliverability=False)
        except EmailNotValidError as error:
            return Verdict("invalid", 0, f"not a mail address: {error}")
        domain = found.ascii_domain.lower()
        meant = suggest_domain(domain)
        suggestion = f"{found.local_part}@{meant}" if meant else None
        if is_disposable(domain):
            return Verdict("disposable", 5, f"{domain} gives addresses that are thrown away", suggestion)
        answer = await self._dns.exchange(domain) if self._dns else UNREACHABLE
        return _judged(found, domain, answer, suggestion)


def _judged(found: ValidatedEmail, domain: str, answer: MailServers, suggestion: str | None) -> Verdict:
    if answer.state == "unreachable":
        return Verdict("unknown", 50, "DNS is not reachable", suggestion)
    if answer.state == "failed":
        return Verdict("unknown", 50, f"DNS gives no usable answer about {domain}", suggestion)
    if answer.state == "no_domain":
        return Verdict("invalid", 0, f"the domain {domain} does not exist", suggestion)
    if answer.state == "null_mx":
        return Verdict("invalid", 0, f"{domain} says that it takes no mail (null MX)", suggestion)
    if answer.state == "none":
        return Verdict("invalid", 0, f"{domain} has neither a mail server nor an address", suggestion)
    if answer.state == "address_only":
        return Verdict(
            "unknown", 35, f"{domain} has no MX record; mail would go to its web server", suggestion
        )
    kind, score = _kind(found.local_part, domain)
    if suggestion:
        kind, score = f"{kind}, perhaps a misspelt provider", min(score, 40)
    reason = f"{domain} takes mail ({answer.hosts[0]}); {kind}; the mailbox itself was not asked"
    return Verdict("valid", score, reason, suggestion)


def _kind(local: str, domain: str) -> tuple[str, int]:
    name = local.lower()
    if NO_REPLY.search(name):
        return "an address that nobody reads", 30
    if name.partition("+")[0] in ROLES:
        return "a role address", 75
    if is_free(domain):
        return "an address at a free provider", 70
    return "a personal address", 80
