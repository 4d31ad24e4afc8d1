"""Object storage by HTTP: lists a folder and reads ranges of its files, through our own client.

Requests for `s3://` addresses are signed if there are credentials; nothing else is ever sent a signature.
"""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from scrapersky.errors import SourceError
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure, PermanentFailure
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.limits import MIB, Limits
from scrapersky.fetch.page import Page
from scrapersky.sources.request_signature import BucketKey, sign_request

SCHEMES = ("s3://", "https://", "http://")
AWS = "https://{bucket}.s3.amazonaws.com"
# What one request asks for at most; a longer range is read in parts.
PART_BYTES = 4 * MIB
LIMITS = Limits(body=PART_BYTES, deadline=60.0)
MAX_FILES = 1_000
REQUESTS_AT_ONCE = 6
# The waits before another try; a server that asks for more is believed up to the last.
WAITS = (0.5, 1.0, 2.0, 4.0)
IDENTITY = {"Accept-Encoding": "identity"}
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_TOTAL = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


def is_remote(path: str) -> bool:
    return path.startswith(SCHEMES)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as it was when it was first read: its parts belong together as long as its ETag is the same."""

    url: str
    size: int
    etag: str


class ObjectStore:
    """`endpoint` is the server of `s3://` addresses; empty means Amazon S3."""

    def __init__(
        self,
        fetcher: Fetcher,
        endpoint: str = "",
        *,
        credentials: BucketKey | None = None,
        waits: tuple[float, ...] = WAITS,
    ) -> None:
        self._fetcher, self._endpoint, self._waits = fetcher, endpoint.rstrip("/"), waits
        self._credentials = credentials
        # The buckets that were named by s3:// addresses.
        self._roots: set[str] = set()
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def files(self, address: str, ending: str) -> list[str]:
        """The URL of the file, or those of every file below an `s3://` folder."""
        if not address.startswith("s3://"):
            return [address]
        bucket, _, key = address.removeprefix("s3://").partition("/")
        if not _BUCKET.fullmatch(bucket):
            raise SourceError(f"{address} names no bucket; expected s3://BUCKET/FOLDER/")
        root = f"{self._endpoint}/{bucket}" if self._endpoint else AWS.format(bucket=bucket)
        self._roots.add(f"{root}/")
        keys = [key] if key.endswith(ending) else await self._keys(root, key, ending)
        if not keys:
            raise SourceError(f"{address} holds no file that ends in {ending}")
        return [f"{root}/{quote(key)}" for key in keys]

    async def _keys(self, root: str, prefix: str, ending: str) -> list[str]:
        keys: list[str] = []
        token = ""
        while True:
            fields = {"list-type": "2", "prefix": prefix} | ({"continuation-token": token} if token else {})
            query = urlencode(sorted(fields.items()), quote_via=quote, safe="")
            page = await self._get(f"{root}/?{query}", {}, expected=200)
            text = page.body.decode("utf-8", "replace")
            keys += [key for key in _elements(text, "Key") if key.endswith(ending)]
            if len(keys) > MAX_FILES:
                raise SourceError(f"More than {MAX_FILES:,} files; name a smaller folder")
            token = next(iter(_elements(text, "NextContinuationToken")), "")
            if not token:
                return keys

    async def open_end(self, url: str, length: int) -> tuple[RemoteFile, bytes]:
        """The file, and its last bytes."""
        page = await self._get(url, {"Range": f"bytes=-{length}"}, expected=206)
        match = _TOTAL.fullmatch(page.headers.get("Content-Range", ""))
        if match is None or int(match[2]) + 1 != int(match[3]) or len(page.body) > length:
            raise SourceError(f"{url} does not answer requests for a range")
        return RemoteFile(url, int(match[3]), page.headers.get("ETag", "")), page.body

    async def read(self, file: RemoteFile, start: int, length: int) -> bytes:
        """At most `PART_BYTES` of the file."""
        headers = {"Range": f"bytes={start}-{start + length - 1}"}
        if file.etag and not file.etag.startswith("W/"):
            headers["If-Match"] = file.etag
        page = await self._get(file.url, headers, expected=206)
        match = _TOTAL.fullmatch(page.headers.get("Content-Range", ""))
        if match is None or (int(match[1]), int(match[3])) != (start, file.size) or len(page.body) != length:
            raise SourceError(f"{file.url} changed while it was read, or answers with another range")
        return page.body

    async def _get(self, url: str, headers: dict[str, str], *, expected: int) -> Page:
        """The answer with the expected status; cuts, 429 and 5xx are tried again."""
        problem = ""
        for wait in (*self._waits, None):
            try:
                async with self._turns:
                    sent = IDENTITY | self._signed(url, headers)
                    page = await self._fetcher.request("GET", url, headers=sent, limits=LIMITS)
            except PermanentFailure:
                raise
            except Failure as failure:
                problem = str(failure)
            else:
                if page.status == expected and not page.truncated:
                    return page
                if page.status != 429 and page.status < 500:
                    raise SourceError(f"{url} cannot be read: {_reason(page, expected)}")
                problem = f"HTTP {page.status}"
                wait = self._asked_wait(page, wait)
            if wait is not None:
                await asyncio.sleep(wait)
        raise SourceError(f"{url} cannot be read: {problem}")

    def _signed(self, url: str, headers: dict[str, str]) -> dict[str, str]:
        if self._credentials is None or not url.startswith(tuple(self._roots)):
            return headers
        return sign_request(self._credentials, url, headers, datetime.now(UTC))

    def _asked_wait(self, page: Page, wait: float | None) -> float | None:
        asked = parse_retry_after(page.headers.get("Retry-After"), now=datetime.now(UTC))
        if wait is None or asked is None:
            return wait
        return min(max(wait, asked.total_seconds()), self._waits[-1])


def _reason(page: Page, expected: int) -> str:
    if page.status == 412:
        return "it changed while it was read"
    if expected == 206 and page.status == 200:
        return "the server does not answer requests for a range"
    if page.status in (401, 403):
        return f"HTTP {page.status}; the bucket is private, check S3_ACCESS_KEY and S3_REGION"
    if page.status == 404:
        return "HTTP 404, it does not exist"
    if 300 <= page.status < 400:
        return f"HTTP {page.status}; name the address that it redirects to"
    return f"HTTP {page.status}"


def _elements(text: str, name: str) -> list[str]:
    """The texts of the elements of a name; S3 writes no attributes, comments or CDATA in them."""
    return [html.unescape(content) for content in re.findall(f"<{name}>([^<]*)</{name}>", text)]
