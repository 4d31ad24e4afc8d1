"""The log: one line per event, as JSON or as text, without secrets."""

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
    r"|(\bssky_[0-9A-Za-z]{8}_)[0-9A-Za-z]+"
    r"|(://[^/\s:@]*:)[^@\s/]+(?=@)",
    re.IGNORECASE,
)

# The controls beyond ASCII, the separators of lines and paragraphs, and the marks that reverse text.
CONTROLS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def report_nothing(lines: list[dict[str, Any]]) -> None:
    """The default for callers without a log."""


def redact(text: str) -> str:
    """The text without anything that looks like a credential."""
    return SECRET_VALUES.sub(lambda m: (m[1] or m[2] or m[3] or m[4]) + "***", text)


# The names of events, stages and outcomes are in every line; the search takes longer than the rest of it.
SHORT = 40
_redact_short = lru_cache(maxsize=1_000)(redact)


@lru_cache(maxsize=1_000)
def _names_a_secret(name: str) -> bool:
    """Cached, because the same few names are in every line."""
    return SECRET_NAMES.search(name) is not None


class Log:
    """Writes events from a minimum level on; several lines are one write."""

    def __init__(
        self,
        *,
        level: str = "info",
        style: str = "auto",
        stream: TextIO | None = None,
        exclude: tuple[str, ...] = (),
    ) -> None:
        self.stream = stream or sys.stderr
        self.exclude = exclude
        self.min_level = LEVELS.index(level.lower())
        self.as_text = style == "text" or (style == "auto" and self.stream.isatty())

    def report(self, lines: Iterable[dict[str, Any]]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        written = [self._line(now, line) for line in lines if self._is_enabled(line)]
        if written:
            self.stream.write("".join(written))
            self.stream.flush()

    def event(self, name: str, *, level: str = "info", **fields: Any) -> None:
        self.report([{"event": name, "level": level, **fields}])

    def _is_enabled(self, line: dict[str, Any]) -> bool:
        is_severe = LEVELS.index(line.get("level", "info")) >= self.min_level
        return is_severe and line.get("event") not in self.exclude

    def _line(self, now: str, line: dict[str, Any]) -> str:
        clean = {name: self._clean(name, value) for name, value in line.items()}
        if not self.as_text:
            return _escape(orjson.dumps({"time": now, **clean}, default=str).decode()) + "\n"
        event, level = clean.pop("event", ""), clean.pop("level", "info")
        trace = _plain(str(clean.pop("trace", "")), keep="\n")
        fields = " ".join(f"{name}={_one_line(value)}" for name, value in clean.items())
        return f"{now[11:23]} {level:<7} {event} {fields}\n{trace}"

    def _clean(self, name: str, value: Any) -> Any:
        if _names_a_secret(name):
            return "***"
        if not isinstance(value, str):
            return value
        return _redact_short(value) if len(value) <= SHORT else redact(value)


def _escape(line: str) -> str:
    """JSON without the characters that some programs take for the end of a line or a command."""
    return line if line.isascii() else CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def _one_line(value: Any) -> str:
    """A value on one line, whatever it contains."""
    plain = _plain(str(value))
    return f'"{plain}"' if " " in plain else plain


def _plain(text: str, *, keep: str = "") -> str:
    """The text without control characters for terminals."""
    return "".join(c if c.isprintable() or c in keep else " " for c in text)


class LibraryLog(logging.Handler):
    """Writes warnings and errors of libraries as events, one redacted line each."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        # The schedule reports its own failures; APScheduler's executors would log each a second time.
        if record.name.startswith("apscheduler.executors"):
            return
        level = "error" if record.levelno >= logging.ERROR else "warning"
        trace = {"trace": "".join(traceback.format_exception(*record.exc_info))} if record.exc_info else {}
        try:
            self.log.event(
                "library_message", level=level, logger=record.name, message=record.getMessage(), **trace
            )
        except Exception:  # noqa: BLE001 - who logs must not fail because the log is closed or the disk full
            self.handleError(record)


def capture_library_logs(log: Log) -> None:
    """Send the logs of libraries to `log` instead of stderr."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, LibraryLog)]:
        root.removeHandler(handler)
    root.addHandler(LibraryLog(log))


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 contact", "1,200 contacts"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
