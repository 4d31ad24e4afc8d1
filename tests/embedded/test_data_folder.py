"""Which data folder a copy of the program uses: data follows its checkout, and no two checkouts share it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import scrapersky
from scrapersky.embedded import DataFolder, default_data_folder, other_data_folders
from scrapersky.embedded.data_folder import ID_FILE

Start = Callable[[Path], DataFolder]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the data folders of an ordinary user are."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "scrapersky"


@pytest.fixture
def start(base: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start the program of a checkout: choose the data folder, make a database in it, keep the choice."""

    def run(checkout: Path) -> DataFolder:
        (checkout / "src" / "scrapersky").mkdir(parents=True, exist_ok=True)
        monkeypatch.setattr(scrapersky, "__file__", str(checkout / "src" / "scrapersky" / "__init__.py"))
        chosen = default_data_folder()
        (chosen.path / "postgres").mkdir(parents=True, exist_ok=True)
        (chosen.path / "postgres" / "PG_VERSION").write_text("18")
        chosen.save()
        assert default_data_folder() == DataFolder(chosen.path, checkout)
        return chosen

    return run


def test_a_renamed_checkout_finds_its_data(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "my copy").path
    assert first.name.startswith("my-copy-")
    (tmp_path / "my copy").rename(tmp_path / "renamed")
    assert start(tmp_path / "renamed") == DataFolder(first, tmp_path / "renamed")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "renamed").rename(tmp_path / "elsewhere" / "moved")
    assert start(tmp_path / "elsewhere" / "moved").path == first


def test_a_copy_that_meets_the_original_gets_its_own_data_and_knows_why(start: Start, tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    first = start(original).path
    shutil.copytree(original, copy)
    made = start(copy)
    assert made.copied_from == original
    assert made.path != first
    assert start(original).path == first
    # The copy has its own from now on, and there is nothing more to say.
    assert start(copy) == DataFolder(made.path, copy)


def test_a_copy_whose_original_is_gone_takes_over_its_data(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "original").path
    shutil.copytree(tmp_path / "original", tmp_path / "copy")
    shutil.rmtree(tmp_path / "original")
    assert start(tmp_path / "copy") == DataFolder(first, tmp_path / "copy")


def test_a_new_checkout_at_the_path_of_a_renamed_one_starts_afresh(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "place").path
    (tmp_path / "place").rename(tmp_path / "renamed")
    assert start(tmp_path / "renamed").path == first
    new = start(tmp_path / "place").path
    assert new not in (first, None)
    assert start(tmp_path / "renamed").path == first


def test_a_checkout_cleaned_of_ignored_files_finds_its_data(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "place").path
    (tmp_path / "place").rename(tmp_path / "renamed")
    start(tmp_path / "renamed")
    (tmp_path / "renamed" / ID_FILE).unlink()
    assert start(tmp_path / "renamed").path == first


def test_a_checkout_that_cannot_be_written_to_has_the_folder_of_its_path(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "place" / ID_FILE).mkdir(parents=True)
    assert start(tmp_path / "place").path == start(tmp_path / "place").path


@pytest.mark.parametrize("nonsense", ["", "..", "../../etc", "a/b", "x" * 100])
def test_nonsense_in_the_file_is_no_path(start: Start, base: Path, tmp_path: Path, nonsense: str) -> None:
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / ID_FILE).write_text(nonsense)
    assert start(tmp_path / "place").path.parent == base


def test_an_installed_package_keeps_its_data_in_every_environment(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for environment in ("one/lib/python3.11", "two/lib/python3.13"):
        place = tmp_path / environment / "site-packages" / "scrapersky" / "__init__.py"
        monkeypatch.setattr(scrapersky, "__file__", str(place))
        assert default_data_folder() == DataFolder(base / "default")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data_folder().path == Path("/var/lib/scrapersky/default")


def test_other_data_folders_are_listed(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "one").path
    shutil.rmtree(tmp_path / "one")
    second = start(tmp_path / "two").path
    start(tmp_path / "three")
    (first.parent / "postgresql-18.6").mkdir()
    assert sorted(other_data_folders()) == sorted([(first, tmp_path / "one"), (second, tmp_path / "two")])
