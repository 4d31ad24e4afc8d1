"""Schemathesis sends what the OpenAPI document allows and forbids, and checks every answer against it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

# A request can be valid as such and still ask for what is impossible, such as a status of another table; the
# stream of events has no end.
EXCLUDED = ["--exclude-checks", "positive_data_acceptance", "--exclude-path", "/api/v3/events"]
# Who may end sessions, keys and accounts would end its own.
ACCOUNTS = ["--exclude-path-regex", "/(session|sessions|setup|users|api-keys|tenants)"]


async def run(server: str, api_key: str, folder: Path, *options: str, seconds: int) -> str:
    program = str(Path(sys.executable).parent / "schemathesis")
    arguments = [f"{server}/api/v3/openapi.json", "-H", f"Authorization: Bearer {api_key}", "--checks", "all"]
    arguments += [*EXCLUDED, "--no-color", "--generation-database", "none", "--seed", "7"]
    process = await asyncio.create_subprocess_exec(
        program, "run", *arguments, *options, cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), seconds)
    assert process.returncode == 0, output.decode()[-20_000:]
    return output.decode()


async def test_the_api_does_what_its_document_says(server: str, api_key: str, tmp_path: Path) -> None:
    options = ["--phases", "examples,fuzzing", "--max-examples", "1", "--workers", "2", *ACCOUNTS]
    output = await run(server, api_key, tmp_path, *options, seconds=200)
    assert "No issues found" in output or "passed" in output


@pytest.mark.reliability
@pytest.mark.timeout(3_000)
async def test_the_api_does_what_its_document_says_at_length(
    server: str, api_key: str, tmp_path: Path
) -> None:
    """1,000 cases for each operation, or 20 minutes."""
    options = ["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "1000", *ACCOUNTS]
    await run(server, api_key, tmp_path, *options, "--max-time", "1200", seconds=2_800)
