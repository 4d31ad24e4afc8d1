"""Open loopback: while nobody has an account, whoever uses this machine acts as the built-in `local`."""

from __future__ import annotations

import ipaddress

from starlette.requests import Request

from scrapersky.actions.accounts.authentication import has_accounts
from scrapersky.api.context import ApiContext
from scrapersky.settings import Settings

# A proxy on this machine may pass on what others send; its requests are not those of this machine.
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")


async def is_open(request: Request, context: ApiContext) -> bool:
    """Whether the request may act as `local`; the first account ends this at once."""
    return is_local_request(request, context.settings) and not await has_accounts(context.engine)


def is_local_request(request: Request, settings: Settings) -> bool:
    """Whether the server is bound to loopback, and the request came to it under such a name, directly."""
    if not is_loopback(settings.host) or settings.public_url or settings.trusted_proxies:
        return False
    if any(name in request.headers for name in FORWARDED):
        return False
    return is_loopback(request.url.hostname or "") and (
        request.client is None or is_loopback(request.client.host)
    )


def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
