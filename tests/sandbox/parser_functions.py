"""Functions for the parser processes: quick ones, and every way to misbehave."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass


def shout(text: str, *, times: int = 1) -> str:
    return text.upper() * times


WARMED: list[int] = []


def warm_up() -> None:
    WARMED.append(os.getpid())


def times_warmed() -> int:
    return len(WARMED)


def spin() -> None:
    while True:
        pass


def sleep_long() -> None:
    time.sleep(3600)


def exhaust_memory() -> int:
    return len([bytearray(2**20) for _ in range(4096)])


def crash() -> None:
    os._exit(1)


def segfault() -> None:
    ctypes.string_at(0)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def return_too_much() -> str:
    return "x" * (8 * 2**20)


@dataclass(frozen=True, slots=True)
class Finding:
    """As extract returns them."""

    value: str
    score: float
    places: tuple[int, ...]
    more: Mapping[str, str | None]


def find(body: bytes, seen: Finding, *, times: int = 1) -> tuple[Finding, ...]:
    return (Finding(f"{len(body)} {body[:2]!r}", seen.score, seen.places, seen.more),) * times


def return_wrong_type() -> int:
    return "text"  # type: ignore[return-value]


def without_annotations(value):  # type: ignore[no-untyped-def]
    return value


def raise_error() -> None:
    raise ValueError("no such page")


def environment() -> list[str]:
    return sorted(os.environ)


def process_id() -> int:
    return os.getpid()


def slow_process_id() -> int:
    time.sleep(0.3)
    return os.getpid()


def use_memory(size: int) -> int:
    return len(bytearray(size))


def return_characters(number: int) -> str:
    return "x" * number


def read_whole_page(body: bytes) -> list[str]:
    from scrapersky.extract.page import read_page
    from scrapersky.extract.results import Hints

    reading = read_page(body, Hints(country="DE", site_domain="shop-example.com"))
    return [email.address for email in reading.emails]
