"""The data folder of this installation: a moved checkout finds its data, a copied one gets its own."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import scrapersky
from scrapersky.embedded.folders import short_hash
from scrapersky.embedded.system_folder import SYSTEM_FOLDER

# In the checkout, ignored by git: the name of its data folder.
ID_FILE = ".data-folder"
# In the data folder: the path of the checkout that uses it.
OWNER_FILE = "checkout"
# The folder of installed packages, so that a new environment finds the data.
INSTALLED = "default"
NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The data folder of this installation; `copied_from` is the checkout that this one was copied from."""

    path: Path
    checkout: Path | None = None
    copied_from: Path | None = None

    def save(self) -> None:
        """Record that folder and checkout belong together; if that fails, it is derived again next time."""
        if self.checkout is None:
            return
        with suppress(OSError):
            _write(self.path / OWNER_FILE, str(self.checkout))
        with suppress(OSError):
            _write(self.checkout / ID_FILE, self.path.name)


def default_data_folder() -> DataFolder:
    """The data folder if no setting names one; changes nothing."""
    base, here = _base(), scrapersky.checkout()
    if here is None:
        return DataFolder(base / INSTALLED)
    if name := _name_in(here):
        owner = _owner(base / name)
        if owner in (None, here) or not _still_uses(owner, name):
            return DataFolder(base / name, here)
        return DataFolder(_free(base, here), here, copied_from=owner)
    known = [folder for folder in _folders(base) if _owner(folder) == here]
    return DataFolder(known[0] if known else _free(base, here), here)


def other_data_folders() -> list[tuple[Path, Path | None]]:
    """The other data folders of this user that hold a database, each with the checkout that used it last."""
    base, own = _base(), default_data_folder().path
    used = [
        folder
        for folder in _folders(base)
        if folder != own and (folder / "postgres" / "PG_VERSION").is_file()
    ]
    return [(folder, _owner(folder)) for folder in used]


def _base() -> Path:
    if os.geteuid() == 0:
        return SYSTEM_FOLDER
    shared = os.environ.get("XDG_DATA_HOME", "")
    home = Path(shared) if shared.startswith("/") else Path.home() / ".local" / "share"
    return home / "scrapersky"


def _free(base: Path, here: Path) -> Path:
    """A folder named after the checkout that no other checkout uses."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", here.name).strip("-.") or "copy"
    first = f"{plain[:24]}-{short_hash(str(here / 'src' / 'scrapersky'))}"
    for number in count(1):
        name = first if number == 1 else f"{first}-{number}"
        owner = _owner(base / name)
        if owner in (None, here) or not _still_uses(owner, name):
            return base / name
    raise AssertionError("unreachable: numbers do not end")


def _still_uses(checkout: Path | None, name: str) -> bool:
    return checkout is not None and _name_in(checkout) == name


def _name_in(checkout: Path) -> str | None:
    name = _read(checkout / ID_FILE)
    return name if name and NAME.fullmatch(name) and name.strip(".") else None


def _owner(folder: Path) -> Path | None:
    text = _read(folder / OWNER_FILE)
    return Path(text) if text else None


def _folders(base: Path) -> list[Path]:
    try:
        return sorted(folder for folder in base.iterdir() if folder.is_dir())
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""


def _write(path: Path, text: str) -> None:
    if _read(path) == text:
        return
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    with open(scratch, "x", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{text}\n")
    scratch.replace(path)
