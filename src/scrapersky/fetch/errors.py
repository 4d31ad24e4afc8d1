"""Why a fetch failed: one class per failure, with its stable `failure_class` and what the engine does next.

FetchError
├── Failure                retried with backoff
│   ├── Timeout · ConnectFailed (ConnectTimeout) · ConnectionReset · EmptyReply · IncompleteBody
│   ├── ProtocolError · TooLarge · BadEncoding
│   ├── DNSFailed (NameNotFound, NoAddress, DNSServerFailed, DNSTimeout) · TLSFailed (certificates, versions)
│   └── TransientHTTPError (5xx, and 408, 421, 425)
├── PermanentFailure       Discard: BadURL · BlockedAddress · RobotsDisallowed · RedirectLoop · BadRedirect
│                          · PermanentHTTPError (other 4xx) · Gone · HostAbandoned
├── Throttled              RetryAfter: RateLimited · RobotsUnreachable
└── Deferred               Snooze: HostPaused · HostBusy · CreditsExhausted

Messages contain no address: what a host name resolves to inside our network stays private.
"""

from __future__ import annotations

from datetime import timedelta

from scrapersky.engine.outcome import Discard, RetryAfter, Snooze
from scrapersky.errors import FetchError

ROBOTS_REST = timedelta(minutes=5)
DEFAULT_WAIT = timedelta(minutes=1)


def as_clause(failure: BaseException | str) -> str:
    """The failure's text as a part of a longer sentence."""
    text = str(failure).strip().rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


class Failure(FetchError):
    """The page could not be fetched."""

    failure_class = "fetch_failed"
    # Whether the host itself misbehaved, which counts towards its rest.
    hurts_host = False
    # Whether our own network or DNS being unavailable would look the same.
    is_network = False
    status: int | None = None


class HostFailure(Failure):
    """The host did not answer as it should."""

    hurts_host = True


class Timeout(HostFailure):
    """The host took too long to answer."""

    failure_class = "timeout"
    is_network = True


class ConnectFailed(HostFailure):
    """No connection could be made to the host."""

    failure_class = "connect"


class NetworkUnreachable(ConnectFailed):
    """No connection could be made to the host: there is no route to it."""

    is_network = True


class ConnectTimeout(ConnectFailed):
    """No connection could be made to the host: it did not answer in time."""

    failure_class = "timeout"
    is_network = True


class ConnectionReset(HostFailure):
    """The host broke the connection off."""

    failure_class = "reset"


class EmptyReply(HostFailure):
    """The host closed the connection without an answer."""

    failure_class = "empty_reply"


class IncompleteBody(HostFailure):
    """The answer ended before it was complete."""

    failure_class = "truncated"


class ProtocolError(HostFailure):
    """The answer is not valid HTTP."""

    failure_class = "protocol_error"


class TooLarge(Failure):
    """The answer is larger than the limit."""

    failure_class = "too_large"


class BadEncoding(Failure):
    """The answer's compression is unknown, layered or broken."""

    failure_class = "bad_encoding"


class DNSFailed(HostFailure):
    """DNS failure: the host name could not be resolved."""

    failure_class = "dns_failed"
    is_network = True


class NameNotFound(DNSFailed):
    """DNS failure: there is no such host name."""

    failure_class = "dns_not_found"
    is_network = False


class NoAddress(DNSFailed):
    """DNS failure: the host name has no address."""

    failure_class = "dns_no_address"
    is_network = False


class DNSServerFailed(DNSFailed):
    """DNS failure: the name server failed."""

    failure_class = "dns_server_failed"


class DNSTimeout(DNSFailed):
    """DNS failure: the name server took too long."""

    failure_class = "dns_timeout"


class TLSFailed(HostFailure):
    """TLS error: no secure connection could be made."""

    failure_class = "tls_failed"


class CertificateExpired(TLSFailed):
    """TLS error: the host's certificate has expired or is not yet valid."""

    failure_class = "tls_expired"


class CertificateHostnameMismatch(TLSFailed):
    """TLS error: the certificate belongs to another host."""

    failure_class = "tls_wrong_host"


class CertificateUntrusted(TLSFailed):
    """TLS error: the certificate is signed by nobody we trust."""

    failure_class = "tls_untrusted"


class CertificateSelfSigned(CertificateUntrusted):
    """TLS error: the certificate is signed by the host itself."""

    failure_class = "tls_self_signed"


class TLSTooOld(TLSFailed):
    """TLS error: the host speaks no secure version of TLS."""

    failure_class = "tls_version"


class TransientHTTPError(HostFailure):
    """The host answered with an error of its own."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the host answered HTTP {status}")
        self.status = status
        self.failure_class = "http_5xx" if status >= 500 else "http_4xx"


class PermanentFailure(Failure, Discard):
    """The page is not to be fetched."""

    failure_class = "refused"


class BadURL(PermanentFailure):
    """The URL may not be fetched."""

    failure_class = "bad_url"


class BlockedAddress(PermanentFailure):
    """The host is not on the public internet."""

    failure_class = "blocked_address"


class RobotsDisallowed(PermanentFailure):
    """The host's robots.txt asks not to fetch this page."""

    failure_class = "robots_disallowed"


class RedirectLoop(PermanentFailure):
    """The host redirects in a circle or too often."""

    failure_class = "redirect_loop"


class BadRedirect(PermanentFailure):
    """The host redirects to something that may not be fetched."""

    failure_class = "bad_redirect"


class HostAbandoned(PermanentFailure):
    """The host has failed again and again."""

    failure_class = "host_unreachable"

    def __init__(self, reason: str = "") -> None:
        super().__init__(f"{reason}; the host has failed again and again" if reason else "")


class PermanentHTTPError(PermanentFailure):
    """The host refused the page."""

    failure_class = "http_4xx"

    def __init__(self, status: int) -> None:
        super().__init__(f"the host answered HTTP {status}")
        self.status = status


class Gone(PermanentHTTPError):
    """The page is gone for good."""

    failure_class = "gone"


class Throttled(Failure, RetryAfter):
    """The host asked for a pause."""

    failure_class = "rate_limited"

    def __init__(self, message: str = "", *, wait: timedelta, status: int | None = None) -> None:
        RetryAfter.__init__(self, message or (self.__doc__ or "").strip(), wait=wait)
        self.status = status


class RateLimited(Throttled):
    """The host asked for a pause."""

    hurts_host = True


class RobotsUnreachable(Throttled):
    """The host's robots.txt could not be read, so nothing is fetched for now."""

    failure_class = "robots_unreachable"

    def __init__(self, reason: str = "", *, wait: timedelta, is_network: bool = False) -> None:
        why = f"robots.txt could not be read: {reason}; nothing is fetched until it can be" if reason else ""
        super().__init__(why, wait=wait)
        self.is_network = is_network
        self.is_asked = wait > ROBOTS_REST


class Deferred(Failure, Snooze):
    """The page has to wait."""

    def __init__(self, message: str = "", *, wait: timedelta) -> None:
        Snooze.__init__(self, message or (self.__doc__ or "").strip(), wait=wait)


class HostPaused(Deferred):
    """The host is paused after repeated errors or because it asked for a pause."""

    failure_class = "host_resting"

    def __init__(self, reason: str = "", *, wait: timedelta) -> None:
        super().__init__(f"{reason}; the host is paused" if reason else "", wait=wait)


class HostBusy(Deferred):
    """Enough pages of the host are waiting for their turn already."""

    failure_class = "host_busy"


class CreditsExhausted(Deferred):
    """The credits of the paid tier are used up for now."""

    failure_class = "credits_spent"


# Answers that may pass by themselves: request timeout, misdirected, too early.
_PASSING = frozenset({408, 421, 425})


def failure_from_status(status: int, *, wait: timedelta | None) -> Failure | None:
    """The failure an HTTP status stands for, or None for an answer; `wait` is what Retry-After said."""
    if status < 400:
        return None
    if status == 410:
        return Gone(status)
    if status == 429 or (status == 503 and wait is not None):
        return RateLimited(
            f"the host answered HTTP {status} and asked for a pause", wait=wait or DEFAULT_WAIT, status=status
        )
    if status >= 500 or status in _PASSING:
        return TransientHTTPError(status)
    return PermanentHTTPError(status)
