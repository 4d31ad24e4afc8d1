"""The command line as a person uses it: in this process where that is enough, else as a process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

TESTS = Path(__file__).parents[1]
SOURCES = TESTS.parent / "src"
sys.path.insert(0, str(TESTS))

from contacts_lab import add_contact  # noqa: E402
from product import add_job, add_pages, ago  # noqa: E402
from scrapersky.cli import main  # noqa: E402 - after the path, like everything here.

Sky = Callable[..., Result]


@pytest.fixture
def sky(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sky:
    """Run a command on this test's own database; settings are given by name."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | None = None, **settings: str) -> Result:
        environment = {"DATABASE_URL": database_url, **settings}
        return CliRunner().invoke(main, list(arguments), env=environment, input=stdin)

    return run


@pytest.fixture
def told(sky: Sky) -> Callable[..., Any]:
    """Run a command with --json, and give back what it printed; a list for several lines."""

    def run(*arguments: str, **settings: str) -> Any:
        result = sky(*arguments, "--json", **settings)
        assert result.exit_code == 0, result.output
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return lines[0] if len(lines) == 1 else lines

    return run


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process of its own."""

    def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(SOURCES), **settings}
        command = [sys.executable, "-m", "scrapersky", *arguments]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )

    return run


@pytest.fixture
async def job(db: AsyncEngine) -> int:
    """A job that waits."""
    return await add_job(db, "note", result_data={"domain": "shop.example"})


@pytest.fixture
async def failed_job(db: AsyncEngine) -> int:
    return await add_job(db, status="failed", error="two\nlines \x1b[31mred", created_at=ago(days=2))


@pytest.fixture
async def old_job(db: AsyncEngine) -> int:
    return await add_job(db, status="complete", created_at=ago(days=31))


@pytest.fixture
async def stuck_job(db: AsyncEngine) -> int:
    return await add_job(db, created_at=ago(minutes=6), next_retry_at=ago(minutes=6))


@pytest.fixture
async def dead_pages(db: AsyncEngine) -> list[UUID]:
    dead = {"page_processing_status": "Error", "page_processing_error": "HTTP 500"}
    return await add_pages(db, 3, **dead)


@pytest.fixture
def contact(database_url: str) -> str:
    """A contact in the database; gives its identifier."""

    async def make() -> str:
        engine = create_async_engine(database_url)
        made = await add_contact(engine, "shop.com", email="info@shop.com", phone_number="+4930123456")
        await engine.dispose()
        return str(made)

    return asyncio.run(make())
