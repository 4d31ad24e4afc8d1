"""Calls and results as plain data: what is encoded is decoded, and nothing else passes."""

from __future__ import annotations

import functools
from dataclasses import asdict

import orjson
import parser_functions as functions
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scrapersky.extract.report import HomeReport, PageReport, report_home, report_page
from scrapersky.sandbox.codec import decode_error, decode_result, encode_call, encode_error, run_encoded_call

PAGE = b"""<html lang=en><head><title>Lune</title></head><body><h1>Bakery</h1>
<p>Ada Byron, owner: <a href="mailto:ada@lune.co.uk">ada@lune.co.uk</a>, +44 20 7946 0018</p>
<a href="/contact">Contact</a><a href="/sitemap.xml">Sitemap</a></body></html>"""


def encoded(*call: object, **named: object) -> bytes:
    function, *args = call
    return b"".join(encode_call(function, tuple(args), named))  # type: ignore[arg-type]


@given(st.binary(max_size=200), st.text(max_size=50), st.floats(0, 1), st.lists(st.integers(0, 2**40)))
def test_arguments_and_results_survive_the_round_trip(
    body: bytes, value: str, score: float, places: list[int]
) -> None:
    seen = functions.Finding(value.encode("utf-8", "replace").decode(), score, tuple(places), {"a": None})

    result = decode_result(functions.find, run_encoded_call(encoded(functions.find, body, seen, times=2)))

    assert result == functions.find(body, seen, times=2)
    assert all(type(finding) is functions.Finding for finding in result)


def test_the_reports_of_pages_survive_the_round_trip() -> None:
    call = encoded(report_page, PAGE, "https://lune.co.uk/", "lune.co.uk", "text/html", "GB")
    report = decode_result(report_page, run_encoded_call(call))

    assert isinstance(report, PageReport)
    assert [contact.email for contact in report.contacts if contact.email] == ["ada@lune.co.uk"]
    assert asdict(report) == asdict(report_page(PAGE, "https://lune.co.uk/", "lune.co.uk", "text/html", "GB"))


def test_the_reports_of_home_pages_survive_the_round_trip() -> None:
    run = functools.partial(report_home, PAGE, "https://lune.co.uk/", "lune.co.uk", "text/html", None)
    call = encoded(report_home, *run.args, {"Server": "nginx"})
    report = decode_result(report_home, run_encoded_call(call))

    assert isinstance(report, HomeReport)
    assert asdict(report) == asdict(run({"Server": "nginx"}))


def test_bytes_are_not_copied_into_the_json() -> None:
    body = b"\xff" * 100_000
    seen = functions.Finding("x", 0.5, (), {})

    size, head, raw = encode_call(functions.find, (body, seen), {})

    assert raw is body
    assert len(head) < 1_000
    assert int.from_bytes(size, "big") == len(head)


@pytest.mark.parametrize("content", [b"", b"null", b'"text"', b"[1]", b"{", b'{"__reduce__": "os.system"}'])
def test_a_result_of_another_type_is_refused(content: bytes) -> None:
    with pytest.raises(ValidationError):
        decode_result(functions.process_id, content)


def test_a_function_that_returns_another_type_than_it_declares_fails() -> None:
    with pytest.raises(Exception, match=r"[Ee]xpected"):
        run_encoded_call(encoded(functions.return_wrong_type))


def test_an_argument_of_another_type_is_refused_before_it_is_sent() -> None:
    with pytest.raises(Exception, match=r"[Ee]xpected"):
        encode_call(functions.shout, (1,), {})


@given(st.text(st.characters(), max_size=2_000))
def test_an_error_is_a_name_and_a_bounded_message(text: str) -> None:
    name, message = decode_error(encode_error(ValueError(text)))

    assert name == "ValueError"
    assert message == text[:500].encode("utf-8", "replace").decode()
    assert isinstance(orjson.loads(encode_error(ValueError(text))), list)


def test_a_message_with_lone_surrogates_can_be_sent() -> None:
    assert decode_error(encode_error(ValueError("\ud800"))) == ("ValueError", "?")
