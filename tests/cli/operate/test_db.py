"""`db`: migrate, status, inspect, recount, backup, restore."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_db_status_and_migrate(told: Told) -> None:
    state = told("db", "migrate")

    assert state == told("db", "status")
    assert state["up_to_date"] is True
    assert state["current"] == state["head"]


@pytest.mark.req("R225")
def test_the_database_is_inspected(job: int, told: Told, sky: Sky) -> None:
    assert "jobs" in {row["table"] for row in told("db", "inspect")}
    assert told("db", "inspect", "jobs", "--limit", "1")["id"] == job
    assert sky("db", "inspect", "jobs", "--limit", "0").exit_code == 2
    columns = {row["column"]: row for row in told("db", "inspect", "jobs", "--columns")}
    assert set(columns) == set(tables.metadata.tables["jobs"].c.keys())
    assert (columns["retry_count"]["type"], columns["retry_count"]["nullable"]) == ("integer", False)
    assert columns["retry_count"]["default"] == "0"
    assert sky("db", "inspect", "--columns").exit_code == 2


def test_wrong_counts_are_corrected(sky: Sky, told: Told, db: AsyncEngine) -> None:
    sky("domain", "add", "a.com")
    assert told("db", "recount", LOG_LEVEL="ERROR") == {}
    assert sky("db", "recount", LOG_LEVEL="ERROR").stdout == "All counts are correct.\n"


def test_a_backup_is_written_once_and_restored(sky: Sky, told: Told, tmp_path: Path) -> None:
    sky("domain", "add", "kept.com")
    file = tmp_path / "all.backup"
    written = sky("db", "backup", str(file))
    assert (written.exit_code, written.stdout) == (0, "")
    assert written.stderr == f"{file}: {file.stat().st_size} bytes\n"

    again = sky("db", "backup", str(file))
    assert again.exit_code == 1
    assert again.stderr == f"{file} already exists; use --force to replace it\n"
    assert sky("db", "backup", str(file), "--force").exit_code == 0

    sky("domain", "add", "lost.com")
    refused = sky("db", "restore", str(file), stdin="n\n")
    assert refused.exit_code == 1
    assert len(told("domain", "list")) == 2
    assert sky("db", "restore", str(file), "--yes").stderr == "restored\n"
    assert told("domain", "list")["domain"] == "kept.com"


def test_what_is_not_a_backup_is_refused(sky: Sky, told: Told, tmp_path: Path) -> None:
    sky("domain", "add", "kept.com")
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    wrong = sky("db", "restore", str(file), "--yes")
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith(f"{file} is not a complete backup")
    assert sky("db", "restore", str(tmp_path / "absent"), "--yes").exit_code == 2
    assert told("domain", "list")["domain"] == "kept.com"
