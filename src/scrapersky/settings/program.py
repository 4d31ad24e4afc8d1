"""Settings of the program itself: where it listens, what it stores where, how it logs."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from scrapersky.settings.setting import Group, Secret, ShortText, setting

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class ProgramSettings(Group):
    """The program"""

    host: ShortText = setting("127.0.0.1", "Address the web application listens on.")
    port: int = setting(8000, "Port of the web application.", ge=1, le=65_535)
    allowed_hosts: ShortText = setting(
        "",
        "Host names under which the web application may be reached, separated by commas; `.example.org`"
        " allows all names below it, `*` any name. Loopback names, HOST and IP addresses are always allowed.",
    )
    data_folder: ShortText = setting("", "Folder of the private PostgreSQL; empty chooses one for this copy.")
    log_level: Level = setting("INFO", "Least serious log line that is written.")
    log_format: Literal["auto", "text", "json"] = setting(
        "auto", "Log lines for people, for machines, or by terminal."
    )
    scheduler_in_web: bool = setting(
        False, "Whether the web process also hosts the scheduler and the workers."
    )
    worker_processes: int = setting(
        1, "Worker processes that `scrapersky worker` and `up` start.", ge=1, le=64
    )
    worker_heartbeat_timeout_seconds: int = setting(
        60, "A supervised worker without a heartbeat for this long is replaced.", ge=5, le=3_600
    )
    scheduler_system_user_id: UUID = setting(
        UUID("5ca1ab1e-0000-4000-8000-000000000001"),
        "User that owns what the scheduler creates; made by migration.",
    )
    default_tenant_id: UUID = setting(
        UUID("550e8400-e29b-41d4-a716-446655440000"),
        "Tenant of everything that names none; made by migration.",
    )


class DatabaseSettings(Group):
    """The database"""

    database_url: Secret = setting(None, "A PostgreSQL 14 or newer; not set means the private PostgreSQL.")
    database_pooler: Literal["session", "transaction"] = setting(
        "session", "`transaction` behind PgBouncer or Supavisor in that mode: nothing prepared, no LISTEN."
    )
    database_pool_size: int = setting(10, "Connections that one process keeps at most.", ge=2, le=200)
    database_connect_timeout_seconds: int = setting(10, "Wait for a new connection.", ge=1, le=300)
    database_statement_timeout_seconds: int = setting(
        15, "Longest statement of the application.", ge=1, le=3_600
    )
    database_lock_timeout_seconds: int = setting(5, "Longest wait for a lock.", ge=1, le=600)
    database_idle_in_transaction_timeout_seconds: int = setting(
        10, "A transaction that idles longer is ended by the database.", ge=1, le=3_600
    )
    disk_free_least_percent: int = setting(
        10,
        "New work waits while less of the private PostgreSQL's disk is free than the smaller of this share "
        "and `DISK_FREE_LEAST_MIB`.",
        ge=0,
        le=90,
    )
    disk_free_least_mib: int = setting(
        2_048, "See `DISK_FREE_LEAST_PERCENT`; 0 in either switches the check off.", ge=0, le=10_000_000
    )
