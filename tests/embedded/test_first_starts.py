"""Many processes that start for the first time on one machine, as root: they agree on one account."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import scrapersky

STARTS = 12
START = """
import os, sys
from pathlib import Path
from scrapersky.embedded.account import server_account
from scrapersky.embedded.folders import make_data_folder
os.umask(0o077)
print("ready", flush=True)
sys.stdin.readline()
account = server_account()
make_data_folder(Path("/var/lib/scrapersky") / sys.argv[1], account)
print(account.name, account.uid, flush=True)
"""
# A machine without our account: a list of users and a /var/lib of its own, seen by this process tree alone.
NEW_MACHINE = r"""
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
cp -a /etc/. "$1"
mount --bind "$1" /etc
for file in passwd group shadow gshadow; do sed -i '/^scrapersky:/d' "/etc/$file"; done
mount -t tmpfs -o mode=755 none /var/lib
# The real useradd, after a note that it was called and a wait in which the others can call it too.
mkdir /var/lib/programs
printf '#!/bin/sh\necho called >> /var/lib/useradd-calls\nsleep 0.2\nexec %s "$@"\n' "$(command -v useradd)" \
  > /var/lib/programs/useradd
chmod +x /var/lib/programs/useradd
export PATH="/var/lib/programs:$PATH"
shift
exec "$@"
"""


def on_a_new_machine(scratch: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    script = ["unshare", "--mount", "bash", "-c", NEW_MACHINE, "new-machine", str(scratch), *command]
    environment = {**os.environ, "PYTHONPATH": str(Path(scrapersky.__file__).resolve().parents[1])}
    return subprocess.run(script, capture_output=True, text=True, env=environment, timeout=120)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root borrows an account")
def test_many_first_starts_at_once_agree_on_one_account(tmp_path: Path) -> None:
    if on_a_new_machine(tmp_path, ["true"]).returncode != 0:
        pytest.skip("no list of users of its own can be mounted here")
    told = on_a_new_machine(tmp_path, [sys.executable, str(Path(__file__).resolve())])
    assert told.returncode == 0, told.stderr
    *accounts, listed, calls = told.stdout.splitlines()
    assert calls == "called"
    assert accounts == [listed] * STARTS
    assert listed.startswith("scrapersky ")


def _start_all() -> None:
    """Run inside the new machine: start all at one moment, tell who each chose and who is listed."""
    import pwd

    starts = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(STARTS)
    ]
    for one in starts:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in starts:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in starts:
        assert one.stdout is not None
        sys.stdout.write(one.stdout.readline() or "failed\n")
        one.wait(60)
    entry = pwd.getpwnam("scrapersky")
    calls = " ".join(Path("/var/lib/useradd-calls").read_text().split())
    sys.stdout.write(f"scrapersky {entry.pw_uid}\n{calls}\n")


if __name__ == "__main__":
    _start_all()


MAKE_MANY = """
import os, sys, time
from pathlib import Path
from scrapersky.embedded.system_folder import make_folders

os.umask(0o077)
start = float(sys.argv[2])
for number in range(300):
    # All at the same moment, again for each folder.
    while time.time() < start + number * 0.005:
        pass
    folder = Path(sys.argv[1]) / str(number)
    make_folders(folder, mode=0o755)
    os.close(os.open(folder / "lock", os.O_CREAT | os.O_RDWR))
    assert folder.stat().st_mode & 0o777 == 0o755
"""


def test_a_folder_made_by_many_at_once_is_never_replaced(tmp_path: Path) -> None:
    """One that found the folder and opens a file in it must not lose it to a slower one."""
    command = [sys.executable, "-c", MAKE_MANY, str(tmp_path), str(time.time() + 2)]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]

    assert [one.communicate(timeout=60)[1] for one in started] == [""] * 4
