"""The private PostgreSQL of a data folder: the first process starts it, the last one stops it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from scrapersky.embedded.account import Account, server_account
from scrapersky.embedded.binaries import major_version, reachable_binaries
from scrapersky.embedded.folders import check_owner, check_space, make_data_folder, socket_folder
from scrapersky.embedded.stale_locks import MAX_ORPHAN_SECONDS, clear_stale_locks, is_postmaster
from scrapersky.embedded.usage_locks import UsageLock, exclusive_lock, in_use
from scrapersky.errors import StartupError

DATABASE = "scrapersky"
ROLE = "scrapersky"
PORT = 5432
START_SECONDS = 300

OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    "synchronous_commit": "on",
    "jit": "off",
    "random_page_cost": "1.1",
    "autovacuum_naptime": "10s",
    "autovacuum_vacuum_cost_limit": "1000",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "postgresql-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_line_prefix": "%m [%p] %d ",
    "log_min_duration_statement": "1s",
    # No values of statements and rows: they may be addresses of people.
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}


class PrivateServer:
    """One server per data folder, shared by the processes that use it."""

    def __init__(self, data_folder: Path, *, options: Mapping[str, str] | None = None) -> None:
        self.data_folder = Path(os.path.abspath(data_folder))
        self.cluster = self.data_folder / "postgres"
        self._options = {**OPTIONS, **(options or {})}
        self._usage: UsageLock | None = None

    def start(self) -> None:
        """Start the server, or use the one that another process has started."""
        if self._usage is not None:
            return
        account = server_account()
        make_data_folder(self.data_folder, account)
        with exclusive_lock(self.data_folder / "lock"):
            usage = UsageLock(self.data_folder / "users")
            try:
                self._ensure_running(account)
            except BaseException:
                usage.release()
                raise
            self._usage = usage

    def restart(self) -> bool:
        """Restart the server if it has died; returns whether this call did it.

        A process that has stopped using it restarts nothing: nobody would stop it again.
        """
        with exclusive_lock(self.data_folder / "lock"):
            return self._usage is not None and self._ensure_running(server_account())

    def has_died(self) -> bool:
        """Whether no process of the server is left that could recover."""
        return not self.running() and not self._is_alive()

    def _ensure_running(self, account: Account) -> bool:
        """Launch the server unless it runs; waits for one that is recovering or stopping."""
        deadline = time.monotonic() + START_SECONDS
        while not self.running():
            if not self._is_alive():
                self._launch(account)
                return True
            if time.monotonic() > deadline:
                raise StartupError(f"The private PostgreSQL in {self.data_folder} did not become ready")
            time.sleep(0.1)
        return False

    def _is_alive(self) -> bool:
        lines = self._pid_file()
        return bool(lines) and is_postmaster(lines[0].strip(), self.cluster)

    def stop(self) -> None:
        """Stop using the server; the last process shuts it down cleanly."""
        if self._usage is None:
            return
        with exclusive_lock(self.data_folder / "lock"):
            self._usage.release()
            self._usage = None
            if in_use(self.data_folder / "users") or self.has_died():
                return
            self._shut_down(server_account())

    def running(self) -> bool:
        """Whether the server of this data folder accepts connections."""
        lines = self._pid_file()
        if len(lines) < 8 or lines[7].strip() != "ready":
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            try:
                probe.connect(f"{lines[4]}/.s.PGSQL.{lines[3]}")
            except OSError:
                return False
        return True

    def url(self, database: str = DATABASE) -> str:
        """The URL for SQLAlchemy; the server must be running."""
        return f"postgresql+asyncpg://{ROLE}@/{database}?host={quote(self._socket_folder(), safe='/')}"

    def _socket_folder(self) -> str:
        # Read from the server's own file: another process may have started it with another environment.
        lines = self._pid_file()
        if len(lines) < 5:
            raise StartupError(f"The private PostgreSQL in {self.data_folder} is not running")
        return lines[4]

    def _pid_file(self) -> list[str]:
        try:
            return (self.cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _shut_down(self, account: Account) -> None:
        # A server that is still recovering has not written the folder of its socket yet.
        sockets = Path((self._pid_file()[4:5] or [str(self.data_folder / "run")])[0])
        command: list[str | Path] = [reachable_binaries(account) / "pg_ctl", "stop", "-D", self.cluster]
        done = account.run([*command, "-m", "fast", "-w", "-t", str(START_SECONDS)], cwd=self.cluster)
        # A server that dies at this moment has stopped too; the next start recovers it.
        if done.returncode != 0 and not self.has_died():
            raise StartupError(f"The private PostgreSQL did not stop: {find_reason(done.stdout)}")
        if sockets.parent != self.data_folder:
            with suppress(OSError):
                sockets.rmdir()

    def _launch(self, account: Account) -> None:
        binaries = reachable_binaries(account)
        sockets = socket_folder(self.data_folder, account)
        check_space(self.data_folder)
        if not (self.cluster / "PG_VERSION").is_file():
            self._create(account, binaries)
        check_owner(self.cluster, account)
        self._check_version(binaries)
        clear_stale_locks(self.cluster, sockets, PORT)
        options = {**self._options, "unix_socket_directories": str(sockets), "port": str(PORT)}
        arguments = shlex.join(part for name, value in options.items() for part in ("-c", f"{name}={value}"))
        command: list[str | Path] = [
            binaries / "pg_ctl",
            "start",
            "-D",
            self.cluster,
            "-w",
            "-t",
            str(START_SECONDS),
        ]
        start_log = self.cluster / "start.log"
        deadline = time.monotonic() + MAX_ORPHAN_SECONDS
        while True:
            start_log.unlink(missing_ok=True)
            done = account.run([*command, "-l", start_log.name, "-o", arguments], cwd=self.cluster)
            if done.returncode == 0:
                return
            reason = self._reason(done.stdout)
            # Children of a killed server need a moment to exit.
            if "still in use" not in reason or time.monotonic() > deadline:
                raise StartupError(f"The private PostgreSQL in {self.data_folder} did not start: {reason}")
            time.sleep(0.2)

    def _create(self, account: Account, binaries: Path) -> None:
        if self.cluster.exists() and any(self.cluster.iterdir()):
            raise StartupError(f"The folder {self.cluster} holds something that is not a PostgreSQL database")
        unfinished = self.data_folder / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        account.make_private_folder(unfinished)
        make: list[str | Path] = [
            binaries / "initdb",
            "-D",
            unfinished,
            "-U",
            ROLE,
            "--encoding=UTF8",
            "--locale=C",
        ]
        make += [
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--auth-local=trust",
            "--auth-host=reject",
        ]
        if self._options.get("fsync") == "off":
            make.append("--no-sync")
        alone: list[str | Path] = [binaries / "postgres", "--single", "-D", unfinished, "template1"]
        steps: list[tuple[list[str | Path], str | None]] = [
            (make, None),
            (alone, f"CREATE DATABASE {DATABASE}\n"),
        ]
        for command, stdin in steps:
            try:
                done = account.run(command, cwd=unfinished, stdin=stdin)
            except subprocess.TimeoutExpired:
                raise StartupError(f"Creating the database in {self.data_folder} took too long") from None
            if done.returncode != 0:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise StartupError(
                    f"The database in {self.data_folder} was not created: {find_reason(done.stdout)}"
                )
        if self.cluster.exists():
            self.cluster.rmdir()
        unfinished.rename(self.cluster)

    def _check_version(self, binaries: Path) -> None:
        made_by = (self.cluster / "PG_VERSION").read_text().strip()
        ours = str(major_version(binaries))
        if made_by != ours:
            raise StartupError(
                f"The data folder {self.data_folder} was created by PostgreSQL {made_by}; this program "
                f"includes {ours}. Restore a backup into a new DATA_FOLDER, or set DATABASE_URL."
            )

    def _reason(self, output: str) -> str:
        # Before the log collector runs, reasons go to the start log; afterwards to the newest log.
        logs = sorted((self.cluster / "log").glob("*.log"), key=lambda path: path.stat().st_mtime)
        start_log = _read(self.cluster / "start.log")
        if "FATAL" not in start_log and logs:
            newest = [line for line in _read(logs[-1]).splitlines() if "FATAL" in line or "PANIC" in line]
            return find_reason("\n".join(newest[-1:]) or start_log or output)
        return find_reason(start_log or output)


def find_reason(output: str) -> str:
    """The line with the error in the output of a PostgreSQL program."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for pattern in (r"(?:FATAL|PANIC):\s*(.+)", r"(?:error|ERROR):\s*(.+)"):
        for line in lines:
            if match := re.search(pattern, line):
                return match[1]
    return lines[-1] if lines else "unknown reason"


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
