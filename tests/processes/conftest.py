"""Programs started as people start them, ended by their own process ids, with nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from children import stop_with_parent  # noqa: E402 - our tests are on the path only now.


class Program:
    """One command of ours as a process in a session of its own."""

    def __init__(self, arguments: tuple[str, ...], folder: Path, settings: dict[str, str]) -> None:
        self.log = Path(tempfile.mkstemp(dir=folder, suffix=".log")[1])
        environment = {**os.environ, "PYTHONPATH": str(TESTS.parent / "src"), **settings}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "scrapersky", *arguments],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                preexec_fn=stop_with_parent,
            )

    def events(self, name: str) -> list[dict[str, Any]]:
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [one for line in lines if (one := json.loads(line)).get("event") == name]

    def wait_for(self, name: str, *, times: int = 1, seconds: float = 60) -> list[dict[str, Any]]:
        deadline = time.monotonic() + seconds
        while len(found := self.events(name)) < times:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return found

    def end(self, number: int = signal.SIGTERM, *, seconds: float = 60) -> int:
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., Program]]:
    """Start a program; whatever still runs at the end of the test is ended."""
    started: list[Program] = []

    def run(*arguments: str, **settings: str) -> Program:
        started.append(Program(arguments, folder, {"LOG_FORMAT": "json", **settings}))
        return started[-1]

    yield run
    for program in started:
        if program.process.poll() is None:
            program.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.process.wait(30)
        program.kill()


@pytest.fixture
def free_port() -> Callable[[], str]:
    def find() -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return str(probe.getsockname()[1])

    return find


@pytest.fixture
def ask() -> Callable[..., tuple[int, dict[str, Any]]]:
    """Ask for health until the wanted state comes; gives the last answer."""

    def until(port: str, *, status: str, path: str = "/health", seconds: float = 60) -> tuple[int, Any]:
        deadline = time.monotonic() + seconds
        answer: tuple[int, Any] = (0, {})
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
                    answer = (response.status, json.load(response))
            except urllib.error.HTTPError as error:
                answer = (error.code, json.load(error))
            except OSError:
                answer = (0, {})
            if answer[1].get("status") == status:
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{answer} is not {status}")

    return until
