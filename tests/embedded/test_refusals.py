"""What the private PostgreSQL refuses to start on: one clear line each, and nothing is damaged."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scrapersky.embedded import PrivateServer, account
from scrapersky.errors import StartupError

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")


def complaint(server: PrivateServer) -> str:
    with pytest.raises(StartupError) as caught:
        server.start()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    assert not server.running()
    return text


@only_root
def test_a_data_folder_of_somebody_else_is_refused(server: PrivateServer) -> None:
    server.data_folder.mkdir()
    os.chown(server.data_folder, 12345, 12345)
    assert "belongs to user 12345, not to root" in complaint(server)
    assert list(server.data_folder.iterdir()) == []


@only_root
def test_a_database_of_somebody_else_is_refused(server: PrivateServer) -> None:
    server.start()
    server.stop()
    os.chown(server.cluster, 12345, 12345)
    assert "belongs to user 12345" in complaint(server)
    os.chown(server.cluster, account.server_account().uid, -1)


@only_root
def test_a_data_folder_that_the_account_cannot_reach_is_refused(folder: Path, quick: dict[str, str]) -> None:
    (folder / "home").mkdir(mode=0o700)
    assert "cannot be reached by the user" in complaint(
        PrivateServer(folder / "home" / "data", options=quick)
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_cannot_be_made_is_named(folder: Path, quick: dict[str, str]) -> None:
    folder.chmod(0o500)
    assert "cannot be created: Permission denied" in complaint(PrivateServer(folder / "data", options=quick))
    folder.chmod(0o700)


def test_a_newer_database_is_left_alone(server: PrivateServer) -> None:
    server.start()
    server.stop()
    version = server.cluster / "PG_VERSION"
    before = version.read_text()
    version.write_text("99\n")
    assert "was created by PostgreSQL 99; this program includes 18" in complaint(server)
    version.write_text(before)
    server.start()


def test_a_file_in_the_place_of_the_data_folder_is_named(folder: Path) -> None:
    (folder / "file").write_text("")
    assert "is a file" in complaint(PrivateServer(folder / "file"))
    assert "lies below the file" in complaint(PrivateServer(folder / "file" / "data"))


def test_something_else_in_the_place_of_the_database_is_left_alone(server: PrivateServer) -> None:
    server.cluster.mkdir(parents=True)
    (server.cluster / "photo.jpg").write_text("precious")
    assert "not a PostgreSQL database" in complaint(server)
    assert (server.cluster / "photo.jpg").read_text() == "precious"


@only_root
def test_a_full_disk_is_named(folder: Path, quick: dict[str, str]) -> None:
    small = folder / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m,mode=755", "none", str(small)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no small disk can be made here")
    try:
        assert "is full: 20 MB are free" in complaint(PrivateServer(small / "data", options=quick))
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_server_that_cannot_start_says_why(folder: Path, quick: dict[str, str]) -> None:
    broken = PrivateServer(folder / "data", options={**quick, "shared_buffers": "nonsense"})
    assert "invalid value for parameter" in complaint(broken)


def test_a_platform_without_a_wheel_gets_instructions(
    monkeypatch: pytest.MonkeyPatch, server: PrivateServer
) -> None:
    monkeypatch.setattr("scrapersky.embedded.binaries.PACKAGE", "no_such_package")
    assert "Set DATABASE_URL" in complaint(server)
