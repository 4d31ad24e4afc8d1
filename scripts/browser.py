"""Makes sure that browser tests have a Chromium, or says what is skipped; ends with 1 where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
MARK = "pytest.mark." + "browser"
TESTS = Path(__file__).parents[1] / "tests"


def main(arguments: list[str]) -> int:
    """With --quiet only the exit code is set: 0 when browser tests can run, or when there are none."""
    marked = [path for path in TESTS.rglob("test_*.py") if MARK in path.read_text(encoding="utf-8")]
    if not marked or chromium():
        return 0
    if "--quiet" in arguments:
        return 1
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Browser tests need a browser: installing Debian's package chromium with apt-get.", flush=True)
        install()
    if not chromium():
        names = ", ".join(sorted(path.name for path in marked))
        print(
            f"Skipping the browser tests ({names}): no Chromium here. To run them: apt-get install chromium"
        )
    return 0


def chromium() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", *command], env=quiet, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
