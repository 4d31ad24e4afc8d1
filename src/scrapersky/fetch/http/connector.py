"""Makes every socket of the HTTP client, after the guard has seen the address it will go to."""

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
from scrapersky.fetch.http.strict_http import screen
from scrapersky.fetch.limits import FetchOptions

_name_dialled: ContextVar[str] = ContextVar("name_dialled", default="")


class ConnectionBlocked(OSError):
    """The guard said no; the text is the same for every address so that nothing can be learned from it."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "not on the public internet")


class ConnectScope:
    """Tells the guard which host name the connections opened inside are for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._token = _name_dialled.set(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _name_dialled.reset(self._token)


class SocketFactory:
    """Makes sockets for addresses the guard allows."""

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
            name=_name_dialled.get(),
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
    """The connector behind the one door; politeness, not the pool, limits connections per host."""
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
    return screen(connector)


def make_ssl_context(ca_file: str | None) -> ssl.SSLContext:
    """Certificates and names are always checked; TLS 1.2 is the oldest version spoken."""
    context = ssl.create_default_context()
    if not context.get_ca_certs():
        context.load_verify_locations(cafile=certifi.where())
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context
