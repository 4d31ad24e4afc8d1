"""Maps exceptions of the HTTP client to our failures."""

from __future__ import annotations

import errno
import ssl
from types import TracebackType

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from scrapersky.fetch.dns.resolver import ResolveFailed
from scrapersky.fetch.errors import (
    BlockedAddress,
    CertificateExpired,
    CertificateHostnameMismatch,
    CertificateSelfSigned,
    CertificateUntrusted,
    ConnectFailed,
    ConnectionReset,
    ConnectTimeout,
    DNSFailed,
    DNSServerFailed,
    DNSTimeout,
    EmptyReply,
    Failure,
    IncompleteBody,
    NameNotFound,
    NetworkUnreachable,
    NoAddress,
    ProtocolError,
    Timeout,
    TLSFailed,
    TLSTooOld,
)
from scrapersky.fetch.http.connector import ConnectionBlocked

_DNS = {kind.failure_class: kind for kind in (NameNotFound, NoAddress, DNSServerFailed, DNSTimeout)}

# X509_V_ERR_* of OpenSSL.
_CERTIFICATE: dict[int, type[TLSFailed]] = {
    9: CertificateExpired,
    10: CertificateExpired,
    18: CertificateSelfSigned,
    19: CertificateUntrusted,
    20: CertificateUntrusted,
    21: CertificateUntrusted,
    62: CertificateHostnameMismatch,
    64: CertificateHostnameMismatch,
}
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})
_CONNECT_ERRORS = {errno.ECONNREFUSED: "connection refused", errno.ECONNRESET: "connection reset"}
# Texts of the parser's exceptions, the most specific first.
_PROTOCOL_ERRORS = (
    ("LineTooLong", "headers are too large"),
    ("Got more than", "headers are too large"),
    ("headers are too large", "headers are too large"),
    ("before the request", "sent before the request"),
    ("BadStatusLine", "malformed status line"),
    ("status line", "malformed status line"),
    ("Expected HTTP/", "malformed status line"),
    ("Invalid HTTP version", "malformed status line"),
    ("status code", "malformed status line"),
    ("header", "malformed header"),
    ("Content-Length", "malformed header"),
    ("malformed header block", "malformed header"),
)
_OLD_TLS = frozenset({"UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE"})


class ErrorTranslator:
    """Raises our failures for aiohttp's exceptions, without causes, which may contain addresses."""

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, aiohttp.ClientError | HttpProcessingError | OSError | ssl.SSLError):
            raise failure_from_exception(error) from None


def failure_from_exception(why: BaseException) -> Failure:
    """The failure for an exception of the HTTP client."""
    match why:
        case aiohttp.ClientConnectorDNSError():
            return _dns_failure(why.os_error)
        case aiohttp.ClientConnectorCertificateError():
            return _certificate_failure(why.certificate_error)
        case aiohttp.ClientConnectorSSLError():
            return _tls_failure(why.os_error)
        case aiohttp.ClientConnectorError():
            return _connect_failure(why)
        case aiohttp.ConnectionTimeoutError():
            return ConnectTimeout()
        case TimeoutError():
            return Timeout()
        case aiohttp.ServerDisconnectedError():
            return EmptyReply() if why.message in (None, "Server disconnected") else _protocol_failure(why)
        case aiohttp.ClientPayloadError():
            return _payload_failure(why)
        case aiohttp.ClientResponseError() | aiohttp.InvalidURL() | HttpProcessingError():
            return _protocol_failure(why)
        case ssl.SSLError():
            return _tls_failure(why)
        case OSError():
            return ConnectionReset()
    return ProtocolError()


def _dns_failure(why: OSError) -> Failure:
    return _DNS.get(why.failure_class, DNSFailed)() if isinstance(why, ResolveFailed) else DNSFailed()


def _certificate_failure(why: Exception) -> Failure:
    code = getattr(why, "verify_code", 0)
    return _CERTIFICATE.get(code, TLSFailed)()


def _tls_failure(why: OSError) -> Failure:
    reason = str(getattr(why, "reason", "") or "")
    if reason in _OLD_TLS:
        return TLSTooOld()
    # OpenSSL's reason, such as WRONG_VERSION_NUMBER from a port that speaks plain HTTP.
    words = reason.replace("_", " ").lower()
    return TLSFailed(f"TLS error: the handshake failed ({words})" if words else "")


def _protocol_failure(why: BaseException) -> Failure:
    """What is wrong with the response, in our own words: the parser may quote hostile input."""
    text = f"{type(why.__cause__).__name__} {type(why).__name__} {getattr(why, 'message', '')}"
    what = next((words for sign, words in _PROTOCOL_ERRORS if sign in text), "")
    return ProtocolError(f"invalid HTTP response: {what}" if what else "")


def _connect_failure(why: aiohttp.ClientConnectorError) -> Failure:
    cause = why.os_error
    if isinstance(cause, ConnectionBlocked):
        return BlockedAddress()
    # A peer that closes during the TLS handshake gives a ConnectionError without errno.
    if isinstance(cause, ConnectionError) and cause.errno is None:
        return TLSFailed("TLS error: the host closed the connection during the handshake")
    place = f"({why.host}, port {why.port})"
    if cause.errno in _NO_ROUTE:
        return NetworkUnreachable(f"network unreachable {place}")
    return ConnectFailed(f"{_CONNECT_ERRORS.get(cause.errno or 0, 'connection failed')} {place}")


def _payload_failure(why: aiohttp.ClientPayloadError) -> Failure:
    """A body that ended early, or one whose framing is broken."""
    text = str(why)
    if isinstance(why.__cause__, OSError) or "ConnectionResetError" in text:
        return ConnectionReset()
    return IncompleteBody() if "Not enough data" in text else ProtocolError()
