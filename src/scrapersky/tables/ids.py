"""Identifiers that sort by the time they were made (UUID version 7)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from asyncpg.pgproto import pgproto


def new_id() -> UUID:
    """48 bits of milliseconds, then chance; neighbours in time are neighbours in an index."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def first_id(moment: datetime) -> UUID:
    """The lowest identifier of this moment: rows made before it have lower ones."""
    return UUID(int=int(moment.timestamp() * 1_000) << 80)


def ids_in_order(number: int) -> Iterator[UUID]:
    """Identifiers that rise one by one, made in bulk: written in order they fill an index from its end."""
    # The highest bit of chance is left free, so that counting up never touches the bits of the version.
    first = new_id().int & ~(1 << 61)
    return (pgproto.UUID(value.to_bytes(16, "big")) for value in range(first, first + number))
