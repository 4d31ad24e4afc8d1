"""Names what went wrong on the wire: the HTTP client's exceptions in, our failures out."""

from __future__ import annotations

import ssl
from types import TracebackType

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from scrapersky.fetch.dial import DialRefused
from scrapersky.fetch.errors import (
    BlockedAddress,
    CertificateExpired,
    CertificateForOtherHost,
    CertificateSelfSigned,
    CertificateUntrusted,
    ConnectionReset,
    ConnectTimeout,
    CutShort,
    DNSFailed,
    DNSServerFailed,
    DNSTimeout,
    EmptyReply,
    Failure,
    NameNotFound,
    NoAddress,
    ProtocolError,
    Timeout,
    TLSFailed,
    TLSTooOld,
    Unconnected,
)
from scrapersky.fetch.resolve import Unresolved

_DNS = {kind.failure_class: kind for kind in (NameNotFound, NoAddress, DNSServerFailed, DNSTimeout)}

# X509_V_ERR_* of OpenSSL.
_CERTIFICATE: dict[int, type[TLSFailed]] = {
    9: CertificateExpired,
    10: CertificateExpired,
    18: CertificateSelfSigned,
    19: CertificateUntrusted,
    20: CertificateUntrusted,
    21: CertificateUntrusted,
    62: CertificateForOtherHost,
    64: CertificateForOtherHost,
}
_OLD_TLS = frozenset({"UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE"})


class Named:
    """Turns what the HTTP client raises inside into our failures, without causes that may hold addresses."""

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, aiohttp.ClientError | HttpProcessingError | OSError | ssl.SSLError):
            raise failure_of(error) from None


def failure_of(why: BaseException) -> Failure:
    """The failure that an exception of the HTTP client stands for."""
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
            return EmptyReply() if why.message in (None, "Server disconnected") else ProtocolError()
        case aiohttp.ClientPayloadError():
            return _payload_failure(why)
        case aiohttp.ClientResponseError() | aiohttp.InvalidURL() | HttpProcessingError():
            return ProtocolError()
        case ssl.SSLError():
            return _tls_failure(why)
        case OSError():
            return ConnectionReset()
    return ProtocolError()


def _dns_failure(why: OSError) -> Failure:
    return _DNS.get(why.word, DNSFailed)() if isinstance(why, Unresolved) else DNSFailed()


def _certificate_failure(why: Exception) -> Failure:
    code = getattr(why, "verify_code", 0)
    return _CERTIFICATE.get(code, TLSFailed)()


def _tls_failure(why: OSError) -> Failure:
    reason = getattr(why, "reason", "") or ""
    return TLSTooOld() if reason in _OLD_TLS else TLSFailed()


def _connect_failure(why: aiohttp.ClientConnectorError) -> Failure:
    cause = why.os_error
    if isinstance(cause, DialRefused):
        return BlockedAddress()
    # The event loop's own word for a peer that left in the middle of the TLS handshake has no error number.
    left_handshake = isinstance(cause, ConnectionError) and cause.errno is None
    return TLSFailed() if left_handshake else Unconnected()


def _payload_failure(why: aiohttp.ClientPayloadError) -> Failure:
    """A body that ended early, or one whose framing is broken."""
    text = str(why)
    if isinstance(why.__cause__, OSError) or "ConnectionResetError" in text:
        return ConnectionReset()
    return CutShort() if "Not enough data" in text else ProtocolError()
