"""The folder shared by all copies that root runs, and folders that several processes make at once."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEM_FOLDER = Path("/var/lib/scrapersky")


def make_system_folder() -> Path:
    """The folder of all copies that root runs on this machine."""
    make_folders(SYSTEM_FOLDER, mode=0o755)
    return SYSTEM_FOLDER


def make_folders(folder: Path, *, mode: int) -> None:
    """Make a folder and its parents; whatever the umask, nobody ever sees one with another mode."""
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        make_folders(folder.parent, mode=mode)
    # The mode is there from the start, so the umask steps aside for a moment. Never by renaming a finished
    # folder: that would replace an empty one in which another process is just about to open its lock.
    before = os.umask(0o777 & ~mode)
    try:
        folder.mkdir(mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
    finally:
        os.umask(before)
