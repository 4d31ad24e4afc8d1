"""The stand on which the engines are measured: a private PostgreSQL, a Redis, their processes, their CPU."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.results import ROOT

# One environment for all: they share drivers and event loop, so that nobody has a newer one than the others.
PACKAGES = (
    "procrastinate==3.10.0",
    "pgqueuer==1.6.0",
    "celery[redis]==5.7.0",
    "asyncpg==0.32.0",
    "psycopg[binary]==3.3.8",
    "uvloop==0.23.0",
)
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Engine:
    """One of the compared: its name, its module, the interpreter that runs it, and how its open rows show."""

    who: str
    module: str
    python: Path
    open_rows: str = ""

    def command(self, *arguments: object) -> list[str]:
        return [str(self.python), "-m", f"bench.{self.module}", *(str(one) for one in arguments)]

    def run(self, *arguments: object) -> str:
        """Run a command of the side's to its end; gives what it printed."""
        told = subprocess.run(
            self.command(*arguments), env=environment(), capture_output=True, text=True, timeout=900
        )
        if told.returncode:
            raise SystemExit(f"{self.who}, {arguments[0]}: {told.stderr.strip()[-2000:]}")
        return told.stdout

    @contextmanager
    def workers(self, number: int, url: str, marks: Path) -> Iterator[list[int]]:
        """That many worker processes, all waiting for work; gives their process ids."""
        processes = [
            subprocess.Popen(
                self.command("work", url, marks, worker),
                env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for worker in range(number)
        ]  # fmt: skip
        try:
            for one in processes:
                # Some greet first; without a last line that says "ready" it has ended.
                if not any(line.strip() == "ready" for line in one.stdout or ()):
                    one.kill()
                    raise SystemExit(f"{self.who}, work: {one.communicate()[1].strip()[-2000:]}")
            time.sleep(0.5)
            yield [one.pid for one in processes]
        finally:
            for one in processes:
                one.kill()
                one.communicate()


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}


@contextmanager
def private_redis(folder: Path) -> Iterator[tuple[str, int] | None]:
    """A Redis of our own that keeps what it is told (appended every second), if there is one to start."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    folder.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"--bind 127.0.0.1 --port {port} --appendonly yes --appendfsync everysec --save"
    process = subprocess.Popen(
        [program, *options.split(), "", "--dir", str(folder)], stdout=subprocess.DEVNULL
    )
    try:
        _wait_for_port(port)
        yield f"redis://127.0.0.1:{port}/0", process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_for_port(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("the private Redis did not start")


def cpu_of(pids: list[int]) -> float:
    """The seconds of CPU that these processes have used, with those of their children that have ended."""
    return sum(sum(int(field) for field in _stat(pid)[11:15]) for pid in pids) / TICK


def server_pids(cluster: Path) -> list[int]:
    """All processes of the server: the first and its children."""
    first = int((cluster / "postmaster.pid").read_text().split()[0])
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [first, *(pid for pid in processes if _stat(pid)[1:2] == [str(first)])]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on; the second may hold spaces."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
