"""Identifiers that sort by the time they were made (UUID version 7)."""

from __future__ import annotations

import os
import time
from uuid import UUID


def new_id() -> UUID:
    """48 bits of milliseconds, then chance; neighbours in time are neighbours in an index."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)
