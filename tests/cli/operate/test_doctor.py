"""`doctor` diagnoses the installation and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

from scrapersky.cli.program import program
from scrapersky.embedded import PrivateServer

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_the_doctor_passes_warns_and_fails(told: Told, sky: Sky) -> None:
    report = told("doctor")
    verdicts = {one["what"]: one["verdict"] for one in report["findings"]}

    assert (verdicts["schema"], verdicts["postgresql"], verdicts["workers"]) == ("pass", "pass", "warn")
    assert sky("doctor", "--strict").exit_code == 5
    assert f"{program()} worker\n" in sky("doctor").stdout
    away = sky("doctor", DATABASE_URL="postgresql://u:hunter2-hunter2@127.0.0.1:9/none")
    assert away.exit_code == 1
    assert "hunter2" not in away.output


def test_the_doctor_makes_and_starts_nothing(sky: Sky, folder: Path) -> None:
    given = {"DATABASE_URL": "", "DATA_FOLDER": str(folder / "data")}

    result = sky("doctor", **given)
    assert result.exit_code == 0
    assert "database: none yet; the first start creates it  -> " in result.stdout
    assert f"{program()} up\n" in result.stdout
    assert list(folder.iterdir()) == []

    server = PrivateServer(folder / "data")
    server.start()
    try:
        # It runs, but has no schema yet.
        assert f"{program()} db migrate\n" in sky("doctor", **given).stdout
        assert server.running()
    finally:
        server.stop()
    assert "the private PostgreSQL is not running" in sky("doctor", **given).stdout
    assert not server.running()


def test_machines_get_every_check_and_the_settings_without_secrets(sky: Sky, told: Told) -> None:
    report = told("doctor", SCRAPER_API_KEY="hunter2-hunter2")
    assert {tuple(check) for check in report["findings"]} == {("verdict", "what", "found", "remedy")}
    assert {check["verdict"] for check in report["findings"]} <= {"pass", "warn", "fail"}
    assert report["settings"]["SCRAPER_API_KEY"] == "(set)"
    assert "hunter2" not in sky("doctor", "--json", SCRAPER_API_KEY="hunter2-hunter2").stdout
