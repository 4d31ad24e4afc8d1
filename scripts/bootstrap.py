"""Makes .venv ready: environment, hash-checked packages, our command; needs the standard library alone."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HERE, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "scrapersky-stamp.json")
OLDEST = (3, 11)
# The file is both a shell script and a Python script, so that a path with spaces can start it.
LAUNCHER = """#!/bin/sh
'''exec' "$(dirname "$(readlink -f "$0")")/python" "$0" "$@"
' '''
import sys

from scrapersky.cli import main

sys.exit(main())
"""


def main(wanted: str) -> int:
    """Install what `wanted` ("run" or "dev") needs, unless the stamp says that it is there already."""
    if is_ready(wanted):
        return 0
    if sys.version_info < OLDEST:
        return use_newer_python(wanted)
    try:
        os.makedirs(VENV, exist_ok=True)
        with open(os.path.join(VENV, "scrapersky-lock"), "w") as lock:
            # Two commands started at once in the same copy take turns here.
            fcntl.flock(lock, fcntl.LOCK_EX)
            return 0 if is_ready(wanted) else install(wanted)
    except PermissionError as error:
        return fail(f"{error.filename} belongs to another user; as its owner run: make clean")


def is_ready(wanted: str) -> bool:
    stamp = read_stamp()
    return usable() and all(stamp.get(name) == value for name, value in sums_of(wanted).items())


def sums_of(wanted: str) -> dict[str, str]:
    """What the stamp must say; a copied environment would start the original's tools."""
    sums = {name: checksum(requirements(name)) for name in {"run", wanted}}
    return {**sums, "place": HERE, "bootstrap": checksum(os.path.abspath(__file__))}


def install(wanted: str) -> int:
    stamp = read_stamp()
    if os.path.exists(PYTHON) and not usable():
        # Environments made by other tools have no pip.
        subprocess.run([PYTHON, "-m", "ensurepip"], capture_output=True, env=clean_environment())
    if not usable() or stamp.get("place", HERE) != HERE:
        problem = create_environment()
        if problem:
            return fail(problem)
        stamp = {}
    say(f"Installing the packages of requirements/{wanted}.txt into .venv (once; about a minute) ...")
    if install_packages(wanted) != 0:
        return fail("The packages could not be installed; the reason stands above.")
    connect_source()
    with open(STAMP, "w") as file:
        json.dump({**stamp, **sums_of(wanted)}, file)
    return 0


def use_newer_python(wanted: str) -> int:
    for minor in range(15, OLDEST[1] - 1, -1):
        name = f"python3.{minor}"
        if shutil.which(name) and subprocess.run([name, "--version"], capture_output=True).returncode == 0:
            return subprocess.run([name, os.path.abspath(__file__), wanted]).returncode
    found = ".".join(str(part) for part in sys.version_info[:2])
    return fail(
        "Python 3.11 or newer is needed; this is "
        + found
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
    """Make .venv anew; returns what is wrong, or nothing."""
    # Debian keeps ensurepip in a package of its own.
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


def install_packages(wanted: str) -> int:
    command = [PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-input"]
    command += ["--require-hashes", "--only-binary", ":all:", "--no-deps", "-r", requirements(wanted)]
    return subprocess.run(command, env=clean_environment()).returncode


def connect_source() -> None:
    """Put src on the environment's path and write the command; no build tool is needed for that."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    answer = subprocess.run(
        [PYTHON, "-c", where], capture_output=True, text=True, check=True, env=clean_environment()
    )
    with open(os.path.join(answer.stdout.strip(), "scrapersky.pth"), "w") as file:
        file.write(os.path.join(HERE, "src") + "\n")
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
