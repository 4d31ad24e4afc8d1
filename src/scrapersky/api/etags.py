"""Entity tags: `ETag` and `If-None-Match` of a single resource, and `If-Match` before it is changed.

A route that reads takes `etag: ETag` and calls `etag(row["updated_at"])`, with everything else that it shows.
A route that changes takes `if_match: IfMatch` and passes it to its action, which calls `check_version` in the
change's transaction.
"""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, FastAPI, Header, Request, Response

from scrapersky.actions.versions import ANY_TAG, version_tag

# A weak tag begins with W/; we make none, and none permits a change.
TAG = re.compile(r'(W/)?("[\x21\x23-\x7e]*")')


class NotModified(Exception):
    """The client already has this version."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


class Tagger:
    """Sets the ETag of the answer; ends the request with 304 if the client has this version."""

    def __init__(
        self,
        response: Response,
        if_none_match: Annotated[
            str | None,
            Header(
                alias="If-None-Match",
                description="The ETag of a version that you have; 304 if it is current.",
            ),
        ] = None,
    ) -> None:
        self._response, self._known = response, if_none_match or ""

    def __call__(self, version: object, *more: object) -> None:
        etag = version_tag(version, *more)
        self._response.headers["ETag"] = etag
        if self._known.strip() == ANY_TAG or etag in {strong for _, strong in TAG.findall(self._known)}:
            raise NotModified(etag)


ETag = Annotated[Tagger, Depends()]


def parse_if_match(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match", description="Change the row only if its ETag is one of these; 412 otherwise."
        ),
    ] = None,
) -> frozenset[str] | None:
    if if_match is None:
        return None
    if if_match.strip() == ANY_TAG:
        return frozenset({ANY_TAG})
    return frozenset(strong for weak, strong in TAG.findall(if_match) if not weak)


IfMatch = Annotated[frozenset[str] | None, Depends(parse_if_match)]


def add_etag_handler(web: FastAPI) -> None:
    async def answer(request: Request, unchanged: Exception) -> Response:
        return Response(status_code=304, headers={"ETag": str(unchanged)})

    web.add_exception_handler(NotModified, answer)
