"""The examples of docs/api.md work as they are written."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables

GUIDE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
# A refused request is the point of one example.
REFUSED = "limt=5"


def examples() -> list[str]:
    return re.findall(r"```sh\n(.+?)```", GUIDE, re.DOTALL)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
async def test_the_examples_run(server: str, db: AsyncEngine, tmp_path: Path) -> None:
    commands = "\n".join(examples()).replace("http://localhost:8000", server)
    # Every call but the refused one must succeed.
    lines = [
        line if REFUSED in line else line.replace("curl -s", "curl --fail-with-body -s")
        for line in commands.splitlines()
    ]
    script = "set -euo pipefail\n" + "\n".join(lines)
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script, cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), 60)

    assert process.returncode == 0, output.decode()[-2_000:] + errors.decode()
    text = output.decode()
    assert '"instance":"support-case-7"' in text
    assert "}304\n" in text
    async with db.connect() as connection:
        domains = set((await connection.execute(select(tables.domains.c.domain))).scalars())
    assert domains == {"example.com", "example.org", "example.net"}


def test_every_example_is_a_call_of_the_api() -> None:
    assert len(examples()) >= 7
    assert all("curl" in example for example in examples())
