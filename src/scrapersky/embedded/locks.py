"""Lock files that a killed PostgreSQL leaves behind: told from those of a living one, and removed.

PostgreSQL refuses to start when the number in such a file belongs to any living process, and numbers are
given out again after a restart of the machine or of a container.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from scrapersky.errors import StartupError

ORPHANS_SECONDS = 20.0
PATIENCE_SECONDS = 2.0


def server_processes(cluster: Path) -> list[int]:
    """The processes of the server of this cluster; nothing where there is no /proc."""
    return [int(one.name) for one in Path("/proc").glob("[0-9]*") if _works_in(int(one.name), cluster)]


def is_postmaster(number: str, cluster: Path) -> bool:
    """Whether the number in a lock file is that of a living process of this cluster's server.

    A server in single-user mode writes its number with a minus sign.
    """
    plain = number.removeprefix("-")
    return plain.isdecimal() and _works_in(int(plain), cluster)


def _works_in(pid: int, cluster: Path) -> bool:
    # Every process of a server has the cluster as its working folder; so may have a person's shell.
    process = Path(f"/proc/{pid}")
    try:
        return (
            Path(os.readlink(process / "cwd")) == cluster.resolve()
            and (process / "comm").read_text().strip() == "postgres"
        )
    except OSError:
        return False


def clear_stale_locks(cluster: Path, sockets: Path, port: int) -> None:
    """Remove the lock files of a server that is dead; call it under the start lock.

    Where there is no /proc PostgreSQL judges them alone.
    """
    if not Path("/proc/self/cwd").exists():
        return
    _end_orphans(cluster)
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    # The folder of the socket is private to this cluster, unless somebody pointed another server at it.
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
    """Children of a server that was killed leave at once; those in the middle of a long query are made to."""
    began = time.monotonic()
    while orphans := server_processes(cluster):
        waited = time.monotonic() - began
        if waited > ORPHANS_SECONDS:
            raise StartupError(f"Processes of a killed server still use {cluster}: stop them")
        if waited > PATIENCE_SECONDS:
            for pid in orphans:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGQUIT if waited < 2 * PATIENCE_SECONDS else signal.SIGKILL)
        time.sleep(0.1)
