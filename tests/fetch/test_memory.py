"""No answer, however packed or framed, makes the fetcher grow (B6, B21); measured in a fresh process."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from hostile import HostileServer, bombs

HERE = Path(__file__).parent

QUICK = {
    "/bomb?gzip": {"too_large"},
    "/bomb?br": {"too_large"},
    "/bomb?zstd": {"too_large"},
    "/HTTP-05/one-large": {"protocol_error"},
    "/HTTP-17/extension": {"protocol_error"},
}
ALL = {
    **QUICK,
    "/bomb?deflate": {"too_large"},
    "/bomb?gzip-members": {"bad_encoding"},
    "/bomb?gzip-truncated": {"bad_encoding"},
    "/bomb?layers": {"bad_encoding"},
    "sitemap:/bomb?gzip": {"too_large"},
    "sitemap:/bomb?br": {"too_large"},
    "sitemap:/bomb?zstd": {"too_large"},
    "sitemap:/HTTP-04/endless": {"cut"},
    "/redirect-bomb": {"page"},
    "/HTTP-04/endless": {"cut"},
    "/HTTP-05/many": {"protocol_error"},
    "/HTTP-05/cookies": {"protocol_error"},
    "/HTTP-17/tiny-chunks": {"protocol_error"},
    "/HTTP-17/trailers": {"protocol_error"},
}


async def probed(server: HostileServer, paths: list[str]) -> list[dict[str, object]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(HERE / "memory_probe.py"),
        str(server.port),
        *paths,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE)])},
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    reports: list[dict[str, object]] = json.loads(out)
    return reports


def check(
    reports: list[dict[str, object]], expected: dict[str, set[str]], *, mib: float, seconds: float
) -> None:
    for report in reports:
        assert report["class"] in expected[str(report["path"])], report
        assert float(str(report["grown_mib"])) <= mib, report
        assert float(str(report["seconds"])) <= seconds, report


async def test_bombs_and_floods_do_not_grow_the_fetcher(server: HostileServer) -> None:
    bombs(64)
    check(await probed(server, list(QUICK)), QUICK, mib=32, seconds=5)


@pytest.mark.reliability
async def test_no_answer_grows_the_fetcher_by_more_than_64_mib(server: HostileServer) -> None:
    bombs(2048)
    reports = await probed(server, list(ALL))
    check(reports, ALL, mib=64, seconds=30)
    check([one for one in reports if "bomb" in str(one["path"])], ALL, mib=64, seconds=5)
