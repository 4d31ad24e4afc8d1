"""What the log, the statistics and the dead letters say about rows that fail."""

from __future__ import annotations

import asyncio
import io
import json
import traceback
from datetime import timedelta

import pytest
from lab import PAGES, QUICK, add, pages, rows, settled, stage, stats, until, working

from scrapersky.engine.outcome import Discard, FailureNote, Snooze, reason_of, traceback_of
from scrapersky.engine.stage import StageOptions
from scrapersky.log import Log, redact

SECRET = "postgresql://sky:hunter2@db.example/leads"


def deep_down() -> None:
    raise ValueError(f"cannot reach {SECRET}")


async def saved(connection, found):
    NOTES.extend((item.id, row) for item, row in found if isinstance(row, FailureNote))
    return 0


NOTES: list = []


@pytest.mark.req("R109", "R214", "R252")
async def test_a_failed_row_is_an_error_with_its_traceback_stage_id_and_domain(lab, monkeypatch):
    """Each retried try is a warning; the last is the error. The dead letter keeps the same traceback."""

    async def look(item, context):
        deep_down()

    NOTES.clear()
    monkeypatch.setattr("lab.save", saved)
    [one] = await add(lab, 1, table=pages, host="shop.example")
    async with working(lab, stage(look, table=pages, queue=PAGES)) as worker:
        await settled(lab, pages)
        lines = [line for line in worker.lines if line["event"] == "item_processed"]

    assert [line.get("level") for line in lines] == ["warning", "warning", "warning", "error"]
    error = lines[-1]
    assert (error["stage"], error["id"], error["domain"], error["attempt"]) == (
        "visit",
        one,
        "shop.example",
        4,
    )
    assert error["class"] == "ValueError"
    assert error["trace"].startswith("Traceback (most recent call last)")
    assert "in deep_down" in error["trace"]
    [(row_id, note)] = NOTES
    assert (row_id, note.stage, note.error_class, note.attempts) == (one, "visit", "ValueError", 4)
    assert note.traceback == error["trace"]
    assert "hunter2" not in note.traceback + note.reason + error["error"]


async def test_no_credential_gets_into_the_log_by_a_traceback() -> None:
    """Neither as a line for machines nor as one for people, in which the traceback follows below."""
    with pytest.raises(ValueError, match="cannot reach") as caught:
        deep_down()

    line = {"event": "task_failed", "level": "error", "error": str(caught.value)}
    line["trace"] = "".join(traceback.format_exception(caught.value))
    for style in ("json", "text"):
        stream = io.StringIO()
        Log(style=style, stream=stream).report([line])
        assert "hunter2" not in stream.getvalue()
        assert "sky:***@db.example" in stream.getvalue()
    # An error may quote what a stranger sent.
    stream = io.StringIO()
    Log(style="text", stream=stream).report(
        [{"event": "task_failed", "trace": "Traceback\n  \x1b[2J\u202e\r!\n"}]
    )
    assert stream.getvalue().endswith("Traceback\n   [2J  !\n")
    # As DATABASE_URL's own parameter it reaches the driver inside another address.
    assert "hunter2" not in redact("?dsn=postgresql%3A///%3Fuser%3Dsky%26password%3Dhunter2")
    assert "hunter2" not in traceback_of(caught.value) + reason_of(caught.value)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("redis://:s3cret@cache.example/0", "s3cret"),
        ("https://user:s3cret@api.example/x", "s3cret"),
        ("GET /v1?api_key=s3cret&x=1", "s3cret"),
        ("Authorization: Bearer s3cret", "s3cret"),
    ],
)
def test_every_form_of_a_credential_is_left_out(text, hidden):
    stream = io.StringIO()
    Log(style="json", stream=stream).event("task_failed", trace=f"Traceback\n{text}\n")
    assert hidden not in stream.getvalue()
    assert json.loads(stream.getvalue())["trace"].startswith("Traceback")


async def test_what_timed_out_says_where_it_waited(lab):
    async def waits_for_the_host(item, context):
        await asyncio.sleep(60)

    await add(lab, 1, max_retries=0)
    stage_options = StageOptions(timeout=timedelta(milliseconds=100))
    async with working(lab, stage(waits_for_the_host), stage_options=stage_options) as worker:
        await settled(lab)
        [line] = [line for line in worker.lines if line.get("state") == "failed"]

    assert "in waits_for_the_host" in line["trace"]


@pytest.mark.req("R213")
async def test_the_statistics_count_classes_of_errors(lab):
    answers = iter([OSError("reset"), OSError("reset"), Snooze("busy"), Discard("gone")])

    async def look(item, context):
        raise next(answers)

    await add(lab, 1)
    async with working(lab, stage(look), options=QUICK) as worker:
        await settled(lab)
        await until(lambda: _written(lab))
        assert worker.runners

    counted = {}
    for row in await rows(lab, stats):
        for name, number in row["errors"].items():
            counted[name] = counted.get(name, 0) + number
    assert counted == {"OSError": 2, "Snooze": 1, "Discard": 1}


async def _written(lab):
    return any(row["errors"].get("Discard") for row in await rows(lab, stats))


@pytest.mark.req("R174")
async def test_a_lost_lease_is_a_warning_and_not_a_crash(lab):
    began = asyncio.Event()

    async def look(item, context):
        began.set()
        await asyncio.sleep(60)

    [one] = await add(lab, 1)
    async with working(lab, stage(look)) as worker:
        await began.wait()
        async with lab.begin() as connection:
            await connection.exec_driver_sql("UPDATE things SET lease_seq = lease_seq + 1")
        await until(
            lambda: asyncio.sleep(0, [line for line in worker.lines if line.get("state") == "lease_lost"])
        )
        [line] = [line for line in worker.lines if line.get("state") == "lease_lost"]

    assert (line["level"], line["id"]) == ("warning", one)
