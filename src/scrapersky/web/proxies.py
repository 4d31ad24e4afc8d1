"""Trusted proxies: only they are believed about the address of the client and about TLS."""

from __future__ import annotations

import ipaddress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TrustedProxies:
    """Puts the client's address and scheme, as a trusted proxy reports them, in place of the proxy's."""

    def __init__(self, app: ASGIApp, *, networks: str) -> None:
        self.app = app
        self.networks: list[Network] = [
            ipaddress.ip_network(part.strip()) for part in networks.split(",") if part.strip()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client") and self._trusts(scope["client"][0]):
            headers = Headers(scope=scope)
            scope["client"] = (self._client(headers, scope["client"][0]), 0)
            # The last value is that of the nearest proxy.
            protocol = ",".join(headers.getlist("x-forwarded-proto")).rpartition(",")[2].strip().lower()
            scope["scheme"] = "https" if protocol == "https" else "http"
        await self.app(scope, receive, send)

    def _client(self, headers: Headers, peer: str) -> str:
        """The nearest address that is not a trusted proxy's; what stands before it anybody may have sent."""
        client = peer
        for entry in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
            if _parse(entry.strip()) is None:
                return client
            client = entry.strip()
            if not self._trusts(client):
                return client
        return client

    def _trusts(self, address: str) -> bool:
        parsed = _parse(address) if self.networks else None
        return parsed is not None and any(parsed in network for network in self.networks)


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = getattr(parsed, "ipv4_mapped", None)
    return mapped or parsed
