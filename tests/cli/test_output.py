"""Text of strangers cannot steer a terminal: not in a list, nor in one row, nor in JSON, nor in an error."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from product import add_domain
from scrapersky.cli.output import echo_fields, echo_json, echo_rows, fail, printable

EVIL = {
    "escape": "a\x1b]0;owned\x07b",
    "colours": "\x1b[31mred",
    "eight-bit control": "\x9b31mred",
    "carriage return": "good\rbad",
    "backspace": "good\b\b\bbad",
    "right to left": "moc\u202eelgoog",
    "isolates": "\u2066hidden\u2069",
    "zero width": "pay\u200bpal",
    "line separator": "a\u2028b",
    "tags": "a\U000e0041b",
}


def is_safe(output: str) -> bool:
    return output.replace("\n", "").isprintable()


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
def test_nothing_that_is_printed_steers_the_terminal(evil: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"title": evil, "notes": [evil], "more": {"key": evil}}
    echo_rows([row], as_json=False)
    echo_fields(row)
    echo_json(row)
    with pytest.raises(SystemExit):
        fail(f"There is no {evil}", 3)
    out, err = capsys.readouterr()
    assert is_safe(out)
    assert is_safe(err)
    assert json.loads(out.splitlines()[-1]) == row


def test_ordinary_text_stays_as_it_is() -> None:
    for ordinary in ("Zoë – 日本語 שלום", "a\nb"):
        assert printable(ordinary) == ordinary
    assert printable("1\u00a0000") == "1 000"


def test_a_line_break_in_a_value_does_not_look_like_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    echo_fields({"title": "x\nstatus    Complete", "status": "Error"}, width=10)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("status")] == ["status     Error"]


def test_show_and_list_escape_what_a_page_said(sky: Any, database_url: str) -> None:
    async def add() -> None:
        engine = create_async_engine(database_url)
        await add_domain(engine, "evil.example", title=EVIL["escape"], notes=EVIL["right to left"])
        async with engine.begin() as connection:
            await connection.execute(text("UPDATE domains SET error = :e"), {"e": EVIL["colours"]})
        await engine.dispose()

    asyncio.run(add())
    for command in (("domain", "show", "evil.example"), ("domain", "list"), ("domain", "list", "--json")):
        result: Result = sky(*command)
        assert result.exit_code == 0
        assert is_safe(result.stdout), command
    assert "\\x1b]0;owned" in sky("domain", "show", "evil.example").stdout
