"""Files and URLs that the extract commands read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click

INPUT_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


def open_input(file: Path) -> BinaryIO:
    """The file, or standard input for "-"; a file that cannot be opened ends the command with code 1."""
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return file.open("rb")
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}") from error


def read_urls(urls: tuple[str, ...]) -> list[str]:
    if urls != ("-",):
        return list(urls)
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]
