"""`scrapersky up` and its kin as people run them: started, killed, crowded, told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from product import TENANT, USER
from scrapersky.embedded import PrivateServer, find_binaries
from scrapersky.embedded.account import server_account
from scrapersky.log import Log
from scrapersky.processes.supervisor import Supervisor

Start = Callable[..., Any]
Ask = Callable[..., tuple[int, dict[str, Any]]]
Port = Callable[[], str]
# A job that no worker knows fails at once.
JOB = f"""
INSERT INTO jobs (tenant_id, created_by, job_type) VALUES ('{TENANT}', '{USER}', 'unknown') RETURNING id
"""


def using(data_folder: Path) -> list[int]:
    """The processes of the private PostgreSQL of a data folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if Path(os.readlink(process / "cwd")).is_relative_to(data_folder.resolve()):
                found.append(int(process.name))
    return found


def children(parent: int) -> list[int]:
    """Processes whose parent this is."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            if int(status.read_text().rsplit(")", 1)[1].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


def gone(pids: list[int], *, seconds: float = 40) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.timed
def test_up_serves_survives_kill_9_of_everything_and_ends_in_order(
    folder: Path, start: Start, ask: Ask, free_port: Port
) -> None:
    data, port = folder / "data", free_port()
    given = {"DATA_FOLDER": str(data), "PORT": port, "DATABASE_URL": ""}
    first = start("up", **given)
    code, report = ask(port, status="healthy")
    assert code == 200
    assert report["external_services"]["database"] is True
    assert ask(port, status="ready", path="/health/ready")[0] == 200

    # Somebody else's command joins the same private database.
    paused = start("stage", "pause", "run_job", **given)
    assert paused.process.wait(60) == 0
    _, report = ask(port, status="healthy")
    assert report["details"]["schedulers"]["run_job"]["paused"] is True

    everybody = [first.process.pid, *children(first.process.pid), *using(data)]
    assert len(everybody) > 5
    for pid in everybody:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert first.process.wait(20) == -signal.SIGKILL
    assert gone(everybody)

    second = start("up", **given)
    _, report = ask(port, status="healthy")
    assert report["details"]["schedulers"]["run_job"]["paused"] is True, "what was committed is still there"

    # The row of the killed worker still counts as alive for a while, so healthy alone is not enough.
    second.wait_for("worker_started")
    workers = children(second.process.pid)
    assert second.end(signal.SIGINT) == 0
    assert gone([*workers, *using(data)])
    assert not (data / "postgres" / "postmaster.pid").exists()
    assert "Traceback" not in second.log.read_text()
    order = [line["event"] for name in ("server_started", "worker_stopped") for line in second.events(name)]
    assert order[0] == "server_started"
    assert "worker_stopped" in order


@pytest.mark.timed
async def test_a_killed_database_is_restarted_and_the_workers_resume(
    folder: Path, start: Start, ask: Ask, free_port: Port
) -> None:
    data, port = folder / "data", free_port()
    program = start("up", DATA_FOLDER=str(data), PORT=port, DATABASE_URL="")
    ask(port, status="healthy")
    program.wait_for("worker_started")
    workers = [pid for pid in children(program.process.pid) if pid not in using(data)]
    url = f"postgresql://scrapersky@/scrapersky?host={data}/run"

    for times in (1, 2):
        began = time.monotonic()
        os.kill(int((data / "postgres" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        program.wait_for("database_restarted", times=times, seconds=10)
        ask(port, status="ready", path="/health/ready", seconds=10)
        assert time.monotonic() - began < 10
        # Work that comes after the restart is done by the same workers.
        connection = await asyncpg.connect(url)
        job = await connection.fetchval(JOB)
        deadline = time.monotonic() + 20
        while await connection.fetchval("SELECT status FROM jobs WHERE id = $1", job) != "failed":
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)
        await connection.close()

    assert [pid for pid in children(program.process.pid) if pid in workers] == workers
    assert not program.events("worker_died")
    assert len(program.events("database_restarted")) == 2, "one process restarts it, the others join"
    assert program.end(signal.SIGINT) == 0
    assert gone(using(data))


@pytest.mark.reliability
def test_two_copies_run_side_by_side(folder: Path, start: Start, ask: Ask, free_port: Port) -> None:
    copies = []
    for name in ("one copy", "another"):
        port = free_port()
        program = start("up", DATA_FOLDER=str(folder / name / "data"), PORT=port, DATABASE_URL="")
        copies.append((program, port))

    for program, port in copies:
        assert ask(port, status="healthy")[0] == 200, program.log.read_text()
    assert [program.end(signal.SIGINT) for program, _ in copies] == [0, 0]
    assert using(folder) == []


def test_a10_a_worker_that_dies_is_started_again_with_growing_pauses(
    database_url: str, start: Start, ask: Ask, free_port: Port
) -> None:
    port = free_port()
    program = start("up", DATABASE_URL=database_url, PORT=port)
    ask(port, status="healthy")

    pauses = []
    for times in (1, 2):
        program.wait_for("worker_started", times=times)
        [worker] = children(program.process.pid)
        os.kill(worker, signal.SIGKILL)
        died = program.wait_for("worker_died", times=times)[-1]
        pauses.append(died["restart_in"])
        assert (died["level"], died["code"]) == ("error", -signal.SIGKILL)

    assert pauses == [1.0, 2.0]
    program.wait_for("worker_started", times=3)
    assert program.end() == 0


@pytest.mark.timed
def test_a_worker_that_hangs_is_replaced(database_url: str, start: Start) -> None:
    program = start(
        "worker", "--processes", "2", "--stage", "run_job",
        DATABASE_URL=database_url, WORKER_HEARTBEAT_TIMEOUT_SECONDS="5",
    )  # fmt: skip
    program.wait_for("worker_started", times=2)
    hanging, fine = children(program.process.pid)
    os.kill(hanging, signal.SIGSTOP)

    [line] = program.wait_for("worker_hung", seconds=20)
    assert (line["pid"], line["level"]) == (hanging, "error")
    program.wait_for("worker_started", times=3)
    assert gone([hanging])
    assert fine in children(program.process.pid)
    assert len(program.events("worker_hung")) == 1
    assert program.end() == 0


async def test_a_worker_that_cannot_be_started_is_tried_again(tmp_path: Path) -> None:
    lines: list[str] = []
    supervisor = Supervisor(["worker"], 1, Log(stream=_Lines(lines), style="json"))
    supervisor.command = [str(tmp_path / "later")]
    stop, force = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(supervisor.run(stop, force))
    await asyncio.sleep(0.3)
    (tmp_path / "later").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "later").chmod(0o755)
    async with asyncio.timeout(20):
        while not any('"code":7' in line for line in lines):  # noqa: ASYNC110 - the log tells nobody.
            await asyncio.sleep(0.05)
    stop.set()
    await running
    assert "not started: No such file or directory" in lines[0]


async def test_a_worker_that_starts_during_the_stop_costs_no_other_its_grace(tmp_path: Path) -> None:
    """A second signal makes a worker end at once."""
    program = tmp_path / "sleeps"
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    supervisor = Supervisor(["worker"], 2, Log(stream=_Lines([]), style="json"))
    supervisor.command = [str(program)]
    stop = asyncio.Event()
    first = asyncio.create_task(supervisor._run_one(0, stop))
    async with asyncio.timeout(20):
        while 0 not in supervisor.processes:  # noqa: ASYNC110 - it tells nobody.
            await asyncio.sleep(0.05)
        stop.set()
        assert await supervisor._run_one(1, stop) == -signal.SIGTERM
    await asyncio.sleep(0.2)
    assert supervisor.processes[0].returncode is None
    supervisor.processes[0].kill()
    assert await first == -signal.SIGKILL


class _Lines(io.StringIO):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    def write(self, text: str) -> int:
        self.lines.append(text)
        return len(text)


def test_workers_without_a_database_do_not_count_as_hanging(start: Start) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:9/none"
    program = start("worker", "--processes", "2", DATABASE_URL=nowhere, WORKER_HEARTBEAT_TIMEOUT_SECONDS="5")
    program.wait_for("database_unavailable", times=2)
    workers = children(program.process.pid)

    time.sleep(8)

    assert children(program.process.pid) == workers
    assert not program.events("worker_hung")
    assert program.end() == 0


def test_a_worker_that_starts_while_the_database_recovers_waits(folder: Path, start: Start) -> None:
    server = PrivateServer(folder / "data", options={"hot_standby": "off", "fsync": "off"})
    assert start("db", "migrate", DATA_FOLDER=str(folder / "data"), DATABASE_URL="").process.wait(60) == 0
    owner = server_account()
    waiting = server.cluster / "standby.signal"
    waiting.touch()
    os.chown(waiting, owner.uid, owner.gid)
    server.start()
    try:
        # It answers "the database system is not accepting connections" until it is promoted.
        worker = start("worker", DATABASE_URL=server.url())
        [line, *_] = worker.wait_for("database_unavailable", times=2)
        assert "not accepting connections" in line["error"]
        promoted = owner.run([find_binaries() / "pg_ctl", "promote", "-D", server.cluster, "-w"], cwd=folder)
        assert promoted.returncode == 0, promoted.stdout
        worker.wait_for("worker_started", seconds=20)
        assert worker.end() == 0
    finally:
        server.stop()


@pytest.mark.timed
@pytest.mark.reliability
def test_workers_end_with_a_supervisor_that_is_killed(database_url: str, start: Start) -> None:
    program = start("worker", "--processes", "2", DATABASE_URL=database_url)
    program.wait_for("worker_started", times=2)
    workers = children(program.process.pid)
    assert len(workers) == 2

    program.process.kill()
    program.process.wait()

    assert gone(workers)


def test_several_worker_processes_end_in_order_on_sigterm(database_url: str, start: Start) -> None:
    program = start("worker", "--processes", "2", "--stage", "run_job", DATABASE_URL=database_url)
    working = program.wait_for("worker_started", times=2)
    assert {tuple(line["stages"]) for line in working} == {("run_job",)}
    assert len({line["worker"] for line in working}) == 2

    assert program.end(signal.SIGTERM) == 0

    assert len(program.events("worker_stopped")) == 2
    assert "Traceback" not in program.log.read_text()


def test_a29_four_that_start_at_once_migrate_once(empty_database_url: str, start: Start) -> None:
    programs = [start("db", "migrate", "--json", DATABASE_URL=empty_database_url) for _ in range(4)]

    assert [program.process.wait(120) for program in programs] == [0, 0, 0, 0]
    assert [program.log.read_text() for program in programs] == [""] * 4
    assert start("db", "status", DATABASE_URL=empty_database_url).process.wait(60) == 0


@pytest.mark.timed
def test_a28_a_worker_and_a_web_that_start_before_the_database_wait_for_it(
    folder: Path, start: Start, ask: Ask, free_port: Port
) -> None:
    data, port = folder / "data", free_port()
    assert start("db", "migrate", DATA_FOLDER=str(data), DATABASE_URL="").process.wait(60) == 0
    socket_folder = data / "run"
    url = f"postgresql://scrapersky@/scrapersky?host={socket_folder}"
    assert not using(data), "the database is down"

    worker = start("worker", DATABASE_URL=url)
    web = start("serve", DATABASE_URL=url, PORT=port)
    worker.wait_for("database_unavailable")
    web.wait_for("database_unavailable")

    database = start("up", DATA_FOLDER=str(data), DATABASE_URL="", PORT=free_port())
    database.wait_for("server_started")
    began = time.monotonic()
    worker.wait_for("worker_started", seconds=5)
    ask(port, status="ready", path="/health/ready", seconds=5)
    assert time.monotonic() - began < 5

    assert [program.end() for program in (worker, web, database)] == [0, 0, 0]


@pytest.mark.req("R096", "R097")
def test_the_web_process_hosts_the_schedule_when_told_to(
    database_url: str, start: Start, ask: Ask, free_port: Port
) -> None:
    port = free_port()
    program = start("serve", DATABASE_URL=database_url, PORT=port, SCHEDULER_IN_WEB="true")
    code, report = ask(port, status="healthy")

    assert code == 200
    assert set(report["schedulers"].values()) == {True}
    assert "queue_missed_sitemaps" in report["schedulers"], "maintenance tasks are schedulers too"
    assert report["details"]["schedulers"]["run_job"]["workers"] == 1
    lines = [line for line in program.log.read_text().splitlines() if line.startswith("{")]
    named = [
        name
        for name in ("started", "worker_started", "server_started")
        for line in lines
        if f'"{name}"' in line
    ]
    assert named == ["started", "worker_started", "server_started"]
    places = [next(i for i, line in enumerate(lines) if f'"{name}"' in line) for name in named]
    assert places == sorted(places), "the schedule is complete before the first request is served"

    assert program.end() == 0
    after = [line for line in program.log.read_text().splitlines() if 'stopped"' in line]
    assert len(after) == 2
    assert children(program.process.pid) == []


def test_without_the_setting_the_web_process_works_on_nothing(
    database_url: str, start: Start, ask: Ask, free_port: Port
) -> None:
    port = free_port()
    program = start("serve", DATABASE_URL=database_url, PORT=port)

    code, report = ask(port, status="unhealthy")

    assert code == 503
    assert not any(report["schedulers"].values())
    assert program.end() == 0


@pytest.mark.reliability
@pytest.mark.parametrize("command", ["up", "worker", "serve"])
def test_a_second_signal_ends_it_at_once_and_quietly(
    database_url: str, start: Start, free_port: Port, command: str
) -> None:
    program = start(command, DATABASE_URL=database_url, PORT=free_port())
    program.wait_for("server_started" if command == "serve" else "worker_started")

    program.process.send_signal(signal.SIGTERM)
    time.sleep(0.05)
    program.process.send_signal(signal.SIGTERM)

    assert program.process.wait(15) == 0
    assert "Traceback" not in program.log.read_text()
