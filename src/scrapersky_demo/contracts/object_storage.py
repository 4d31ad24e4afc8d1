"""Object storage as S3 answers it: folders in pages, ranges of files, ETags, and errors as XML."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape

from aiohttp import web

from scrapersky.sources.request_signature import BucketKey, sign_request
from scrapersky_demo.contracts.faults import Faults
from scrapersky_demo.contracts.server import running

PAGE = 1_000
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(slots=True)
class ObjectStorageServer:
    """Buckets with the bytes of every key. `read` counts the bytes that were sent of each."""

    buckets: dict[str, dict[str, bytes]] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    # Who may read the private buckets.
    credentials: BucketKey | None = None
    keys_per_page: int = PAGE
    faults: Faults = field(default_factory=Faults)
    read: dict[str, int] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    answers_ranges: bool = True

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/{bucket}/{key:.*}", self._serve)
        return application

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(f"{request.path_qs} {request.headers.get('Range', '')}".strip())
        return await self.faults.serve(request, self._answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        name, key = request.match_info["bucket"], request.match_info["key"]
        if name not in self.buckets:
            return _error(404, "NoSuchBucket")
        if name in self.private and (refused := self._refusal(request)):
            return _error(403, refused)
        if not key:
            return self._list(name, request)
        if key not in self.buckets[name]:
            return _error(404, "NoSuchKey")
        return self._object(f"{name}/{key}", self.buckets[name][key], request)

    def _refusal(self, request: web.Request) -> str:
        """The signature must be that of the request as it arrived."""
        signature = request.headers.get("Authorization", "")
        if self.credentials is None or not signature:
            return "AccessDenied"
        names = re.findall("SignedHeaders=([^,]*)", signature)[0].split(";")
        headers = {name: request.headers[name] for name in names if name != "host"}
        moment = datetime.strptime(headers.pop("x-amz-date"), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        headers.pop("x-amz-content-sha256")
        if abs(datetime.now(UTC) - moment) > timedelta(minutes=15):
            return "RequestTimeTooSkewed"
        url = f"http://{request.host}{request.raw_path}"
        expected = sign_request(self.credentials, url, headers, moment)["Authorization"]
        return "" if signature == expected else "SignatureDoesNotMatch"

    def _list(self, name: str, request: web.Request) -> web.Response:
        if request.query.get("list-type") != "2":
            return _error(501, "NotImplemented")
        prefix, after = request.query.get("prefix", ""), request.query.get("continuation-token", "")
        keys = sorted(key for key in self.buckets[name] if key.startswith(prefix) and key > after)
        page, rest = keys[: self.keys_per_page], keys[self.keys_per_page :]
        now = datetime.now(UTC).isoformat()
        listed = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{now}</LastModified>"
            f"<Size>{len(self.buckets[name][key])}</Size></Contents>"
            for key in page
        )
        more = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if rest else ""
        return _xml(200, f"<ListBucketResult><Name>{name}</Name>{more}{listed}</ListBucketResult>")

    def _object(self, path: str, content: bytes, request: web.Request) -> web.Response:
        tag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        if request.headers.get("If-Match", tag) != tag:
            return _error(412, "PreconditionFailed")
        match = _RANGE.fullmatch(request.headers.get("Range", "")) if self.answers_ranges else None
        if match is None:
            return web.Response(body=content, headers={"ETag": tag})
        first, last = match.groups()
        start = int(first) if first else max(len(content) - int(last), 0)
        end = min(int(last), len(content) - 1) if first and last else len(content) - 1
        if start > end:
            return _error(416, "InvalidRange")
        self.read[path] = self.read.get(path, 0) + end - start + 1
        headers = {"ETag": tag, "Content-Range": f"bytes {start}-{end}/{len(content)}"}
        return web.Response(status=206, body=content[start : end + 1], headers=headers)


@asynccontextmanager
async def serve_object_storage(server: ObjectStorageServer) -> AsyncIterator[str]:
    """The address of the server while the block runs."""
    async with running(server.application()) as port:
        yield f"http://127.0.0.1:{port}"


def _error(status: int, code: str) -> web.Response:
    return _xml(status, f"<Error><Code>{code}</Code></Error>")


def _xml(status: int, content: str) -> web.Response:
    text = f'<?xml version="1.0" encoding="UTF-8"?>{content}'
    return web.Response(status=status, text=text, content_type="application/xml")
