"""Files on disks that are full or read-only, and writers that are killed: no half line, no lost old file."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scrapersky.destinations import DeliveryPayload, DestinationContext, make_destinations
from scrapersky.destinations.contact_file import check_output, open_contact_file
from scrapersky.destinations.contact_format import ExportOptions, FileFormat
from scrapersky.errors import DestinationError

TENANT = uuid.UUID(int=1)
NOBODY = 65_534
FORMATS: tuple[FileFormat, ...] = ("csv", "jsonl", "xlsx")


def payload(number: int, kind: str) -> DeliveryPayload:
    contact = {"email": f"info{number}@shop.example", "name": "Jürgen 東京 😀"}
    return DeliveryPayload(kind, "leads", contact, uuid.UUID(int=number + 1), TENANT)


def emails(path: Path) -> list[str]:
    """The addresses of a file; every line must be complete."""
    assert path.read_bytes().endswith(b"\n")
    if path.suffix == ".jsonl":
        return [json.loads(line)["email"] for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert all(None not in row and None not in row.values() for row in rows)
    return [row["email"] for row in rows]


def run_script(code: str, *arguments: str, prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [*prefix, sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


# A disk that is full


FULL_DISK = """
import asyncio, subprocess, sys, uuid
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_disk_failures import FORMATS, TENANT, emails, payload
from scrapersky.destinations import DestinationContext, make_destinations
from scrapersky.destinations.contact_file import open_contact_file
from scrapersky.destinations.contact_format import ExportOptions
from scrapersky.errors import DestinationError

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=True)

def fails(call):
    try:
        call()
    except DestinationError as error:
        assert "No space left on device" in str(error), error
        return
    raise AssertionError("the disk was not full")

def export(path, form):
    with open_contact_file(path, ExportOptions(form)) as add:
        for number in range(100_000):
            add({"name": f"{number * 7919:x}" * 20, "address": str(uuid.uuid4())})

for form in FORMATS:
    path = disk / f"out.{form}"
    path.write_bytes(b"old")
    fails(lambda: export(path, form))
    assert [one.name for one in disk.iterdir()] == [path.name], "the unfinished file is removed"
    assert path.read_bytes() == b"old"
    path.unlink()

for kind in ("csv", "jsonl"):
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * 200_000)
    destination = make_destinations(DestinationContext(disk, TENANT))[kind]
    written = []
    def fill():
        for number in range(10_000):
            asyncio.run(destination.deliver(payload(number, kind)))
            written.append(number)
    fails(fill)
    assert written, "some fit"
    ballast.unlink()
    for number in range(len(written) + 3):
        asyncio.run(destination.deliver(payload(number, kind)))
    path = disk / f"leads.{kind}"
    assert emails(path) == [f"info{number}@shop.example" for number in range(len(written) + 3)]
    path.unlink()
print("passed")
"""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs a mount namespace")
def test_a_full_disk_costs_neither_the_old_file_nor_a_whole_line(tmp_path: Path) -> None:
    script = run_script(FULL_DISK, str(tmp_path), str(Path(__file__).parent), prefix=("unshare", "-m"))
    output, _ = script.communicate(timeout=120)
    assert (script.returncode, output) == (0, "passed\n")


@pytest.mark.parametrize("form", FORMATS)
def test_a_full_device_is_reported(form: FileFormat) -> None:
    def export() -> None:
        with open_contact_file(Path("/dev/full"), ExportOptions(form)) as add:
            for _ in range(1_000):
                add({"name": str(uuid.uuid4())})

    with pytest.raises(DestinationError, match="Cannot write /dev/full: No space left on device"):
        export()


# A folder without permission


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write everywhere, so the test gives up its rights for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder_is_reported_before_any_work(read_only_folder: Path) -> None:
    path = read_only_folder / "out.csv"
    with unprivileged():
        with pytest.raises(DestinationError, match=r"out\.csv: permission denied"):
            check_output(path)
        with (
            pytest.raises(DestinationError, match=r"out\.csv: Permission denied"),
            open_contact_file(path, ExportOptions()),
        ):
            pass
    assert list(read_only_folder.iterdir()) == []


async def test_a_delivery_into_a_read_only_folder_is_retried_later(read_only_folder: Path) -> None:
    destination = make_destinations(DestinationContext(read_only_folder, TENANT))["csv"]
    await asyncio.to_thread(int)  # Imports what threads need, which only root may read.
    with unprivileged(), pytest.raises(DestinationError, match=r"leads\.csv: Permission denied"):
        await destination.deliver(payload(1, "csv"))
    read_only_folder.chmod(0o777)
    with unprivileged():
        await destination.deliver(payload(1, "csv"))
    assert emails(read_only_folder / "leads.csv") == ["info1@shop.example"]


def test_a_file_in_a_read_only_folder_may_still_be_replaced(read_only_folder: Path) -> None:
    """The file itself is writable, its folder is not: there is no place for an unfinished one."""
    path = read_only_folder / "out.csv"
    mode = read_only_folder.stat().st_mode
    read_only_folder.chmod(0o755)
    path.write_text("old")
    path.chmod(0o666)
    read_only_folder.chmod(mode)
    with unprivileged(), open_contact_file(path, ExportOptions()) as add:
        add({"email": "info@shop.example"})
    assert emails(path) == ["info@shop.example"]


# A writer that is killed


DELIVERIES = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_disk_failures import TENANT, payload
from scrapersky.destinations import DestinationContext, make_destinations

async def main(folder, kind):
    destination = make_destinations(DestinationContext(folder, TENANT))[kind]
    print("ready", flush=True)
    for number in range(100_000):
        await destination.deliver(payload(number, kind))

asyncio.run(main(Path(sys.argv[1]), sys.argv[3]))
"""


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
async def test_a_killed_writer_leaves_each_contact_once(tmp_path: Path, kind: str) -> None:
    """Each process begins with the same contacts, as a worker does whose results were not committed."""
    for wait in (0.05, 0.2, 0.4):
        writers = [run_script(DELIVERIES, str(tmp_path), str(Path(__file__).parent), kind) for _ in range(2)]
        assert [writer.stdout.readline() for writer in writers if writer.stdout] == ["ready\n"] * 2
        await asyncio.sleep(wait)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    path = tmp_path / f"leads.{kind}"
    number = path.read_bytes().count(b"@shop.example") + 5
    destination = make_destinations(DestinationContext(tmp_path, TENANT))[kind]
    for one in range(number):
        await destination.deliver(payload(one, kind))
    assert emails(path) == [f"info{one}@shop.example" for one in range(number)]


EXPORT = """
import sys
from pathlib import Path
from scrapersky.destinations.contact_file import open_contact_file
from scrapersky.destinations.contact_format import ExportOptions

with open_contact_file(Path(sys.argv[1]), ExportOptions(sys.argv[2])) as add:
    add({"email": "new@shop.example"})
    print("ready", flush=True)
    while True:
        add({"email": "new@shop.example"})
"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_killed_export_leaves_the_old_file_whole(tmp_path: Path, form: FileFormat) -> None:
    path = tmp_path / f"out.{form}"
    path.write_bytes(b"old")
    export = run_script(EXPORT, str(path), form)
    assert export.stdout is not None
    assert export.stdout.readline() == "ready\n"
    time.sleep(0.1)
    export.send_signal(signal.SIGKILL)
    export.communicate()
    assert path.read_bytes() == b"old"
