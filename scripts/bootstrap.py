"""Makes .venv ready: environment, hash-checked packages, our command; needs the standard library alone."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HERE, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "scrapersky-stamp.json")
OLDEST = (3, 11)
# Shell script and Python script in one: it starts from a path with spaces, and after a move.
HEADER = """#!/bin/sh
'''exec' "$(dirname "$(readlink -f "$0")")/python" "$0" "$@"
' '''
"""
LAUNCHER = (
    HEADER
    + """import sys

from scrapersky.cli import main

sys.exit(main())
"""
)
PIN = re.compile(r"^[A-Za-z0-9._-]+==", re.MULTILINE)
# pip says one of these for every package of the list, in this order.
PACKAGE = re.compile(r"^(?:Collecting|Requirement already satisfied:) ([A-Za-z0-9._-]+)")
SECONDS_BETWEEN_LINES = 10.0


def main(purpose: str) -> int:
    """Install what `purpose` ("run" or "dev") needs, unless the stamp says that it is there already."""
    if is_ready(purpose):
        return 0
    if sys.version_info < OLDEST:
        return use_newer_python(purpose)
    try:
        os.makedirs(VENV, exist_ok=True)
        with open(os.path.join(VENV, "scrapersky-lock"), "w") as lock:
            # Two commands started at once in the same copy take turns here.
            fcntl.flock(lock, fcntl.LOCK_EX)
            return 0 if is_ready(purpose) else install(purpose)
    except PermissionError as error:
        return fail(f"{error.filename} belongs to another user; as its owner run: make clean")


def is_ready(purpose: str) -> bool:
    stamp = read_stamp()
    return usable() and all(stamp.get(name) == value for name, value in sums_of(purpose).items())


def sums_of(purpose: str) -> dict[str, str]:
    """What the stamp must say: the packages, the place that some files name, and how all was made."""
    return {**package_sums(purpose), "place": HERE, "bootstrap": checksum(os.path.abspath(__file__))}


def package_sums(purpose: str) -> dict[str, str]:
    return {name: checksum(requirements(name)) for name in {"run", purpose}}


def install(purpose: str) -> int:
    # Before anything is installed: a list that is edited meanwhile is installed by the next command.
    stamp, sums = read_stamp(), sums_of(purpose)
    if os.path.exists(PYTHON) and not usable():
        # Environments made by other tools have no pip.
        subprocess.run([PYTHON, "-m", "ensurepip"], capture_output=True, env=clean_environment())
    if not usable():
        problem = create_environment()
        if problem:
            return fail(problem)
        stamp = {}
    elif stamp.get("place", HERE) != HERE:
        say("The checkout has moved; adjusting .venv ...")
        # Writes the files that name their own place again and leaves the packages alone.
        command = [PYTHON, "-m", "venv", "--without-pip", VENV]
        subprocess.run(command, capture_output=True, env=clean_environment())
    if any(stamp.get(name) != value for name, value in package_sums(purpose).items()):
        say(f"Installing the packages of requirements/{purpose}.txt into .venv (once; about a minute) ...")
        if install_packages(purpose) != 0:
            return fail("Installing the packages failed; see the error above.")
    make_commands_movable()
    connect_source()
    with open(STAMP, "w") as file:
        json.dump({**stamp, **sums}, file)
    return 0


def use_newer_python(purpose: str) -> int:
    for minor in range(15, OLDEST[1] - 1, -1):
        name = f"python3.{minor}"
        if shutil.which(name) and subprocess.run([name, "--version"], capture_output=True).returncode == 0:
            return subprocess.run([name, os.path.abspath(__file__), purpose]).returncode
    version = ".".join(str(part) for part in sys.version_info[:2])
    return fail(
        "Python 3.11 or newer is needed; this is "
        + version
        + ". On Debian 12 or newer: apt-get install python3"
    )


def usable() -> bool:
    """Whether .venv has pip and a Python that is new enough; an upgrade of the system leaves a broken one."""
    probe = f"import pip, sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        answer = subprocess.run([PYTHON, "-c", probe], capture_output=True, env=clean_environment())
    except OSError:
        return False
    return answer.returncode == 0


def create_environment() -> str:
    """Create a new .venv; returns an error message, or an empty string."""
    # Debian ships ensurepip as a separate package.
    if not (find_spec("venv") and find_spec("ensurepip")):
        return "Python's venv module is incomplete here. Run: apt-get install python3-venv"
    say("Creating .venv ...")
    for name in os.listdir(VENV):
        if name != "scrapersky-lock":
            path = os.path.join(VENV, name)
            is_folder = os.path.isdir(path) and not os.path.islink(path)
            shutil.rmtree(path) if is_folder else os.remove(path)
    command = [sys.executable, "-m", "venv", VENV]
    answer = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
    if answer.returncode == 0:
        return ""
    return f"python3 -m venv failed: {(answer.stderr or answer.stdout).strip().splitlines()[-1]}"


def install_packages(purpose: str) -> int:
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--progress-bar", "off", "--no-color"]
    command += ["--require-hashes", "--only-binary", ":all:", "--no-deps", "-r", requirements(purpose)]
    with open(requirements(purpose)) as file:
        progress = Progress(len(PIN.findall(file.read())))
    lines = []
    environment = {**clean_environment(), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line.rstrip())
            progress.read(line)
    progress.end()
    if pip.returncode != 0:
        say("\n".join([line for line in lines if line.startswith("ERROR")] or lines[-20:]))
    return pip.returncode


class Progress:
    """How far pip is: one line that changes on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.seen, self.width = total, 0, 0
        self.live = sys.stderr.isatty()
        self.last = time.monotonic()

    def read(self, line: str) -> None:
        package = PACKAGE.match(line)
        if package:
            self.seen += 1
            self.show(f"  {min(self.seen, self.total)} of {self.total} packages: {package.group(1)}")
        elif line.startswith("Installing collected packages"):
            self.show(f"  {self.total} of {self.total} packages downloaded; unpacking")

    def show(self, text: str) -> None:
        if self.live:
            text = text[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)
        elif time.monotonic() - self.last >= SECONDS_BETWEEN_LINES:
            self.last = time.monotonic()
            say(text)

    def end(self) -> None:
        if self.width:
            say("")


def make_commands_movable() -> None:
    """Let commands of packages find the Python beside them instead of at the path where they were made."""
    folder = os.path.join(VENV, "bin")
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            first, *rest = file.read().split(b"\n")
        if first == b"#!/bin/sh" and rest[0].startswith(b"'''exec' "):
            rest = rest[2:]
        elif not (first.startswith(b"#!/") and b"/bin/python" in first):
            continue
        with open(path, "wb") as file:
            file.write(HEADER.encode() + b"\n".join(rest))


def connect_source() -> None:
    """Put src on the environment's path and write the command; no build tool is needed for that."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    answer = subprocess.run(
        [PYTHON, "-c", where], capture_output=True, text=True, check=True, env=clean_environment()
    )
    packages = answer.stdout.strip()
    with open(os.path.join(packages, "scrapersky.pth"), "w") as file:
        # Relative to the file's own folder, so that it holds after a move.
        file.write(os.path.relpath(os.path.join(HERE, "src"), packages) + "\n")
    launcher = os.path.join(VENV, "bin", "scrapersky")
    with open(launcher, "w") as file:
        file.write(LAUNCHER)
    os.chmod(launcher, 0o755)


def clean_environment() -> dict[str, str]:
    """The environment without what would send the packages elsewhere or let other packages in."""
    unwanted = {
        "PYTHONHOME",
        "PYTHONPATH",
        "PIP_USER",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_ROOT",
        "PIP_CONSTRAINT",
    }
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def read_stamp() -> dict[str, str]:
    try:
        with open(STAMP) as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return {}


def requirements(name: str) -> str:
    return os.path.join(HERE, "requirements", name + ".txt")


def checksum(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def fail(text: str) -> int:
    say(text)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
