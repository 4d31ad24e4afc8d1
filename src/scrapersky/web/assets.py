"""Static files under an address that changes with their content, so that browsers may keep them for ever."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from scrapersky.web.bundles import bundle

PATH = "/static"
IMMUTABLE = "public, max-age=31536000, immutable"
# Served to browsers; licences and manifests stay on the disk.
SERVED = (".css", ".js", ".svg", ".woff2")
COMPRESSED = (".css", ".js", ".svg")


@dataclass(frozen=True, slots=True)
class Asset:
    body: bytes
    media_type: str
    compressed: bytes | None


@dataclass(slots=True, eq=False)
class Assets:
    """Every file that is served, in memory; `url` gives the address of one by its path."""

    version: str = ""
    files: dict[str, Asset] = field(default_factory=dict)

    def url(self, name: str) -> str:
        if name not in self.files:
            raise KeyError(name)
        return f"{PATH}/{self.version}/{name}"

    def read(self, name: str) -> str:
        return self.files[name].body.decode()


@cache
def load_assets() -> Assets:
    """Read and compressed once per process; they do not change while it runs."""
    contents = bundle(dict(_read(files("scrapersky.web") / "static")))
    digest = sha256()
    for name in sorted(contents):
        digest.update(name.encode() + b"\0" + contents[name])
    served = {name: _asset(name, body) for name, body in contents.items()}
    return Assets(digest.hexdigest()[:12], served)


def add_assets(web: FastAPI, assets: Assets) -> None:
    @web.get(f"{PATH}/{{version}}/{{name:path}}", include_in_schema=False)
    async def asset(request: Request, version: str, name: str) -> Response:
        """One folder for all files, so that modules find each other by relative paths."""
        if version != assets.version or name not in assets.files:
            raise HTTPException(404)
        served = assets.files[name]
        headers = {"Cache-Control": IMMUTABLE}
        body = served.body
        if served.compressed:
            headers["Vary"] = "Accept-Encoding"
            if accepts_gzip(request):
                headers["Content-Encoding"], body = "gzip", served.compressed
        return Response(body, media_type=served.media_type, headers=headers)


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def _read(folder: Traversable, prefix: str = "") -> list[tuple[str, bytes]]:
    contents: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            contents += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(SERVED):
            contents.append((prefix + entry.name, entry.read_bytes()))
    return contents


def _asset(name: str, body: bytes) -> Asset:
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    compressed = gzip.compress(body, mtime=0) if name.endswith(COMPRESSED) else None
    return Asset(body, "text/javascript" if name.endswith(".js") else media_type, compressed)
