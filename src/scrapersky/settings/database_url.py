"""DATABASE_URL: what PostgreSQL's own programs accept there works here too, or is refused by name."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from pydantic import SecretStr

SCHEMES = ("postgresql", "postgres", "postgresql+asyncpg")
SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
SESSIONS = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")
# Handed to the driver, which treats them as libpq does.
PASSED_ON = {
    "sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "sslnegotiation",
    "ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs", "application_name",
    "options", "user", "password", "port", "passfile", "krbsrvname", "gsslib",
}  # fmt: skip
FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl", "passfile")
# Tuning that the driver does not offer; the connection is the same without it.
WITHOUT_EFFECT = {
    "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
    "sslcompression", "sslsni", "gssdelegation",
}  # fmt: skip
# Parameters of which the driver can do some values only.
ALLOWED = {
    "sslmode": SSL_MODES,
    "target_session_attrs": SESSIONS,
    "channel_binding": ("disable", "prefer"),
    "gssencmode": ("disable", "prefer"),
    "client_encoding": ("utf8", "UTF8", "utf-8", "UTF-8", "auto"),
    "load_balance_hosts": ("disable",),
    "sslnegotiation": ("postgres", "direct"),
}
NOT_AN_ADDRESS = "is not an address such as postgresql://user:password@host/name"


def check_database_url(value: SecretStr | None) -> SecretStr | None:
    """Only PostgreSQL is a database here; the text is never shown, because it holds the password."""
    if value is None:
        return None
    try:
        parts = urlsplit(value.get_secret_value())
        _ = parts.port
    except ValueError:
        raise ValueError(NOT_AN_ADDRESS) from None
    if parts.scheme not in SCHEMES or not parts.path.strip("/"):
        raise ValueError(NOT_AN_ADDRESS)
    _check(_parameters(parts.query))
    return value


def sqlalchemy_url(url: str) -> str:
    """The same database for SQLAlchemy; what only the driver understands goes to it as a `dsn`."""
    parts = urlsplit(url)
    parameters = _parameters(parts.query)
    if name := parameters.get("fallback_application_name"):
        parameters.setdefault("application_name", name)
    if parameters.get("sslrootcert") == "system":
        parameters["sslrootcert"] = _system_certificates()
    passed_on = {name: value for name, value in parameters.items() if name in PASSED_ON}
    query = {"host": parameters["host"]} if "host" in parameters else {}
    if passed_on:
        query["dsn"] = f"postgresql:///?{urlencode(passed_on, quote_via=quote)}"
    rebuilt = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(query, safe="/"), ""))
    # An address of a Unix socket has no host, and then the two slashes would be lost.
    rest = rebuilt.removeprefix("postgresql:")
    return f"postgresql+asyncpg:{rest if rest.startswith('//') else '//' + rest}"


def libpq_parameters(query: str) -> dict[str, str]:
    """The query of a SQLAlchemy address as libpq's own programs want it."""
    parameters = dict(parse_qsl(query))
    return {**parameters, **dict(parse_qsl(urlsplit(parameters.pop("dsn", "")).query))}


def connect_timeout(url: str) -> int | None:
    """The address's own limit for a new connection; none for libpq's 0, which means no limit."""
    return int(_parameters(urlsplit(url).query).get("connect_timeout", "0")) or None


def _parameters(query: str) -> dict[str, str]:
    """The parameters by libpq's names; SQLAlchemy and others call `sslmode` `ssl`."""
    parameters = dict(parse_qsl(query))
    if "ssl" in parameters:
        mode = parameters.pop("ssl")
        parameters.setdefault("sslmode", {"true": "require", "false": "disable"}.get(mode, mode))
    return parameters


def _check(parameters: dict[str, str]) -> None:
    known = PASSED_ON | WITHOUT_EFFECT | set(ALLOWED)
    known |= {"host", "connect_timeout", "fallback_application_name"}
    for name, value in parameters.items():
        if name not in known:
            raise ValueError(f"has the parameter {name}, which is not supported")
        if name in ALLOWED and value not in ALLOWED[name]:
            raise ValueError(f"has an unsupported {name}; expected one of {', '.join(ALLOWED[name])}")
        if name in ("connect_timeout", "port") and not value.isascii() & value.isdecimal():
            raise ValueError(f"has a {name} that is not a whole number")
        if name in FILES and (name, value) != ("sslrootcert", "system") and not os.access(value, os.R_OK):
            raise ValueError(f"names a file as {name} that does not exist or cannot be read")
    if parameters.get("sslmode", "") in ("verify-ca", "verify-full") and not _root_certificate(parameters):
        raise ValueError(f"has sslmode={parameters['sslmode']} without sslrootcert; set a file or `system`")


def _root_certificate(parameters: dict[str, str]) -> str:
    path = parameters.get("sslrootcert") or os.environ.get("PGSSLROOTCERT", "")
    if path == "system":
        return _system_certificates()
    own = Path("~/.postgresql/root.crt").expanduser()
    return path or (str(own) if own.is_file() else "")


def _system_certificates() -> str:
    return ssl.get_default_verify_paths().cafile or ""
