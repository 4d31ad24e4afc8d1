"""JSON that programs read in different ways is refused, and quickly."""

from __future__ import annotations

from time import process_time

import pytest

from scrapersky.api.bodies.strict_json import MalformedJson, RefusedJson, check_json

MALFORMED = {
    "NaN": b'{"a": NaN}',
    "infinity": b"[-Infinity]",
    "trailing comma": b'{"a": 1,}',
    "trailing garbage": b'{"a": 1} x',
    "byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-32": '{"a": 1}'.encode("utf-32-le"),
    "Latin-1": '"é"'.encode("latin-1"),
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "overlong": b'"\xc0\x80"',
    "a raw control character": b'"a\nb"',
    "single quotes": b"{'a': 1}",
    "comment": b'{"a": 1} // b',
    "leading zero": b"[01]",
    "hexadecimal": b"[0x1]",
    "blank": b"  ",
}
REFUSED = {
    "duplicate key": b'{"a": 1, "b": {"c": 1, "c": 2}}',
    "duplicate key by escape": b'{"a": 1, "\\u0061": 2}',
    "too large": b"[1e999]",
    "many digits": b"[" + b"9" * 100_000 + b"]",
    "many digits behind the point": b"[0." + b"9" * 100_000 + b"]",
    "many keys": b"{" + b",".join(b'"k%d":1' % number for number in range(100_000)) + b"}",
    "NUL": b'{"a": "x\\u0000y"}',
    "NUL in a key": b'{"a\\u0000": 1}',
    "half a surrogate pair": b'["\\ud800"]',
    "deep": b"[" * 60 + b"]" * 60,
    "deeper": b"[" * 200_000 + b"]" * 200_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_not_json_is_malformed(name: str) -> None:
    with pytest.raises(MalformedJson):
        check_json(MALFORMED[name])


@pytest.mark.timed
@pytest.mark.parametrize("name", REFUSED)
def test_json_that_cannot_be_read_or_stored_alike_is_refused_within_200_ms(name: str) -> None:
    started = process_time()  # Not the clock: other processes need the machine, too.
    with pytest.raises(RefusedJson):
        check_json(REFUSED[name])
    assert process_time() - started < 0.2


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": [1, -2.5e3, true, null, "\\ud83d\\ude00 \xf0\x9f\x98\x80 \\u202e"]}',
        b'""',
        b"[[[[1]]]]",
        b" {} ",
    ],
)
def test_plain_json_passes(body: bytes) -> None:
    check_json(body)
