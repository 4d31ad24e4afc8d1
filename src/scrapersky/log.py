"""The log: one event is one line, for machines or for people, and never a secret in it."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

import orjson

# One dictionary for each line.
Report = Callable[[list[dict[str, Any]]], None]

LEVELS = ("debug", "info", "warning", "error")
SECRET_NAMES = re.compile(r"pass(word)?|secret|token|api_?key|authorization|cookie|dsn", re.IGNORECASE)
SECRET_VALUES = re.compile(
    r"((?:api_?key|access_token|token|key|secret|password|pwd)(?:=|%3D))[^&\s\"']+"
    r"|(\bBearer\s+)[^\s\"']+"
    r"|(://[^/\s:@]*:)[^@\s/]+(?=@)",
    re.IGNORECASE,
)


def report_nothing(lines: list[dict[str, Any]]) -> None:
    """The default for callers without a log."""


def redacted(text: str) -> str:
    """The text with everything that looks like a credential taken out."""
    return SECRET_VALUES.sub(lambda m: (m[1] or m[2] or m[3]) + "***", text)


@lru_cache(maxsize=1_000)
def _names_a_secret(name: str) -> bool:
    """Remembered, because the same few names stand in every line."""
    return SECRET_NAMES.search(name) is not None


class Log:
    """Writes events that are serious enough; several at once cost one write."""

    def __init__(
        self,
        *,
        level: str = "info",
        style: str = "auto",
        stream: TextIO | None = None,
        without: tuple[str, ...] = (),
    ) -> None:
        self.stream = stream or sys.stderr
        self.without = without
        self.least = LEVELS.index(level.lower())
        self.for_people = style == "text" or (style == "auto" and self.stream.isatty())

    def report(self, lines: Iterable[dict[str, Any]]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        written = [self._line(now, line) for line in lines if self._is_wanted(line)]
        if written:
            self.stream.write("".join(written))
            self.stream.flush()

    def say(self, event: str, *, level: str = "info", **more: Any) -> None:
        self.report([{"event": event, "level": level, **more}])

    def _is_wanted(self, line: dict[str, Any]) -> bool:
        is_serious = LEVELS.index(line.get("level", "info")) >= self.least
        return is_serious and line.get("event") not in self.without

    def _line(self, now: str, line: dict[str, Any]) -> str:
        clean = {name: self._clean(name, value) for name, value in line.items()}
        if not self.for_people:
            return orjson.dumps({"time": now, **clean}, default=str).decode() + "\n"
        event, level = clean.pop("event", ""), clean.pop("level", "info")
        trace = _plain(str(clean.pop("trace", "")), keep="\n")
        told = " ".join(f"{name}={_shown(value)}" for name, value in clean.items())
        return f"{now[11:23]} {level:<7} {event} {told}\n{trace}"

    def _clean(self, name: str, value: Any) -> Any:
        if _names_a_secret(name):
            return "***"
        return redacted(value) if isinstance(value, str) else value


def _shown(value: Any) -> str:
    """A value on one line, whatever a stranger put into it."""
    plain = _plain(str(value))
    return f'"{plain}"' if " " in plain else plain


def _plain(text: str, *, keep: str = "") -> str:
    """The text without anything that a terminal would obey."""
    return "".join(c if c.isprintable() or c in keep else " " for c in text)


class LibraryLog(logging.Handler):
    """Writes warnings and errors of libraries as events of ours: one line each, redacted."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        # The schedule reports its own failures; APScheduler's executors would write each a second time.
        if record.name.startswith("apscheduler.executors"):
            return
        level = "error" if record.levelno >= logging.ERROR else "warning"
        trace = {"trace": "".join(traceback.format_exception(*record.exc_info))} if record.exc_info else {}
        self.log.say("library_message", level=level, logger=record.name, message=record.getMessage(), **trace)


def take_library_logs(log: Log) -> None:
    """From now on libraries log through `log`, instead of writing plain text to stderr."""
    root = logging.getLogger()
    for handler in [one for one in root.handlers if isinstance(one, LibraryLog)]:
        root.removeHandler(handler)
    root.addHandler(LibraryLog(log))


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 contact", "1,200 contacts"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
