"""Checks the settings that control outgoing connections, before anything is started."""

from __future__ import annotations

from collections.abc import Mapping

import can_ada

from scrapersky.errors import StartupError
from scrapersky.extract.urls.hosts import is_internal_name, is_ip
from scrapersky.fetch.egress.ssrf import block_reason
from scrapersky.fetch.egress.test_overrides import (
    NO_EXCEPTIONS,
    EgressAllowList,
    parse_connect_to,
    parse_egress_allow,
)

_LOOPBACK = "127.0.0.1"


def check_egress_settings(egress_allow: str, connect_to: str, urls: Mapping[str, str]) -> list[str]:
    """One line for each wrong setting; `urls` are those of services by setting name and are never shown."""
    problems: list[str] = []
    allow_list = NO_EXCEPTIONS
    try:
        allow_list = parse_egress_allow(egress_allow)
    except StartupError as error:
        problems.append(str(error))
    try:
        parse_connect_to(connect_to)
    except StartupError as error:
        problems.append(str(error))
    for setting, url in urls.items():
        if reason := check_service_url(url, allow_list):
            problems.append(f"{setting} {reason}")
    return problems


def check_service_url(url: str, allow_list: EgressAllowList = NO_EXCEPTIONS) -> str:
    """Why a service may not be called, or an empty string; EGRESS_ALLOW opens private hosts."""
    try:
        parsed = can_ada.parse(url)
    except (ValueError, TypeError):
        return "is not an http or https address"
    if parsed.protocol not in ("http:", "https:") or parsed.port == "0":
        return "is not an http or https address"
    if parsed.username or parsed.password:
        return "must not hold a user name or password"
    host = str(parsed.hostname).removesuffix(".")
    port = int(parsed.port or (443 if parsed.protocol == "https:" else 80))
    ip = host.strip("[]") if is_ip(host) else _LOOPBACK if host == "localhost" else ""
    is_private = block_reason(ip) is not None if ip else is_internal_name(host)
    if is_private and not allow_list.allows(ip, port, name=host):
        return f"names a private host; add its host:{port} to EGRESS_ALLOW if that is meant"
    return ""
