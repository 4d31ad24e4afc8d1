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

ROBOTS_RETRY = timedelta(minutes=5)
DEFAULT_WAIT = timedelta(minutes=1)


def as_clause(failure: BaseException | str) -> str:
    """The text of a failure as a part of a longer message."""
    text = str(failure).strip().rstrip(".")
    # Names such as "DNS" and "ScraperAPI" keep their capital letter.
    is_name = not text.partition(" ")[0][1:].islower()
    return text if is_name else text[:1].lower() + text[1:]


class Failure(FetchError):
    """The page could not be fetched."""

    failure_class = "fetch_failed"
    # Whether it is the host's fault, which counts towards a pause.
    hurts_host = False
    # Whether an outage of our own network or DNS looks the same.
    is_network = False
    status: int | None = None

    def __init__(self, message: str = "") -> None:
        super().__init__(message or as_clause(self.__doc__ or ""))


class HostFailure(Failure):
    """The host failed."""

    hurts_host = True


class Timeout(HostFailure):
    """Timeout: the host took too long to respond."""

    failure_class = "timeout"
    is_network = True


class ConnectFailed(HostFailure):
    """Connection failed."""

    failure_class = "connect"


class NetworkUnreachable(ConnectFailed):
    """Network unreachable."""

    is_network = True


class ConnectTimeout(ConnectFailed):
    """Connect timeout."""

    failure_class = "timeout"
    is_network = True


class ConnectionReset(HostFailure):
    """Connection reset by the host."""

    failure_class = "reset"


class EmptyReply(HostFailure):
    """Empty reply: the host closed the connection without a response."""

    failure_class = "empty_reply"


class IncompleteBody(HostFailure):
    """Incomplete response: the connection was closed too early."""

    failure_class = "truncated"


class ProtocolError(HostFailure):
    """Invalid HTTP response."""

    failure_class = "protocol_error"


class TooLarge(Failure):
    """Response too large."""

    failure_class = "too_large"


class BadEncoding(Failure):
    """Invalid content encoding."""

    failure_class = "bad_encoding"


class DNSFailed(HostFailure):
    """DNS failure: the host name could not be resolved."""

    failure_class = "dns_failed"
    is_network = True


class NameNotFound(DNSFailed):
    """DNS failure: host name not found."""

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
    """DNS failure: timeout of the name server."""

    failure_class = "dns_timeout"


class TLSFailed(HostFailure):
    """TLS error: the handshake failed."""

    failure_class = "tls_failed"


class CertificateExpired(TLSFailed):
    """TLS error: the certificate has expired or is not yet valid."""

    failure_class = "tls_expired"


class CertificateHostnameMismatch(TLSFailed):
    """TLS error: the certificate is for another host name."""

    failure_class = "tls_wrong_host"


class CertificateUntrusted(TLSFailed):
    """TLS error: the certificate is not trusted."""

    failure_class = "tls_untrusted"


class CertificateSelfSigned(CertificateUntrusted):
    """TLS error: the certificate is self-signed."""

    failure_class = "tls_self_signed"


class TLSTooOld(TLSFailed):
    """TLS error: the host supports no version of TLS from 1.2."""

    failure_class = "tls_version"


class TransientHTTPError(HostFailure):
    """An HTTP status that may change: 5xx and a few 4xx."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the host returned HTTP {status}")
        self.status = status
        self.failure_class = "http_5xx" if status >= 500 else "http_4xx"


class PermanentFailure(Failure, Discard):
    """The page must not be fetched."""

    failure_class = "refused"


class BadURL(PermanentFailure):
    """Invalid URL."""

    failure_class = "bad_url"


class BlockedAddress(PermanentFailure):
    """Blocked address: the host is not on the public internet."""

    failure_class = "blocked_address"


class RobotsDisallowed(PermanentFailure):
    """Disallowed by robots.txt."""

    failure_class = "robots_disallowed"


class RedirectLoop(PermanentFailure):
    """Redirect loop or too many redirects."""

    failure_class = "redirect_loop"


class BadRedirect(PermanentFailure):
    """Redirect to a URL that must not be fetched."""

    failure_class = "bad_redirect"


class HostAbandoned(PermanentFailure):
    """The host keeps failing."""

    failure_class = "host_unreachable"

    def __init__(self, reason: str = "") -> None:
        super().__init__(f"{reason}; the host keeps failing" if reason else "")


class PermanentHTTPError(PermanentFailure):
    """An HTTP status that will not change: most 4xx."""

    failure_class = "http_4xx"

    def __init__(self, status: int) -> None:
        super().__init__(f"the host returned HTTP {status}")
        self.status = status


class Gone(PermanentHTTPError):
    """The page is gone (HTTP 410)."""

    failure_class = "gone"


class Throttled(Failure, RetryAfter):
    """Throttled by the host."""

    failure_class = "rate_limited"

    def __init__(self, message: str = "", *, wait: timedelta, status: int | None = None) -> None:
        RetryAfter.__init__(self, message or as_clause(self.__doc__ or ""), wait=wait)
        self.status = status


class RateLimited(Throttled):
    """Rate limited by the host."""

    hurts_host = True


class RobotsUnreachable(Throttled):
    """The host's robots.txt could not be fetched."""

    failure_class = "robots_unreachable"

    def __init__(self, reason: str = "", *, wait: timedelta, is_network: bool = False) -> None:
        super().__init__(reason, wait=wait)
        self.is_network = is_network
        self.is_asked = wait > ROBOTS_RETRY


class Deferred(Failure, Snooze):
    """The page is fetched later."""

    def __init__(self, message: str = "", *, wait: timedelta) -> None:
        Snooze.__init__(self, message or as_clause(self.__doc__ or ""), wait=wait)


class HostPaused(Deferred):
    """The host is paused after repeated errors or a rate limit."""

    failure_class = "host_paused"

    def __init__(self, reason: str = "", *, wait: timedelta) -> None:
        super().__init__(f"{reason}; the host is paused" if reason else "", wait=wait)


class HostBusy(Deferred):
    """Too many requests are waiting for this host."""

    failure_class = "host_busy"


class CreditsExhausted(Deferred):
    """The credits for ScraperAPI are exhausted for today."""

    failure_class = "credits_exhausted"


# Request timeout, misdirected request, too early.
_TRANSIENT_STATUSES = frozenset({408, 421, 425})


def failure_from_status(status: int, *, wait: timedelta | None) -> Failure | None:
    """The failure for an HTTP status, or None for a success; `wait` is the value of Retry-After."""
    if status < 400:
        return None
    if status == 410:
        return Gone(status)
    if status == 429 or (status == 503 and wait is not None):
        return RateLimited(
            f"rate limited: the host returned HTTP {status}", wait=wait or DEFAULT_WAIT, status=status
        )
    if status >= 500 or status in _TRANSIENT_STATUSES:
        return TransientHTTPError(status)
    return PermanentHTTPError(status)
