"""A typed client that is generated from the OpenAPI document works against a real server."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables

ROOT = Path(__file__).parents[3]


@pytest.fixture
def client_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The package that openapi-python-client writes."""
    document = ROOT / "docs" / "reference" / "openapi.json"
    options = ["--path", str(document), "--output-path", str(tmp_path / "sky_client"), "--meta", "none"]
    command = [str(Path(sys.executable).parent / "openapi-python-client"), "generate", *options]
    made = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert made.returncode == 0, made.stderr
    assert "Skipping" not in made.stdout.replace("Skipping Integration", ""), made.stdout
    assert "Unable" not in made.stdout, made.stdout
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("sky_client")


async def test_the_generated_client_submits_and_reads(
    client_package: ModuleType, server: str, db: AsyncEngine
) -> None:
    def part(name: str) -> ModuleType:
        return importlib.import_module(f"sky_client.{name}")

    body = part("models").DomainSubmission(domains=["example.com"], auto_queue=True)
    async with client_package.Client(base_url=server) as client:
        submit = part("api.submissions.submit_domain_list")
        result = await submit.asyncio(client=client, body=body, idempotency_key="order-7")
        again = await submit.asyncio_detailed(client=client, body=body, idempotency_key="order-7")
        refused = await submit.asyncio(
            client=client, body=part("models").DomainSubmission(domains=["not a domain"])
        )

    async with db.connect() as connection:
        row = (await connection.execute(select(tables.domains.c.id, tables.domains.c.domain))).one()
    assert (result.submitted_count, result.ids, row.domain) == (1, [row.id], "example.com")
    assert again.parsed == result
    assert again.headers["Idempotency-Replayed"] == "true"
    assert isinstance(refused, part("models").Problem)
    assert (refused.status, refused.title) == (422, "Invalid input")
