"""Removes the lock files of a killed PostgreSQL.

PostgreSQL refuses to start if the pid in such a file belongs to any running process, and pids are reused
after a restart of the machine or of a container.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from scrapersky.errors import StartupError

MAX_ORPHAN_SECONDS = 20.0
GRACE_SECONDS = 2.0


def server_processes(cluster: Path) -> list[int]:
    """The processes of this cluster's server; empty without /proc."""
    return [pid for path in Path("/proc").glob("[0-9]*") if _works_in(pid := int(path.name), cluster)]


def is_postmaster(number: str, cluster: Path) -> bool:
    """Whether the pid in a lock file is that of a running process of this cluster's server.

    A server in single-user mode writes a negative pid.
    """
    plain = number.removeprefix("-")
    return plain.isdecimal() and _works_in(int(plain), cluster)


def _works_in(pid: int, cluster: Path) -> bool:
    # Every process of a server has the cluster as its working folder; a person's shell may have it too.
    process = Path(f"/proc/{pid}")
    try:
        return (
            Path(os.readlink(process / "cwd")) == cluster.resolve()
            and (process / "comm").read_text().strip() == "postgres"
        )
    except OSError:
        return False


def clear_stale_locks(cluster: Path, sockets: Path, port: int) -> None:
    """Remove the lock files of a dead server; needs the start lock.

    Without /proc the decision is left to PostgreSQL.
    """
    if not Path("/proc/self/cwd").exists():
        return
    _end_orphans(cluster)
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    # The folder of the socket belongs to this cluster, unless another server was configured to use it.
    lock = sockets / f".s.PGSQL.{port}.lock"
    if not _belongs_to_another_server(lock, cluster):
        lock.unlink(missing_ok=True)
        lock.with_suffix("").unlink(missing_ok=True)


def _belongs_to_another_server(lock: Path, cluster: Path) -> bool:
    try:
        number, folder = lock.read_text(errors="replace").splitlines()[:2]
    except (OSError, ValueError):
        return False
    return Path(folder) != cluster and is_postmaster(number.strip(), Path(folder))


def _end_orphans(cluster: Path) -> None:
    """Wait for the children of a killed server to exit; those in a long query are killed."""
    began = time.monotonic()
    while orphans := server_processes(cluster):
        waited = time.monotonic() - began
        if waited > MAX_ORPHAN_SECONDS:
            raise StartupError(f"Processes of a killed server still use {cluster}: stop them")
        if waited > GRACE_SECONDS:
            for pid in orphans:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGQUIT if waited < 2 * GRACE_SECONDS else signal.SIGKILL)
        time.sleep(0.1)
