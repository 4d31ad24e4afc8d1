"""Under whose account the private PostgreSQL runs: ours, or an unprivileged one when we are root."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrapersky.embedded.leases import only_one
from scrapersky.embedded.machine import make_system_folder
from scrapersky.errors import StartupError

OWN_NAME = "scrapersky"
STAND_INS = ("postgres", "nobody")
COMMAND_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Account:
    """A system account; `switch` says that commands must change to it first."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(
        self, command: Sequence[str | Path], *, cwd: Path, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this account; its output and errors come back as one text."""
        given_input: dict[str, object] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
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
            **given_input,
            **switched,
        )

    def own_folder(self, path: Path) -> None:
        """Make a folder that only this account can enter."""
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
    """The account the server runs as. PostgreSQL refuses root, so root borrows an unprivileged one."""
    if os.geteuid() != 0:
        return Account(_name_of(os.geteuid()), os.geteuid(), os.getegid(), switch=False)
    found = _find(OWN_NAME) or _create(OWN_NAME)
    for stand_in in STAND_INS:
        found = found or _find(stand_in)
    if found is None:
        raise StartupError(
            "As root, the private PostgreSQL needs a system user: run `useradd --system scrapersky`"
        )
    return found


def _find(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name, entry.pw_uid, entry.pw_gid, switch=True) if entry.pw_uid != 0 else None


def _create(name: str) -> Account | None:
    """Create the account once per machine: a second `useradd` at the same time would replace its uid."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    command += ["--shell", "/usr/sbin/nologin", name]
    try:
        place = make_system_folder()
    except OSError:
        return None
    if not os.access(place, os.W_OK):
        # A machine without a writable /var/lib has no writable list of users either.
        return None
    with only_one(place / "account.lock"):
        if found := _find(name):
            return found
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
