"""Numbers and moments in sentences for people."""

from __future__ import annotations

from datetime import datetime


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 contact", "1,200 contacts"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def local_time(moment: datetime) -> str:
    """A moment by the clock of this machine, with its zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %Z}"
