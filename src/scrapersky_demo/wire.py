"""Answers of the demo world as bytes for the wire: whole, packed, head only, not modified."""

import gzip
from dataclasses import dataclass
from http import HTTPStatus

from scrapersky_demo.answer import Answer

_SMALLEST_PACKED = 256


@dataclass(frozen=True, slots=True)
class Wire:
    """One answer, ready to send in each form that a request may ask for."""

    status: int
    whole: bytes
    head: bytes
    packed: bytes
    not_modified: bytes
    etag: bytes
    modified: bytes
    delay: float
    mode: str


def wire_of(answer: Answer) -> Wire:
    names = {name.lower() for name, _ in answer.headers}
    packable = len(answer.body) >= _SMALLEST_PACKED and "content-encoding" not in names and _is_text(answer)
    whole_head = head_of(answer, len(answer.body))
    whole = whole_head + answer.body
    packed = b""
    if packable:
        body = gzip.compress(answer.body, compresslevel=1, mtime=0)
        packed = head_of(answer, len(body), packed=True) + body
    return Wire(
        status=answer.status,
        whole=whole,
        head=whole_head,
        packed=packed,
        not_modified=_not_modified(answer),
        etag=answer.etag.encode(),
        modified=answer.modified.encode(),
        delay=answer.delay,
        mode=answer.mode,
    )


def _is_text(answer: Answer) -> bool:
    return answer.content_type.startswith(("text/", "application/xml", "application/rss"))


def head_of(answer: Answer, length: int | None, *, packed: bool = False) -> bytes:
    """The status line and headers; without a length the body is sent in chunks."""
    lines = [_status_line(answer.status), f"Content-Type: {answer.content_type}"]
    lines.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
    if packed:
        lines += ["Content-Encoding: gzip", "Vary: Accept-Encoding"]
    return _joined(lines + _validators(answer) + [f"{name}: {value}" for name, value in answer.headers])


def _not_modified(answer: Answer) -> bytes:
    return _joined([_status_line(304), *_validators(answer)])


def _validators(answer: Answer) -> list[str]:
    lines = [f"ETag: {answer.etag}"] if answer.etag else []
    return lines + ([f"Last-Modified: {answer.modified}"] if answer.modified else [])


def _status_line(status: int) -> str:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"


def _joined(lines: list[str]) -> bytes:
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
