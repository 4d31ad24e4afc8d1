"""The connector of the HTTP client: every socket passes the SSRF check first."""

from __future__ import annotations

import errno
import socket
import ssl
from contextvars import ContextVar
from types import TracebackType

import certifi
from aiohappyeyeballs import AddrInfoType
from aiohttp import TCPConnector

from scrapersky.fetch.dns.resolver import Resolver
from scrapersky.fetch.egress.ssrf import may_connect
from scrapersky.fetch.http.strict_http import make_strict
from scrapersky.fetch.limits import FetchOptions

_connect_host: ContextVar[str] = ContextVar("connect_host", default="")


class ConnectionBlocked(OSError):
    """The SSRF check blocked the address; the text is the same for all, so that it reveals nothing."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "not on the public internet")


class ConnectScope:
    """Sets the host name for the SSRF check of connections opened inside."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._token = _connect_host.set(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _connect_host.reset(self._token)


class SocketFactory:
    """Creates sockets for addresses that pass the SSRF check."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options

    def __call__(self, addr_info: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = addr_info
        self.check(str(address[0]), int(address[1]))
        return socket.socket(family=family, type=kind, proto=protocol)

    def check(self, ip: str, port: int) -> None:
        allowed = may_connect(
            ip,
            port,
            name=_connect_host.get(),
            egress_allow=self._options.egress_allow,
            ports=self._options.ports,
            nat64=self._options.nat64,
        )
        if not allowed:
            raise ConnectionBlocked


def make_resolver(options: FetchOptions) -> Resolver:
    return Resolver(
        connect_to=options.connect_to, seconds=options.dns_seconds, name_servers=options.name_servers
    )


def make_connector(options: FetchOptions) -> TCPConnector:
    """The connector of a fetcher; host slots, not the pool, limit connections per host."""
    connector = TCPConnector(
        resolver=make_resolver(options),
        socket_factory=SocketFactory(options),
        use_dns_cache=False,
        ssl=make_ssl_context(options.ca_file),
        limit=options.connections,
        limit_per_host=0,
        happy_eyeballs_delay=0.25,
        keepalive_timeout=15.0,
    )
    return make_strict(connector)


def make_ssl_context(ca_file: str | None) -> ssl.SSLContext:
    """Certificates and host names are always verified; TLS 1.2 is the oldest version allowed."""
    context = ssl.create_default_context()
    if not context.get_ca_certs():
        context.load_verify_locations(cafile=certifi.where())
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context
