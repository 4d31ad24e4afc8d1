"""The account that runs the private PostgreSQL: ours, or an unprivileged one if we are root."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrapersky.embedded.system_folder import make_system_folder
from scrapersky.embedded.usage_locks import exclusive_lock
from scrapersky.errors import StartupError

OWN_NAME = "scrapersky"
FALLBACK_NAMES = ("postgres", "nobody")
COMMAND_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Account:
    """A system account; with `switch`, commands must change to it first."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(
        self, command: Sequence[str | Path], *, cwd: Path, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this account; stdout and stderr are one text."""
        stdin_option: dict[str, object] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        switched: dict[str, object] = (
            {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}
        )
        return subprocess.run(  # type: ignore[call-overload,no-any-return]  # noqa: S603
            [str(part) for part in command],
            cwd=cwd,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=COMMAND_SECONDS,
            start_new_session=True,
            check=False,
            **stdin_option,
            **switched,
        )

    def make_private_folder(self, path: Path) -> None:
        """Create a folder that only this account can enter."""
        path.mkdir(mode=0o700, parents=False, exist_ok=False)
        path.chmod(0o700)
        if self.switch:
            os.chown(path, self.uid, self.gid)


def _environment() -> dict[str, str]:
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LC_ALL": "C",
        "TZ": "UTC",
        **{name: os.environ[name] for name in kept if name in os.environ},
    }


def server_account() -> Account:
    """The account of the server. PostgreSQL refuses to run as root, so root uses an unprivileged one."""
    if os.geteuid() != 0:
        return Account(_name_of(os.geteuid()), os.geteuid(), os.getegid(), switch=False)
    account = _find(OWN_NAME) or _create(OWN_NAME)
    for name in FALLBACK_NAMES:
        account = account or _find(name)
    if account is None:
        raise StartupError(
            "As root, the private PostgreSQL needs a system user: run `useradd --system scrapersky`"
        )
    return account


def _find(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name, entry.pw_uid, entry.pw_gid, switch=True) if entry.pw_uid != 0 else None


def _create(name: str) -> Account | None:
    """Create the account once per machine: a concurrent `useradd` would replace its uid."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    command += ["--shell", "/usr/sbin/nologin", name]
    try:
        folder = make_system_folder()
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        # Without a writable /var/lib the user database is not writable either.
        return None
    with exclusive_lock(folder / "account.lock"):
        if account := _find(name):
            return account
        try:
            subprocess.run(command, capture_output=True, timeout=30, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            return None
        return _find(name)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
