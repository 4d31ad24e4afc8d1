"""The stand of the crawl: the demo world in a process of its own, the peers' environments, CPU and memory."""

from __future__ import annotations

import json
import os
import resource
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
    """The memory of some processes and all their descendants, by /proc."""

    def __init__(self, *roots: int) -> None:
        self._roots = roots
        self._peak = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def peak_mib(self) -> float:
        """The largest single process."""
        return self._peak

    def _run(self) -> None:
        while not self._over.wait(0.5):
            for pid in family(*self._roots):
                for line in _read(Path(f"/proc/{pid}/status")).splitlines():
                    if line.startswith("VmHWM:"):
                        self._peak = max(self._peak, int(line.split()[1]) / 1024)


def ended_cpu() -> float:
    """CPU seconds, from first to last, of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def running_cpu(root: int) -> float:
    """CPU seconds of a process, of those that it has waited for, and of its running descendants."""
    # User and system time of the process, then of the children that it has waited for.
    return sum(sum(map(int, stat[11:15])) for stat in family(root).values()) / TICK


def family(*roots: int) -> dict[int, list[str]]:
    """What /proc says of some processes and all their descendants, by their ids."""
    stats = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            stats[int(entry.name)] = stat

    def belongs(pid: int) -> bool:
        while pid in stats and pid not in roots:
            pid = int(stats[pid][1])
        return pid in roots

    return {pid: stat for pid, stat in stats.items() if belongs(pid)}


def parent_of(pid: int) -> int:
    return int(_stat(pid)[1])


def _stat(pid: int) -> list[str]:
    """The fields behind the name of a process; empty when it is gone."""
    stat = _read(Path(f"/proc/{pid}/stat"))
    return stat[stat.rindex(")") + 2 :].split() if stat else []


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
