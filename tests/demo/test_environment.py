"""The demo's settings: every host name leads to the invented internet, every row to its own database."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from scrapersky.settings import Settings
from scrapersky_demo.environment import SETTINGS, demo_settings, running_world


def test_the_demo_touches_no_database_but_its_own(tmp_path: Path) -> None:
    settings = Settings(database_url=SecretStr("postgresql://db.example/real"), data_folder=str(tmp_path))

    demo = demo_settings(settings, 8800)

    assert demo.database_address is None
    assert demo.data_folder == str(tmp_path / "demo")
    assert (demo.egress_allow, demo.connect_to) == ("127.0.0.1:8800", "*:80:127.0.0.1:8800")


def test_every_setting_of_the_demo_exists() -> None:
    """`model_copy` would accept any name."""
    assert SETTINGS.keys() <= Settings.model_fields.keys()


async def test_the_world_runs_in_a_process_of_its_own() -> None:
    async with running_world(1, 3) as port:
        assert 0 < port < 65_536
