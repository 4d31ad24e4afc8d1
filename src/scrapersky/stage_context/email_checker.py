"""Checks an e-mail address in tiers: spelling, our lists, the DNS of its domain, then DeBounce if it is set.

A tier that decides ends the check, so that nothing is asked or paid for twice. No mail is ever sent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal, Protocol

from email_validator import EmailNotValidError, validate_email

from scrapersky.extract.emails.mail_domains import is_disposable, suggest_domain
from scrapersky.extract.emails.vocabulary import NO_REPLY, ROLES, is_free
from scrapersky.fetch.dns.mx_lookup import UNREACHABLE, MailServers
from scrapersky.fetch.paid.debounce import MailboxAnswer, MailboxNotAsked

MailCheckResult = Literal["valid", "invalid", "catch-all", "unknown", "disposable"]
MailCheckMethod = Literal["syntax", "list", "dns", "debounce"]


@dataclass(frozen=True, slots=True)
class EmailVerdict:
    """The stored result, a score from 0 to 100, the reason, the tier that decided, and what was meant.

    It is not conclusive where DNS could not be asked: a later check may say something else.
    """

    result: MailCheckResult
    score: int
    reason: str
    suggestion: str | None = None
    method: MailCheckMethod = "dns"
    is_conclusive: bool = True
    # When DeBounce, which could not be asked, may be asked again.
    retry_in: timedelta | None = None

    def as_fields(self) -> dict[str, Any]:
        """The columns of the contact."""
        return {
            "email_validation_result": self.result,
            "email_validation_score": self.score,
            "email_validation_reason": self.reason[:500],
            "email_validation_suggestion": self.suggestion,
            "email_validation_method": self.method,
        }


class MailDNS(Protocol):
    """Looks up the mail servers of a domain."""

    async def lookup(self, domain: str) -> MailServers: ...


class Mailboxes(Protocol):
    """Asks whether a mailbox exists."""

    async def check(self, email: str) -> MailboxAnswer: ...


class EmailChecker:
    """Without `dns` no address is valid; without `mailboxes` no mailbox is asked."""

    def __init__(self, dns: MailDNS | None = None, *, mailboxes: Mailboxes | None = None) -> None:
        self._dns, self._mailboxes = dns, mailboxes

    async def check(self, email: str) -> EmailVerdict:
        """The verdict on one address; raises only when the mailbox service wants us to wait.

        Without that service catch-all domains are not guessed.
        """
        try:
            parsed = validate_email(email[:400], check_deliverability=False)
        except EmailNotValidError as error:
            return EmailVerdict("invalid", 0, f"not a mail address: {error}", method="syntax")
        domain = parsed.ascii_domain.lower()
        meant = suggest_domain(domain)
        suggestion = f"{parsed.local_part}@{meant}" if meant else None
        if is_disposable(domain):
            reason = f"{domain} gives addresses that are thrown away"
            return EmailVerdict("disposable", 5, reason, suggestion, "list")
        servers = await self._dns.lookup(domain) if self._dns else UNREACHABLE
        verdict = _verdict(parsed.local_part, domain, servers, suggestion)
        if self._mailboxes is None or verdict.result not in ("valid", "unknown"):
            return verdict
        return await self._ask(self._mailboxes, f"{parsed.local_part}@{domain}", verdict)

    async def _ask(self, mailboxes: Mailboxes, email: str, known: EmailVerdict) -> EmailVerdict:
        """The answer of the service, or what is known without it: an outage must not stop the pipeline."""
        try:
            answer = await mailboxes.check(email)
        except MailboxNotAsked as why:
            reason = f"{known.reason}; DeBounce was not asked: {why}"
            return replace(known, reason=reason, retry_in=why.retry_in)
        suggestion = answer.suggestion or known.suggestion
        return EmailVerdict(answer.result, answer.score, answer.reason, suggestion, "debounce")


def _verdict(local: str, domain: str, servers: MailServers, suggestion: str | None) -> EmailVerdict:
    if servers.state == "unreachable":
        return EmailVerdict("unknown", 50, "DNS is not reachable", suggestion, is_conclusive=False)
    if servers.state == "failed":
        reason = f"DNS gives no usable answer about {domain}"
        return EmailVerdict("unknown", 50, reason, suggestion, is_conclusive=False)
    if servers.state == "no_domain":
        return EmailVerdict("invalid", 0, f"the domain {domain} does not exist", suggestion)
    if servers.state == "null_mx":
        return EmailVerdict("invalid", 0, f"{domain} says that it takes no mail (null MX)", suggestion)
    if servers.state == "none":
        return EmailVerdict("invalid", 0, f"{domain} has neither a mail server nor an address", suggestion)
    if servers.state in ("address_only", "no_mail"):
        return _without_mx(domain, servers, suggestion)
    kind, score = _kind(local, domain)
    if suggestion:
        kind, score = f"{kind}, perhaps a misspelt provider", min(score, 40)
    reason = f"{domain} takes mail ({servers.hosts[0]}); {kind}; the mailbox itself was not asked"
    return EmailVerdict("valid", score, reason, suggestion)


def _without_mx(domain: str, servers: MailServers, suggestion: str | None) -> EmailVerdict:
    if servers.state == "no_mail":
        reason = f"{domain} has no MX record, and its SPF record says that it sends no mail"
        return EmailVerdict("unknown", 15, reason, suggestion)
    return EmailVerdict(
        "unknown", 35, f"{domain} has no MX record; mail would go to its web server", suggestion
    )


def _kind(local: str, domain: str) -> tuple[str, int]:
    name = local.lower()
    if NO_REPLY.search(name):
        return "an address that nobody reads", 30
    if name.partition("+")[0] in ROLES:
        return "a role address", 75
    if is_free(domain):
        return "an address at a free provider", 70
    return "a personal address", 80
