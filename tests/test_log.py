"""The log has one line per event, whoever writes it, and no secret in it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from datetime import timedelta
from typing import Any

import pytest

from scrapersky.engine.schedule import Schedule
from scrapersky.log import Log, capture_library_logs, redact


@pytest.fixture
def stream() -> io.StringIO:
    """What a process writes to its log."""
    stream = io.StringIO()
    capture_library_logs(Log(stream=stream, style="json"))
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_what_libraries_log_is_one_redacted_line_of_ours(stream: io.StringIO) -> None:
    log = logging.getLogger("some.library")
    log.info("nothing to see")
    try:
        raise OSError("cannot reach postgresql://me:hunter2@db/x")
    except OSError:
        log.exception("failed for postgresql://me:hunter2@db/x")

    [line] = lines(stream)
    assert (line["event"], line["level"], line["logger"]) == ("library_message", "error", "some.library")
    assert line["message"] == "failed for postgresql://me:***@db/x"
    assert "OSError: cannot reach postgresql://me:***@db/x" in line["trace"]
    assert "hunter2" not in stream.getvalue()


def test_a_second_log_replaces_the_first(stream: io.StringIO) -> None:
    second = io.StringIO()
    capture_library_logs(Log(stream=second, style="json"))
    logging.getLogger("some.library").warning("once")

    assert lines(stream) == []
    assert [line["level"] for line in lines(second)] == ["warning"]


def test_a_closed_log_does_not_fail_who_logs(stream: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    stream.close()
    logging.getLogger("some.library").warning("into the void")
    assert "into the void" in capsys.readouterr().err


async def test_a_failing_task_of_the_schedule_is_written_once(stream: io.StringIO) -> None:
    log = Log(stream=stream, style="json")
    schedule = Schedule(log.report)
    ran = asyncio.Event()

    async def fail() -> None:
        ran.set()
        raise ValueError("broken")

    schedule.start()
    schedule.add("task", fail, timedelta(seconds=1))
    await asyncio.wait_for(ran.wait(), 20)
    await asyncio.sleep(0.1)
    schedule.shutdown()
    await asyncio.sleep(0)

    failed = [line for line in lines(stream) if "broken" in line.get("trace", "")]
    assert [line["event"] for line in failed] == ["scheduled_job_finished"]


def test_an_api_key_is_never_logged() -> None:
    key = "ssky_0Abcdefg_" + "x" * 43
    assert redact(f"sent {key} to us") == "sent ssky_0Abcdefg_*** to us"
