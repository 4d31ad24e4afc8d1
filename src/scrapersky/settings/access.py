"""Settings of access by people and programs: proxies and sessions."""

from __future__ import annotations

from scrapersky.settings.field import Group, ShortText, setting


class AccessSettings(Group):
    """Access"""

    public_url: ShortText = setting(
        "",
        "Address of the web application behind a proxy that terminates TLS, such as"
        " `https://leads.example.org`; its host is allowed. Needed when HOST is not a loopback address.",
    )
    trusted_proxies: ShortText = setting(
        "",
        "Addresses or networks of these proxies, separated by commas; only they are believed about the"
        " client's address and TLS (X-Forwarded-For, X-Forwarded-Proto).",
    )
    session_idle_hours: int = setting(12, "A session that is not used for this long ends.", ge=1, le=168)
    session_max_days: int = setting(7, "A session ends after this time in any case.", ge=1, le=90)
