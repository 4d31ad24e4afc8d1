"""Worker processes that a test starts, kills and counts; each is ended by its own process id."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from children import die_with_parent

HERE = Path(__file__).parent


class Fleet:
    def __init__(self, url: str, kind: str = "store", **given: Any) -> None:
        self.command = [sys.executable, str(HERE / "process.py"), url, kind, json.dumps(given)]
        if kind == "tick":
            self.command = [sys.executable, str(HERE / "ticker.py"), url, str(given["every"])]
        self.processes: list[subprocess.Popen[bytes]] = []
        self.kills = 0

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.processes:
            with contextlib.suppress(ProcessLookupError):
                # The group, because a wrapper such as faketime may stand before the worker.
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()
            if one.stdout:
                one.stdout.close()

    def start(self, number: int = 1, *, wait: bool = True) -> subprocess.Popen[bytes]:
        source = HERE.parents[1] / "src"
        environment = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{HERE}"}
        for _ in range(number):
            one = subprocess.Popen(
                self.command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
                start_new_session=True,
            )
            self.processes.append(one)
        if wait:
            for one in self.processes[-number:]:
                assert one.stdout
                one.stdout.readline()
        return one

    def kill_one(self, chance: random.Random) -> None:
        """kill -9 a random worker and start another."""
        victim = chance.choice([one for one in self.processes if one.poll() is None])
        victim.kill()
        victim.wait()
        self.kills += 1
        self.start(wait=False)

    def kill_the_old(self, ends: dict[int, float], chance: random.Random, life: tuple[float, float]) -> None:
        """kill -9 each worker whose time is up, and start another; its life begins with its first line."""
        alive = [one for one in self.processes if one.poll() is None]
        for one in alive:
            if one.pid not in ends and select.select([one.stdout], [], [], 0)[0]:
                ends[one.pid] = time.monotonic() + chance.uniform(*life)
            if time.monotonic() >= ends.get(one.pid, math.inf):
                one.kill()
                one.wait()
                self.kills += 1
                self.start(wait=False)

    def keep_up(self, number: int) -> None:
        """What a supervisor does: start as many as are missing."""
        alive = sum(one.poll() is None for one in self.processes)
        if alive < number:
            self.start(number - alive, wait=False)
