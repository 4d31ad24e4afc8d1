"""What must be in place before the web application listens beyond this machine."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api.open_loopback import is_loopback
from scrapersky.errors import StartupError
from scrapersky.queries.accounts import has_admin
from scrapersky.secret_key import load_secret_key
from scrapersky.settings import Settings


class BindRefused(StartupError):
    """The web application may not listen there."""

    exit_code = 2


def check_bind_settings(settings: Settings) -> None:
    """Raise, in one line, if the settings are not fit for a network."""
    if not is_loopback(settings.host):
        _refuse(settings, _unfit_settings(settings))


async def check_admin(settings: Settings, engine: AsyncEngine) -> None:
    """Raise if nobody could log in."""
    if not is_loopback(settings.host) and not await has_admin(engine):
        _refuse(settings, ["create an administrator with `scrapersky user add EMAIL --role admin`"])


def _unfit_settings(settings: Settings) -> list[str]:
    rules = [
        (settings.public_url.startswith("https://"), "set PUBLIC_URL to the https address of the proxy"),
        (bool(settings.trusted_proxies), "set TRUSTED_PROXIES to the proxy that terminates TLS"),
        (load_secret_key(settings).is_strong, "set SECRET_KEY to at least 32 random bytes"),
        (not settings.egress_allow, "remove EGRESS_ALLOW"),
        ("*" not in settings.allowed_hosts.replace(",", " ").split(), "name the hosts in ALLOWED_HOSTS"),
    ]
    return [advice for holds, advice in rules if not holds]


def _refuse(settings: Settings, advice: list[str]) -> None:
    if advice:
        raise BindRefused(f"Cannot listen on {settings.host}, which others can reach: {'; '.join(advice)}")
