"""Rows out of CSV files as people make them (RELIABILITY 3.2)."""

from __future__ import annotations

import csv
import io
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.text.formula_cells import original_cell, safe_cell
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import PLACE_HEADINGS, fold_heading, map_columns
from scrapersky.sources.csv.rows import MAX_COLUMNS, MAX_ROW_LENGTH, read_rows


def cells(data: bytes, *, size: int = 1 << 16) -> list[tuple[str, ...]]:
    chunks = (data[start : start + size] for start in range(0, len(data), size))
    return [row.cells for row in read_rows(chunks) if not row.problem]


def problems(data: bytes) -> dict[int, str]:
    return {row.number: row.problem for row in read_rows([data]) if row.problem}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_common_encoding_is_read(encoding: str) -> None:
    text = "name,city\nMüller & Söhne,Köln\nCafé Zoë,Genève\n"
    assert cells(text.encode(encoding)) == [
        ("name", "city"),
        ("Müller & Söhne", "Köln"),
        ("Café Zoë", "Genève"),
    ]


def test_a_latin_line_far_below_a_plain_beginning_is_read_too() -> None:
    data = b"name\n" + b"plain\n" * 20_000 + "Müller".encode("cp1252")
    assert cells(data)[-1] == ("Müller",)


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        (b"a,b\n1,2\n", ","),
        (b"a;b\n1,5;2\n", ";"),
        (b"a\tb\n1,5\t2\n", "\t"),
        (b"a|b\n1;5|2\n", "|"),
        (b"sep=;\na;b\n1;2\n", ";"),
        (b'a;b\n"x,y,z";2\n"x,y";3\n', ";"),
        (b"https://a.com/?x=1;2\nhttps://b.com/\nhttps://c.com/\n", ","),
    ],
)
def test_the_delimiter_is_found(data: bytes, delimiter: str) -> None:
    assert read_rows([data]).delimiter == delimiter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_line_ends_and_chunk_borders_make_no_difference(end: str, size: int) -> None:
    text = end.join(['name,"note"', 'x,"two""quotes"', "", 'y,"a,b"', "z,c"])
    assert cells(text.encode(), size=size) == [
        ("name", "note"),
        ("x", 'two"quotes'),
        ("y", "a,b"),
        ("z", "c"),
    ]


def test_a_cell_may_have_several_lines() -> None:
    assert cells(b'name,note\nx,"one\ntwo"\ny,z\n') == [("name", "note"), ("x", "one\ntwo"), ("y", "z")]


def test_an_unclosed_quote_is_named_by_its_line_and_swallows_nothing() -> None:
    lines = [f"shop {n},city" for n in range(1, 10_001)]
    lines[4] = '"shop 5,city'
    data = "\n".join(lines).encode()
    assert problems(data) == {5: "a quote that is not closed"}
    assert len(cells(data)) == 9_999
    lines[7] = '"shop 8","city"'
    assert problems("\n".join(lines).encode()) == {5: "a quote that is not closed"}


@pytest.mark.timed
def test_a_file_of_nothing_but_open_quotes_is_read_in_linear_time() -> None:
    data = b'"open,cell with some more text in it\n' * 50_000
    began = time.perf_counter()
    assert len(problems(data)) == 50_000
    assert time.perf_counter() - began < 15


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"a\x00b,c", "control character"),
        (b"x" * 200_000 + b",y", "longer than 100,000 characters"),
        (b'"' + b"x" * 200_000 + b'",y', "longer than 100,000 characters"),
        (b"," * 10_000, "more than 200 columns"),
        (b'"a"b,c', "a quote inside a cell"),
    ],
)
def test_a_bad_line_is_named_and_its_neighbours_are_read(line: bytes, problem: str) -> None:
    data = b"name,city\n" + line + b"\nnext,one\n"
    assert problems(data) == {2: problem}
    assert cells(data) == [("name", "city"), ("next", "one")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\n \n\r\n", "empty"),
        (b"PK\x03\x04\x14\x00", "ZIP"),
        (b"\x89PNG\r\n\x1a\n\x00", "PNG"),
        (b"%PDF-1.7", "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "Excel"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"  <html lang=de>", "web page"),
        (b"<?xml version='1.0'?>", "web page"),
        (bytes(range(256)) * 40, "not a text file"),
    ],
)
def test_what_is_no_csv_is_refused_by_its_content(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidCSV, match=reason):
        read_rows([data])


def test_the_limit_of_bytes_is_named() -> None:
    with pytest.raises(InvalidCSV, match="1,000 bytes"):
        list(read_rows([b"a,b\n" * 251], max_bytes=1_000))


def test_a_million_rows_and_an_endless_line_are_read_in_bounded_memory() -> None:
    def chunks() -> object:
        yield b"name,city\n"
        for _ in range(100):
            yield b"some shop,some city\n" * 1_000
        for _ in range(200):
            yield b"x" * 100_000
        yield b"\nlast,row\n"

    tracemalloc.start()
    number = sum(1 for _ in read_rows(chunks()))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == 100_003
    assert peak < 10 * 2**20


@given(
    st.lists(
        st.lists(
            st.text(
                st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u00a0\u2028\u2029"),
                max_size=20,
            ).map(str.strip),
            min_size=2,
            max_size=5,
        ).filter(any),
        min_size=1,
        max_size=20,
    )
)
def test_what_a_spreadsheet_writes_is_read_back(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["sep", "x"], *rows])
    first, *found = cells(text.getvalue().encode())
    assert first == ("sep", "x")
    assert found == [tuple(original_cell(cell) for cell in row) for row in rows]


PAYLOADS = ['=HYPERLINK("http://evil","x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1",
            "＝1+1", "＋1", "－1", "＠x", "'=1", "''=1", "+4930123456"]  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_formulas_are_marked_and_restored_exactly(payload: str) -> None:
    marked = safe_cell(payload)
    assert marked == f"'{payload}"
    assert original_cell(marked) == payload


@given(st.text(max_size=30))
def test_marking_loses_nothing(text: str) -> None:
    marked = safe_cell(text)
    assert original_cell(marked) == text
    assert not marked or marked[0] not in "=+-@\t\r\n＝＋－＠"


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Company Name", "name"), ("FIRMA", "name"), ("Raison sociale", "name"), ("Ragione Sociale", "name"),
        ("Straße", "street"), ("PLZ", "postcode"), ("Código postal", "postcode"), ("Téléphone", "phone"),
        ("Webseite", "website"), ("Strona WWW", "website"), ("Ciudad", "city"), ("Ort", "city"),
        ("lat", "latitude"), ("LNG", "longitude"), ("place_id", "place_id"), ("Länge", "longitude"),
    ],
)  # fmt: skip
def test_headings_of_many_languages_are_known(heading: str, name: str) -> None:
    found = map_columns((heading, "something else"), PLACE_HEADINGS)
    assert found is not None
    assert found.columns == {name: 0}
    assert found.described() == {name: heading}
    assert found.ignored() == ["something else"]


def test_no_heading_means_two_things() -> None:
    words = [word for listed in PLACE_HEADINGS.values() for word in listed.split()]
    assert sorted(words) == sorted(set(words))
    assert [word for word in words if fold_heading(word) != word] == []


def test_limits_are_what_the_messages_say() -> None:
    assert (MAX_ROW_LENGTH, MAX_COLUMNS) == (100_000, 200)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('a, "b, c"', ("a", "b, c")),
        ('"a" ,"b, c" , d', ("a", "b, c", "d")),
        (' "a, b",c', ("a, b", "c")),
        ('a,\t"b, c"', ("a", "b, c")),
        ('a,\u00a0"b, c"\u00a0,d', ("a", "b, c", "d")),
        ('a,   "say ""hi"", you" ,d', ("a", 'say "hi", you', "d")),
        ('a, "", "x"', ("a", "", "x")),
        ('a,5" pipe, "x, y"', ("a", '5" pipe', "x, y")),
    ],
)
def test_white_space_around_quotes_makes_no_difference(line: str, expected: tuple[str, ...]) -> None:
    assert cells(f"h1,h2\n{line}\nlast,one\n".encode())[1:] == [expected, ("last", "one")]
    other = line.replace(",", ";")
    wanted = tuple(cell.replace(",", ";") for cell in expected)
    assert cells(f"h1;h2\n{other}\nlast;one\n".encode())[1:] == [wanted, ("last", "one")]
