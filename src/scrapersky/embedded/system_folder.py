"""The folder that all installations run by root share, and folders created by concurrent processes."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEM_FOLDER = Path("/var/lib/scrapersky")


def make_system_folder() -> Path:
    """Create the folder of all installations that root runs on this machine."""
    make_folders(SYSTEM_FOLDER, mode=0o755)
    return SYSTEM_FOLDER


def make_folders(folder: Path, *, mode: int) -> None:
    """Create a folder and its parents with this mode from the start, whatever the umask."""
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        make_folders(folder.parent, mode=mode)
    # The umask is set for a moment. Renaming a finished folder instead would replace an empty one in which
    # another process is about to open its lock.
    before = os.umask(0o777 & ~mode)
    try:
        folder.mkdir(mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
    finally:
        os.umask(before)
