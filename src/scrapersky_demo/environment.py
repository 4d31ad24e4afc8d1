"""The invented internet in a process of its own, and the settings that lead only there."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson

from scrapersky.database import data_folder
from scrapersky.errors import StartupError
from scrapersky.processes.pipeline_run import SHUTDOWN_GRACE_SECONDS
from scrapersky.settings import Settings

SETTINGS = {
    "host_delay_milliseconds": 20,
    "retry_base_seconds": 1,
    "fetch_timeout_seconds": 5,
    "fetch_connect_timeout_seconds": 3,
    "fetch_first_byte_timeout_seconds": 4,
    "auto_deep_scan": True,
    "auto_domain_extraction": True,
    "host_errors_before_backoff": 100,
    "shutdown_grace_seconds": SHUTDOWN_GRACE_SECONDS,
    "parser_processes": 2,
    "page_curation_scheduler_concurrency": 100,
    "log_level": "ERROR",
}


def demo_folder(settings: Settings) -> Path:
    """Where the demo keeps its data: apart, so that no real row meets an invented one."""
    return data_folder(settings) / "demo"


def demo_settings(settings: Settings, port: int) -> Settings:
    """Settings under which every host name leads to the demo world and nothing leaves this machine."""
    network = {"egress_allow": f"127.0.0.1:{port}", "connect_to": f"*:80:127.0.0.1:{port}"}
    database = {"database_url": None, "data_folder": str(demo_folder(settings))}
    return settings.model_copy(update={**SETTINGS, **network, **database})


@asynccontextmanager
async def running_world(seed: int, size: int) -> AsyncIterator[int]:
    """The invented internet in a process of its own; gives its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "scrapersky_demo", "--seed", str(seed), "--size", str(size), "--port", "0"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        line = await process.stdout.readline() if process.stdout else b""
        if not line:
            raise StartupError("The demo world did not start")
        yield int(orjson.loads(line)["port"])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
