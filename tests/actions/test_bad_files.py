"""The catalogue of bad lines and bad files, by its rows, on the way a person's list takes to the database."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.submission_input import MAX_SUBMITTED_LINES, parse_lines
from scrapersky.actions.submissions import import_csv, preview_csv, submit_domains, submit_pages
from scrapersky.errors import InvalidInput

DOMAINS = tables.domains


async def stored(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(DOMAINS).order_by(DOMAINS.c.domain)))


@pytest.mark.parametrize("submit", [submit_domains, submit_pages])
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("http://%31%32%37.0.0.1/", "percent"),
        ("http://ex%2fample.com/", "percent"),
        ("a" * 64 + ".com", "63"),
        (".".join(["a" * 50] * 4 + ["b" * 46, "com"]), "253"),
        (".".join(["a"] * 127 + ["com"]), "253"),
    ],
)
async def test_a_name_that_no_resolver_should_see_is_refused_with_the_reason(
    db: AsyncEngine, submit: Any, line: str, reason: str
) -> None:
    """DOM-10 (percent in the host) and DOM-16 (a label of 64, a name of 254, 128 labels)."""
    first, again = [(await submit(db, WHO, ["good.com", line])).lines[1] for _ in range(2)]
    assert (first.status, first.id) == ("invalid", None)
    assert first.reason == again.reason
    assert re.search(reason, first.reason), first.reason
    assert [row.domain for row in await stored(db)] == ["good.com"]


@pytest.mark.timed
async def test_the_longest_list_is_taken_and_one_line_more_is_refused(db: AsyncEngine) -> None:
    """DOM-23; that all of it is stored in 30 s is shown by `make reliability`, here by a tenth of it."""
    lines = [f"shop-{number}.com" for number in range(MAX_SUBMITTED_LINES + 1)]
    assert len(parse_lines("\n".join(lines[:-1]))) == MAX_SUBMITTED_LINES == 100_000
    with pytest.raises(InvalidInput, match="100,000"):
        await submit_domains(db, WHO, "\n".join(lines))
    assert await stored(db) == []

    began = time.process_time()
    submission = await submit_domains(db, WHO, "\n".join(lines[: MAX_SUBMITTED_LINES // 10]))
    assert time.process_time() - began < 30 / 10
    assert submission.counts["new"] == len(await stored(db)) == MAX_SUBMITTED_LINES // 10


async def test_an_empty_file_is_refused_and_headings_alone_are_no_rows(db: AsyncEngine) -> None:
    """CSV-01."""
    for empty in (b"", b"\n\r\n", b"\xef\xbb\xbf"):
        with pytest.raises(InvalidInput, match="empty"):
            await import_csv(db, WHO, "domain", [empty])
    assert (await import_csv(db, WHO, "domain", [b"domain,name\n"])).lines == []


NO_HEADINGS = b"Blum,Berlin,blum.de\nAdler,Bonn,adler.de\n"


@pytest.mark.parametrize(
    ("data", "column", "told"),
    [
        (NO_HEADINGS, "3", "column 3"),
        (b"name,ort,seite\n" + NO_HEADINGS, "Seite", "seite"),
        (b"name,url,domain\n" + NO_HEADINGS, "3", "domain"),
    ],
)
async def test_without_headings_the_chosen_column_is_read(
    db: AsyncEngine, data: bytes, column: str, told: str
) -> None:
    """CSV-01."""
    submission = await import_csv(db, WHO, "domain", [data], column=column)
    assert submission.mapping == {"value": told}
    assert [(line.status, line.value) for line in submission.lines] == [
        ("new", "blum.de"),
        ("new", "adler.de"),
    ]


@pytest.mark.parametrize("column", ["0", "4", "-1", "nothing", "9" * 5_000])
async def test_a_column_that_is_not_there_is_refused(db: AsyncEngine, column: str) -> None:
    with pytest.raises(InvalidInput, match="no column"):
        await import_csv(db, WHO, "domain", [NO_HEADINGS], column=column)


async def test_a_byte_order_mark_does_not_hide_the_first_heading(db: AsyncEngine) -> None:
    """CSV-02: with the mark in it, `domain` would be no heading and the first column no domain."""
    submission = await import_csv(db, WHO, "domain", [b"\xef\xbb\xbfdomain,name\na.com,A\n"])
    assert submission.mapping == {"value": "domain"}
    assert [(line.number, line.status) for line in submission.lines] == [(2, "new")]


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        (b"name;domain\nA;a.com\nB;b.com\n", ";"),
        (b"name\tdomain\nA, and B\ta.com\nB\tb.com\n", "\t"),
        (b"name|domain\nA;1|a.com\nB|b.com\n", "|"),
        (b"sep=;\nname;domain\nA,1;a.com\nB,2;b.com\n", ";"),
    ],
)
async def test_the_delimiter_is_found_and_shown_before_anything_is_stored(
    db: AsyncEngine, data: bytes, delimiter: str
) -> None:
    """CSV-04."""
    preview = preview_csv("domain", [data])
    assert (preview.delimiter, preview.encoding, preview.mapping) == (delimiter, "utf-8", {"value": "domain"})
    assert [line.text for line in preview.lines] == ["a.com", "b.com"]
    assert await stored(db) == []
    assert (await import_csv(db, WHO, "domain", [data])).counts["new"] == 2


async def test_one_bad_line_of_ten_thousand_is_named_and_swallows_no_other(db: AsyncEngine) -> None:
    """CSV-05 (an open quote at line 5), CSV-07 (a cell of 200,000 characters) and CSV-08 (NUL)."""
    lines = [b"name,domain", *(b"shop,shop%d.com" % number for number in range(2, 10_001))]
    lines[4] = b'"shop,shop5.com'
    lines[6] = b"shop," + b"x" * 200_000
    lines[7] = b'"' + b"x" * 200_000 + b'",shop8.com'
    lines[8] = b"sh\x00op,shop9.com"
    submission = await import_csv(db, WHO, "domain", [b"\n".join(lines)])
    assert {line.number: line.reason for line in submission.lines if line.status != "new"} == {
        5: "a quote that is not closed",
        7: "longer than 100,000 characters",
        8: "longer than 100,000 characters",
        9: "control character",
    }
    assert submission.counts["new"] == len(await stored(db)) == 9_995


async def test_an_endless_file_is_left_at_the_limit_in_little_memory(db: AsyncEngine) -> None:
    """CSV-10: no more is read of it than is needed to know."""
    sent = 0

    def chunks(piece: bytes) -> Iterator[bytes]:
        nonlocal sent
        yield b"domain\n"
        for _ in range(1_000):
            sent += len(piece)
            yield piece

    tracemalloc.start()
    with pytest.raises(InvalidInput, match="100,000 lines"):
        await import_csv(db, WHO, "domain", chunks(b"a-shop.com\n" * 1_000))
    rows_sent, sent = sent, 0
    with pytest.raises(InvalidInput, match="10,485,760 bytes"):
        await import_csv(db, WHO, "domain", chunks(b"a-shop.com," + b"x" * 50_000 + b"\n"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows_sent < 110 * 11_000
    assert sent < 10 * 2**20 + 100_000
    assert peak < 128 * 2**20
    assert await stored(db) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            b",".join(b"c%d" % number for number in range(10_000)) + b"\na.com\n",
            "line 1: more than 200 columns",
        ),
        (b"domain,Domain \na.com,b.com\n", "two columns are called"),
        (b"domain,,x\na.com,b.com,c\n", "column 2 has no heading"),
    ],
)
async def test_headings_that_cannot_be_meant_are_refused(db: AsyncEngine, data: bytes, reason: str) -> None:
    """CSV-11."""
    with pytest.raises(InvalidInput, match=reason):
        await import_csv(db, WHO, "domain", [data])
    assert await stored(db) == []


async def test_fifty_thousand_forms_of_one_domain_are_one_row(db: AsyncEngine) -> None:
    """CSV-13."""
    forms = ["example.com", "EXAMPLE.COM", "example.com.", "http://example.com", "https://www.Example.com/"]
    data = "domain\n" + "\n".join(forms[number % 5] for number in range(50_000))
    submission = await import_csv(db, WHO, "domain", [data.encode()])
    assert (submission.counts["new"], submission.counts["known"]) == (1, 49_999)
    assert [row.domain for row in await stored(db)] == ["example.com"]


def packed(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "domain\na.com\n")
    return buffer.getvalue()


PAGE = "<!doctype html>\n<html><body><table><tr><td>a.com</td></tr></table>"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (packed("list.csv"), "ZIP"),
        (packed("[Content_Types].xml", "xl/workbook.xml"), "ZIP or XLSX"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG"),
        (PAGE.encode(), "web page"),
        (PAGE.encode("utf-8-sig"), "web page"),
        (PAGE.encode("utf-16"), "web page"),
        (b"<!-- saved from url -->" + PAGE.encode(), "web page"),
        (b"<div>\na.com\n</div>", "web page"),
    ],
)
async def test_what_is_no_csv_is_refused_by_its_content(db: AsyncEngine, data: bytes, reason: str) -> None:
    """CSV-17."""
    with pytest.raises(InvalidInput, match=reason):
        await import_csv(db, WHO, "domain", [data])
    assert await stored(db) == []


async def test_columns_that_are_ours_to_fill_are_not_taken_from_a_file(db: AsyncEngine) -> None:
    """CSV-19, and CSV-22 for lists: no date of a file reaches a column that a later read trips over."""
    heads = "tenant_id,id,status,created_at,updated_at,sitemap_curation_status,domain"
    own = "018f0000-0000-7000-8000-000000000000"
    dates = ["31/02/2024", "10000-01-01", "infinity", "NaN"]
    rows = [f"{own},{own},completed,{date},{date},Rejected,shop{n}.com" for n, date in enumerate(dates)]
    submission = await import_csv(db, WHO, "domain", ["\n".join([heads, *rows]).encode()])
    assert submission.counts["new"] == 4
    found = await stored(db)
    assert {(row.tenant_id, row.status, row.sitemap_curation_status) for row in found} == {
        (TENANT, "pending", "New")
    }
    assert own not in {str(row.id) for row in found}
    assert all(row.created_at.year == row.updated_at.year >= 2024 for row in found)


def a_thousand() -> list[bytes]:
    return [b"domain\n", *(b"shop%05d.com\n" % number for number in range(1_000))]


async def test_an_upload_that_breaks_off_stores_nothing(db: AsyncEngine) -> None:
    """CSV-20."""

    def broken() -> Iterator[bytes]:
        yield from a_thousand()[:500]
        raise ConnectionResetError("the client is gone")

    with pytest.raises(ConnectionResetError):
        await import_csv(db, WHO, "domain", broken())
    assert await stored(db) == []


KILLED = """
import asyncio, os, signal, sys
from dataclasses import replace
from sqlalchemy.ext.asyncio import create_async_engine
from product import WHO
from scrapersky.actions import submissions

kind = submissions.KINDS["domain"]
submissions.BATCH, stored = 200, []

async def store(*given, **options):
    await kind.store(*given, **options)
    stored.append(1)
    if len(stored) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

submissions.KINDS["domain"] = replace(kind, store=store)
data = sys.stdin.buffer.read()
asyncio.run(submissions.import_csv(create_async_engine(sys.argv[1]), WHO, "domain", [data]))
"""


async def test_an_import_that_was_killed_halfway_ends_the_same_when_it_is_run_again(db: AsyncEngine) -> None:
    """CSV-20: whole batches are there or not at all, and the second run adds what is missing."""
    data = b"".join(a_thousand())
    url = db.url.render_as_string(hide_password=False)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    command = [sys.executable, "-c", KILLED, url]
    ended = await asyncio.to_thread(subprocess.run, command, input=data, env=environment, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    before = await stored(db)
    assert len(before) == 400

    again = await import_csv(db, WHO, "domain", [data])
    third = await import_csv(db, WHO, "domain", [data])

    assert (again.counts["known"], again.counts["new"], third.counts["known"]) == (400, 600, 1_000)
    after = await stored(db)
    assert len(after) == len({row.domain for row in after}) == 1_000
    assert {row.status for row in after} == {"pending"}
    assert {row.id for row in before} <= {row.id for row in after}


@pytest.mark.parametrize("title", [b"Our customers\n", b"Export of today;;\n\n", b"Domains\nof 2024\n"])
async def test_titles_above_a_list_of_domains_are_passed_over_and_told(db: AsyncEngine, title: bytes) -> None:
    submission = await import_csv(db, WHO, "domain", [title + b"domain;name\na.com;A\nb.com;B\n"])
    assert [(line.value, line.status) for line in submission.lines] == [("a.com", "new"), ("b.com", "new")]
    assert (1, "above the headings, not read") in submission.notes


async def test_a_list_without_headings_loses_no_line_to_a_later_one(db: AsyncEngine) -> None:
    submission = await import_csv(db, WHO, "domain", [b"a.com\nb.com\ndomain\nc.com\n"])
    assert [line.status for line in submission.lines] == ["new", "new", "invalid", "new"]


async def test_the_encoding_is_shown_and_can_be_chosen(db: AsyncEngine) -> None:
    data = "domain;name\nřezník.cz;Řezník\n".encode("cp1250")
    assert preview_csv("domain", [data], encoding="cp1250").assumed == "cp1250"
    submission = await import_csv(db, WHO, "domain", [data], encoding="cp1250")
    assert [(line.value, line.status) for line in submission.lines] == [("řezník.cz", "new")]
    with pytest.raises(InvalidInput, match="unknown encoding"):
        await import_csv(db, WHO, "domain", [data], encoding="nonsense")
