"""Settings of the program: addresses, data folder, logging, workers and the database."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from scrapersky.settings.field import Group, Secret, ShortText, setting

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class ProgramSettings(Group):
    """Program"""

    host: ShortText = setting("127.0.0.1", "Address the web application listens on.")
    port: int = setting(8000, "Port of the web application.", ge=1, le=65_535)
    allowed_hosts: ShortText = setting(
        "",
        "Host names under which the web application may be reached, separated by commas; `.example.org`"
        " allows all names below it, `*` any name. Loopback names, HOST and IP addresses are always allowed.",
    )
    max_request_body_mib: int = setting(10, "Largest body of a request to the API.", ge=1, le=1_024)
    request_body_timeout_seconds: int = setting(
        30, "A request whose body takes longer to arrive is refused.", ge=1, le=3_600
    )
    max_connections: int = setting(
        1_000, "Open connections of the web application; more are answered with 503.", ge=10, le=100_000
    )
    data_folder: ShortText = setting(
        "", "Data folder of the private PostgreSQL; empty chooses one for this installation."
    )
    log_level: Level = setting("INFO", "Minimum log level.")
    log_format: Literal["auto", "text", "json"] = setting(
        "auto", "Log format; `auto` writes text to a terminal and JSON otherwise."
    )
    secret_key: Secret = setting(
        None,
        "Encrypts stored secrets and signs what clients hand back: at least 32 random characters. If not set,"
        " one is generated in the data folder; several machines with one database need the same.",
    )
    secret_key_previous: Secret = setting(
        None, "The SECRET_KEY before the current one; what it encrypted stays readable."
    )
    scheduler_in_web: bool = setting(False, "Run the scheduler and the workers in the web process.")
    worker_processes: int = setting(
        1, "Worker processes started by `scrapersky worker` and `up`.", ge=1, le=64
    )
    worker_heartbeat_timeout_seconds: int = setting(
        60, "A supervised worker without a heartbeat for this long is replaced.", ge=5, le=3_600
    )
    scheduler_system_user_id: UUID = setting(
        UUID("5ca1ab1e-0000-4000-8000-000000000001"),
        "User that owns what the scheduler creates; created by the migration.",
    )
    default_tenant_id: UUID = setting(
        UUID("550e8400-e29b-41d4-a716-446655440000"),
        "Default tenant; created by the migration.",
    )


class DatabaseSettings(Group):
    """Database"""

    database_url: Secret = setting(None, "PostgreSQL 14 or newer; the private PostgreSQL is used if not set.")
    database_pooler: Literal["session", "transaction"] = setting(
        "session",
        "`transaction` behind PgBouncer or Supavisor in that mode: no LISTEN, nothing prepared.",
    )
    database_pool_size: int = setting(10, "Maximum database connections of one process.", ge=2, le=200)
    database_connect_timeout_seconds: int = setting(10, "Connect timeout of the database.", ge=1, le=300)
    database_statement_timeout_seconds: int = setting(
        15, "Statement timeout of the application.", ge=1, le=3_600
    )
    database_lock_timeout_seconds: int = setting(5, "Lock timeout.", ge=1, le=600)
    database_idle_in_transaction_timeout_seconds: int = setting(
        10, "Timeout of idle transactions.", ge=1, le=3_600
    )
    min_free_disk_percent: int = setting(
        10,
        "No rows are claimed while the private PostgreSQL's disk has less free space than the smaller of"
        " this share and `MIN_FREE_DISK_MIB`.",
        ge=0,
        le=90,
    )
    min_free_disk_mib: int = setting(
        2_048, "See `MIN_FREE_DISK_PERCENT`; 0 in either disables the check.", ge=0, le=10_000_000
    )
