"""The folders of the private PostgreSQL for data and socket, and their owners."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from scrapersky.embedded.account import Account
from scrapersky.embedded.system_folder import make_folders
from scrapersky.errors import DiskFull, StartupError

# The kernel allows 107 bytes for the path of a socket; the file name takes 14 of them.
MAX_SOCKET_FOLDER_LENGTH = 90
MIN_FREE_BYTES = 64 * 2**20
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


def make_data_folder(folder: Path, account: Account) -> None:
    """Create the data folder, or explain in one line why it cannot be used."""
    try:
        make_folders(folder, mode=0o755 if account.switch else 0o700)
    except (NotADirectoryError, FileExistsError):
        file = next(path for path in (folder, *folder.parents) if path.exists())
        where = "is a file" if file == folder else f"lies below the file {file}"
        raise StartupError(f"The data folder {folder} {where}") from None
    except OSError as error:
        raise StartupError(f"The data folder {folder} cannot be created: {error.strerror}") from None
    owner = folder.stat().st_uid
    if owner not in (os.geteuid(), account.uid):
        raise StartupError(f"The data folder {folder} belongs to {_owner(folder)}, not to {_me()}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StartupError(f"The data folder {folder} is not writable for {_me()}")
    if account.switch and not _can_enter(account, folder):
        raise StartupError(
            f"The data folder {folder} cannot be reached by the user {account.name}, which runs the private "
            "PostgreSQL for root: choose another DATA_FOLDER"
        )


def _can_enter(account: Account, folder: Path) -> bool:
    try:
        return account.run(["test", "-x", folder], cwd=Path("/")).returncode == 0
    except PermissionError:
        # Root without capabilities, as in some containers.
        raise StartupError(
            f"Root may not switch to the user {account.name} here: start as an ordinary user"
        ) from None


def check_space(folder: Path) -> None:
    """Check the free space first: a server that cannot write its first files gives no useful error."""
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise DiskFull(
            f"The disk that holds the data folder {folder} is full: {free // 2**20} MB are free, "
            f"{MIN_FREE_BYTES // 2**20} MB are needed"
        )


def check_owner(folder: Path, account: Account) -> None:
    """The server's folder must belong to the account that runs it."""
    if folder.stat().st_uid != account.uid:
        raise StartupError(f"The data folder {folder} belongs to {_owner(folder)}, not to {account.name}")


def socket_folder(data_folder: Path, account: Account) -> Path:
    """A private folder for the socket: in the data folder, or elsewhere if that path is too long."""
    inside = data_folder / "run"
    if len(os.fsencode(inside)) <= MAX_SOCKET_FOLDER_LENGTH and PLAIN_PATH.fullmatch(str(inside)):
        chosen = inside
    else:
        chosen = _runtime_folder() / f"scrapersky-{account.uid}-{short_hash(str(data_folder))}"
    if not os.path.lexists(chosen):
        account.make_private_folder(chosen)
    state = chosen.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != account.uid or stat.S_IMODE(state.st_mode) & 0o077:
        raise StartupError(f"The socket folder {chosen} is not a private folder of {account.name}: remove it")
    return chosen


def _runtime_folder() -> Path:
    first = "/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "")
    # The folder made below one of these is private and checked.
    for candidate in (first, tempfile.gettempdir(), "/tmp"):  # noqa: S108
        path = Path(candidate)
        usable = path.is_absolute() and os.access(path, os.W_OK | os.X_OK)
        if (
            usable
            and len(os.fsencode(path)) <= MAX_SOCKET_FOLDER_LENGTH - 40
            and PLAIN_PATH.fullmatch(str(path))
        ):
            return path
    raise StartupError(
        "There is no folder with a short path for the database socket: set XDG_RUNTIME_DIR or TMPDIR"
    )


def short_hash(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:10]


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:
        return f"user {path.stat().st_uid}"


def _me() -> str:
    return "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
