"""Responses as bytes: whole, compressed, head only, not modified."""

import gzip
from dataclasses import dataclass
from http import HTTPStatus

from scrapersky_demo.sites.response import Response

_SMALLEST_PACKED = 256


@dataclass(frozen=True, slots=True)
class EncodedResponse:
    """One response, ready to send in each form that a request may ask for."""

    status: int
    whole: bytes
    head: bytes
    packed: bytes
    not_modified: bytes
    etag: bytes
    modified: bytes
    delay: float
    mode: str


def encode_response(answer: Response) -> EncodedResponse:
    names = {name.lower() for name, _ in answer.headers}
    packable = len(answer.body) >= _SMALLEST_PACKED and "content-encoding" not in names and _is_text(answer)
    whole_head = encode_head(answer, len(answer.body))
    whole = whole_head + answer.body
    packed = b""
    if packable:
        body = gzip.compress(answer.body, compresslevel=1, mtime=0)
        packed = encode_head(answer, len(body), packed=True) + body
    return EncodedResponse(
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


def _is_text(answer: Response) -> bool:
    return answer.content_type.startswith(("text/", "application/xml", "application/rss"))


def encode_head(answer: Response, length: int | None, *, packed: bool = False) -> bytes:
    """The status line and headers; without a length the body is sent in chunks."""
    lines = [_status_line(answer.status), f"Content-Type: {answer.content_type}"]
    lines.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
    if packed:
        lines += ["Content-Encoding: gzip", "Vary: Accept-Encoding"]
    return _joined(lines + _validators(answer) + [f"{name}: {value}" for name, value in answer.headers])


def _not_modified(answer: Response) -> bytes:
    return _joined([_status_line(304), *_validators(answer)])


def _validators(answer: Response) -> list[str]:
    lines = [f"ETag: {answer.etag}"] if answer.etag else []
    return lines + ([f"Last-Modified: {answer.modified}"] if answer.modified else [])


def _status_line(status: int) -> str:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"


def _joined(lines: list[str]) -> bytes:
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
