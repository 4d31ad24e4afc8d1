"""The secret key: generated once, never shown, rotated without loss."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrapersky.errors import StartupError
from scrapersky.secret_key import KEY_FILE, SecretKey, UndecryptableSecret, load_secret_key
from scrapersky.settings import Settings, is_strong_secret, load_settings, settings_warnings

TEXT = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
OTHER = "p8Wn4_Ht6yE1rV9xK2jS5bQ7mA3cL0zD"


def load(folder: Path, **environment: str) -> SecretKey:
    environment |= {"DATA_FOLDER": str(folder)}
    return load_secret_key(load_settings(env_file=None, environment=environment))


def test_what_is_encrypted_can_be_decrypted_and_differs_each_time() -> None:
    key = SecretKey(TEXT)
    first, second = key.encrypt("hunter2 ✓", context="a"), key.encrypt("hunter2 ✓", context="a")
    assert first != second
    assert b"hunter2" not in first
    assert key.decrypt(first, context="a") == key.decrypt(second, context="a") == "hunter2 ✓"


@pytest.mark.parametrize("place", [0, 10, -1])
def test_a_changed_text_is_not_decrypted(place: int) -> None:
    encrypted = bytearray(SecretKey(TEXT).encrypt("hunter2"))
    encrypted[place] ^= 1
    with pytest.raises(UndecryptableSecret):
        SecretKey(TEXT).decrypt(bytes(encrypted))


def test_a_text_that_was_moved_to_another_place_is_not_decrypted() -> None:
    key = SecretKey(TEXT)
    with pytest.raises(UndecryptableSecret):
        key.decrypt(key.encrypt("hunter2", context="smtp"), context="webhook")
    with pytest.raises(UndecryptableSecret):
        key.decrypt(b"")


def test_after_a_rotation_the_previous_key_still_decrypts_and_verifies() -> None:
    before, after = SecretKey(TEXT), SecretKey(OTHER, previous=TEXT)
    encrypted = before.encrypt("hunter2")
    assert after.decrypt(encrypted) == "hunter2"
    assert not after.is_current(encrypted)
    assert after.is_current(after.encrypt("hunter2"))
    assert after.verify(b"cursor", before.sign(b"cursor"))
    assert not SecretKey(OTHER).verify(b"cursor", before.sign(b"cursor"))
    with pytest.raises(UndecryptableSecret):
        SecretKey(OTHER).decrypt(encrypted)


def test_a_signature_is_valid_for_its_data_only() -> None:
    key = SecretKey(TEXT)
    assert key.verify(b"data", key.sign(b"data"))
    assert not key.verify(b"date", key.sign(b"data"))
    assert not key.verify(b"data", b"")


def test_the_key_is_never_shown() -> None:
    key = SecretKey(TEXT, previous=OTHER)
    for shown in (repr(key), str(key), f"{key!r}", repr(key._keys), key.key_id):
        assert TEXT not in shown
        assert OTHER not in shown


@pytest.mark.parametrize(
    "value",
    [
        "",
        "changeme",
        "s3cr3t-8",
        "a" * 64,
        "CHANGE-ME" * 5,
        "this-is-an-example-of-a-key-0815-xyz",
        TEXT[:31],
    ],
)
def test_example_and_short_values_are_weak(value: str) -> None:
    assert not is_strong_secret(value)
    if value:
        assert not SecretKey(value).is_strong
        assert any(line.startswith("SECRET_KEY is weak") for line in _warnings(value))


def test_a_long_random_value_is_strong() -> None:
    assert SecretKey(TEXT).is_strong
    assert not _warnings(TEXT)


def _warnings(value: str) -> list[str]:
    return settings_warnings(Settings.model_validate({"secret_key": value}), environment={})


def test_a_key_is_generated_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    first, second = load(folder), load(folder)
    assert first.key_id == second.key_id
    assert first.is_strong
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert os.listdir(folder) == [KEY_FILE]
    assert load(tmp_path / "other").key_id != first.key_id


def test_the_setting_goes_before_the_file_and_may_be_a_file_itself(tmp_path: Path) -> None:
    secret = tmp_path / "mounted"
    secret.write_text(f"{TEXT}\n")
    by_value, by_file = load(tmp_path, SECRET_KEY=TEXT), load(tmp_path, SECRET_KEY_FILE=str(secret))
    assert by_value.key_id == by_file.key_id == SecretKey(TEXT).key_id
    assert not (tmp_path / KEY_FILE).exists()
    assert load(tmp_path, SECRET_KEY=OTHER, SECRET_KEY_PREVIOUS=TEXT).decrypt(by_value.encrypt("x")) == "x"


def test_a_key_that_others_can_read_or_that_is_damaged_is_refused(tmp_path: Path) -> None:
    load(tmp_path)
    path = tmp_path / KEY_FILE
    path.chmod(0o644)
    with pytest.raises(StartupError, match="chmod 600"):
        load(tmp_path)
    path.chmod(0o600)
    path.write_text("")
    with pytest.raises(StartupError, match="damaged"):
        load(tmp_path)


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    code = (
        "import sys; from scrapersky.secret_key import load_secret_key as load\n"
        "from scrapersky.settings import Settings\n"
        "print(load(Settings(data_folder=sys.argv[1])).key_id)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "data")]
    with ThreadPoolExecutor(4) as threads:
        runs = [threads.submit(subprocess.check_output, command, text=True) for _ in range(4)]
        assert len({run.result() for run in runs}) == 1
