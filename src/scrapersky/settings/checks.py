"""Checks of single settings and the rules between them; a broken rule is one line that names the settings."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapersky.declarations.statuses import EMAIL_RESULT

if TYPE_CHECKING:
    from scrapersky.settings.model import Settings


def check_web_url(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^\s/$.?#][^\s]*", value, re.IGNORECASE):
        raise ValueError("is not an http or https address")
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise ValueError("is not an http or https address") from None
    if "@" in parts.netloc or "\\" in value:
        raise ValueError("must not hold a user name or password")
    return value


def check_origin(value: str) -> str:
    """An address without a path, as browsers send it in the header Origin."""
    plain = check_web_url(value).rstrip("/").lower()
    if plain.count("/") > 2 or "?" in plain or "#" in plain:
        raise ValueError("must be an address without a path, such as https://leads.example.org")
    return plain


def check_networks(value: str) -> str:
    for entry in filter(None, (part.strip() for part in value.split(","))):
        try:
            ipaddress.ip_network(entry)
        except ValueError:
            raise ValueError("must be IP addresses or networks, separated by commas") from None
    return value


def check_probe_hosts(value: str) -> str:
    entries = [entry.strip() for entry in value.split(",")]
    if not all(re.fullmatch(r"[\w.-]+(?::\d{1,5})?", entry, re.ASCII) for entry in entries if entry):
        raise ValueError("must be HOST or HOST:PORT, separated by commas")
    return value


def check_email_results(value: str) -> str:
    words = [word for word in (part.strip() for part in value.split(",")) if word]
    if any(word not in EMAIL_RESULT for word in words):
        raise ValueError(f"must be of {', '.join(EMAIL_RESULT)}, separated by commas")
    return ",".join(words)


def validate_user_agent(value: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]{0,200}", value):
        raise ValueError("must be at most 200 printable ASCII characters on one line")
    return value


def check_contact(value: str) -> str:
    if value and not re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+|https?://[^\s]+\.[^\s]+", value):
        raise ValueError("must be an e-mail address or a URL")
    return validate_user_agent(value)


def is_strong_secret(value: str) -> bool:
    """Whether a secret can hardly be guessed: long, varied, and without the words of examples."""
    is_example = re.search(r"change.?me|example|secret|password|1234|qwer|abcd", value, re.IGNORECASE)
    return len(value) >= 32 and len(set(value)) >= 12 and not is_example


def listens_beyond_this_machine(host: str) -> bool:
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


# The first must not be more than the second.
_AT_MOST = (
    ("sweep_seconds", "lease_seconds"),
    ("shutdown_grace_seconds", "lease_seconds"),
    ("poll_min_milliseconds", "poll_max_milliseconds"),
    ("fetch_connect_timeout_seconds", "fetch_timeout_seconds"),
    ("fetch_first_byte_timeout_seconds", "fetch_timeout_seconds"),
    ("database_lock_timeout_seconds", "database_statement_timeout_seconds"),
    ("max_header_field_kib", "max_headers_kib"),
)


def broken_rules(settings: Settings) -> list[str]:
    """One line for each rule between settings that does not hold."""
    public = listens_beyond_this_machine(settings.host)
    rules = [
        (
            settings.lease_seconds > 2 * settings.heartbeat_seconds,
            "LEASE_SECONDS must be more than twice HEARTBEAT_SECONDS",
        ),
        (
            settings.retry_base_seconds <= 60 * settings.retry_max_minutes,
            "RETRY_BASE_SECONDS must not be more than RETRY_MAX_MINUTES",
        ),
        (
            settings.low_water_rows < settings.high_water_rows,
            "LOW_WATER_ROWS must be less than HIGH_WATER_ROWS",
        ),
        (
            not settings.scraper_api_enabled or settings.scraper_api_key is not None,
            "SCRAPER_API_ENABLED needs SCRAPER_API_KEY",
        ),
        (
            bool(settings.s3_access_key) == (settings.s3_secret_key is not None),
            "S3_ACCESS_KEY and S3_SECRET_KEY belong together",
        ),
        (
            bool(settings.egress_allow)
            or not re.search(r":(?!0*(?:80|443)\b)", settings.network_probe_hosts),
            "NETWORK_PROBE_HOSTS: only ports 80 and 443 can be reached",
        ),
        (
            not settings.alert_email_to or bool(settings.alert_smtp_host and settings.alert_email_from),
            "ALERT_EMAIL_TO needs ALERT_SMTP_HOST and ALERT_EMAIL_FROM",
        ),
        (
            not (public and (settings.egress_allow or settings.connect_to)),
            "EGRESS_ALLOW and CONNECT_TO are for tests: HOST must be a loopback address with them",
        ),
    ]
    rules += [
        (
            getattr(settings, name) <= getattr(settings, limit),
            f"{name.upper()} must not be more than {limit.upper()}",
        )
        for name, limit in _AT_MOST
    ]
    return [line for holds, line in rules if not holds]


def risky_settings(settings: Settings) -> list[str]:
    """What is allowed but should be known at start, one line each."""
    warnings = []
    if settings.egress_allow or settings.connect_to:
        warnings.append("EGRESS_ALLOW or CONNECT_TO is set: private addresses can be fetched")
    if not settings.obey_robots:
        warnings.append("OBEY_ROBOTS is off: robots.txt is ignored")
    if settings.secret_key and not is_strong_secret(settings.secret_key.get_secret_value()):
        warnings.append("SECRET_KEY is weak: use at least 32 random characters")
    return warnings
