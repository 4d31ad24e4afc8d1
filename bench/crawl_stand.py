"""The stand of the crawl: the demo world in a process of its own, the peers' environments, CPU and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from bench.results import ROOT
from scrapersky_demo.server.request_log import Request, RequestLog

TICK = os.sysconf("SC_CLK_TCK")
NOT_PAGES = (".xml", ".gz", ".txt", ".rss", "/feed", "/feed/", ".ico")


@contextmanager
def world(seed: int, size: int, folder: Path) -> Iterator[tuple[int, Path]]:
    """A fresh demo world; gives its port, and the file in which its log stands after the end."""
    log = folder / "requests.tsv"
    command = [sys.executable, "-m", "scrapersky_demo", "--seed", str(seed), "--size", str(size)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--ready", "--log", str(log)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield int(json.loads(line)["port"]), log
    finally:
        process.terminate()
        process.wait(timeout=30)


class Watch:
    """CPU seconds and peak memory of some processes and all their descendants, by /proc."""

    def __init__(self, *roots: int) -> None:
        self.roots = set(roots)
        self.cpu: dict[int, float] = {}
        self.peak: dict[int, float] = {}
        self.names: dict[int, str] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        self._before = dict(self._look())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def cpu_seconds(self) -> float:
        return sum(used - self._before.get(pid, 0.0) for pid, used in self.cpu.items())

    @property
    def peak_mib(self) -> float:
        """The largest single process."""
        return max(self.peak.values(), default=0.0)

    def _run(self) -> None:
        while not self._over.wait(0.5):
            self._look()
        self._look()

    def _look(self) -> dict[int, float]:
        parents: dict[int, int] = {}
        used: dict[int, float] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (stat := _read(entry / "stat")):
                fields = stat[stat.rindex(")") + 2 :].split()
                parents[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = (int(fields[11]) + int(fields[12])) / TICK
        for pid in (pid for pid in parents if self._is_ours(pid, parents)):
            self.cpu[pid] = used[pid]
            for line in _read(Path(f"/proc/{pid}/status")).splitlines():
                if line.startswith("VmHWM:"):
                    self.peak[pid] = int(line.split()[1]) / 1024
        return self.cpu

    def _is_ours(self, pid: int, parents: dict[int, int]) -> bool:
        while pid > 1:
            if pid in self.roots:
                return True
            pid = parents.get(pid, 0)
        return False


def parent_of(pid: int) -> int:
    stat = _read(Path(f"/proc/{pid}/stat"))
    return int(stat[stat.rindex(")") + 2 :].split()[1])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def requests_of(log: Path) -> list[Request]:
    """What the world was asked, in the order of time."""
    while not log.exists():
        sleep(0.05)
    return sorted(RequestLog.load(log))


def pages_of(requests: list[Request]) -> list[Request]:
    """The first answer of each page that came whole; robots files, sitemaps and feeds are no pages."""
    seen: dict[tuple[str, str], Request] = {}
    for one in requests:
        path = one.target.partition("?")[0].lower()
        if one.status == 200 and one.method == "GET" and not path.endswith(NOT_PAGES):
            seen.setdefault((one.host, one.target), one)
    return list(seen.values())
