"""Checks an e-mail address without contacting its mailbox: syntax, known providers, MX records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from email_validator import EmailNotValidError, validate_email

from scrapersky.extract.emails.mail_domains import is_disposable, suggest_domain
from scrapersky.extract.emails.vocabulary import NO_REPLY, ROLES, is_free
from scrapersky.fetch.dns.mx_lookup import UNREACHABLE, MailServers

MailCheckResult = Literal["valid", "invalid", "catch-all", "unknown", "disposable"]


@dataclass(frozen=True, slots=True)
class EmailVerdict:
    """The stored result, a score from 0 to 100, the reason, and the address that was probably meant."""

    result: MailCheckResult
    score: int
    reason: str
    suggestion: str | None = None


class MailDNS(Protocol):
    """Looks up the mail servers of a domain."""

    async def lookup(self, domain: str) -> MailServers: ...


class EmailChecker:
    """Without `dns` no address is valid; the reason says that DNS is missing."""

    def __init__(self, dns: MailDNS | None = None) -> None:
        self._dns = dns

    async def check(self, email: str) -> EmailVerdict:
        """The verdict on one address; never raises. Catch-all domains are not guessed."""
        try:
            parsed = validate_email(email[:400], check_deliverability=False)
        except EmailNotValidError as error:
            return EmailVerdict("invalid", 0, f"not a mail address: {error}")
        domain = parsed.ascii_domain.lower()
        meant = suggest_domain(domain)
        suggestion = f"{parsed.local_part}@{meant}" if meant else None
        if is_disposable(domain):
            return EmailVerdict("disposable", 5, f"{domain} gives addresses that are thrown away", suggestion)
        servers = await self._dns.lookup(domain) if self._dns else UNREACHABLE
        return _verdict(parsed.local_part, domain, servers, suggestion)


def _verdict(local: str, domain: str, servers: MailServers, suggestion: str | None) -> EmailVerdict:
    if servers.state == "unreachable":
        return EmailVerdict("unknown", 50, "DNS is not reachable", suggestion)
    if servers.state == "failed":
        return EmailVerdict("unknown", 50, f"DNS gives no usable answer about {domain}", suggestion)
    if servers.state == "no_domain":
        return EmailVerdict("invalid", 0, f"the domain {domain} does not exist", suggestion)
    if servers.state == "null_mx":
        return EmailVerdict("invalid", 0, f"{domain} says that it takes no mail (null MX)", suggestion)
    if servers.state == "none":
        return EmailVerdict("invalid", 0, f"{domain} has neither a mail server nor an address", suggestion)
    if servers.state == "address_only":
        return EmailVerdict(
            "unknown", 35, f"{domain} has no MX record; mail would go to its web server", suggestion
        )
    kind, score = _kind(local, domain)
    if suggestion:
        kind, score = f"{kind}, perhaps a misspelt provider", min(score, 40)
    reason = f"{domain} takes mail ({servers.hosts[0]}); {kind}; the mailbox itself was not asked"
    return EmailVerdict("valid", score, reason, suggestion)


def _kind(local: str, domain: str) -> tuple[str, int]:
    name = local.lower()
    if NO_REPLY.search(name):
        return "an address that nobody reads", 30
    if name.partition("+")[0] in ROLES:
        return "a role address", 75
    if is_free(domain):
        return "an address at a free provider", 70
    return "a personal address", 80
