"""Beyond this machine the web application listens only with real credentials behind TLS (C13, SET-04)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person
from scrapersky.processes.bind_rules import BindRefused, check_admin, check_bind_settings
from scrapersky.settings import InvalidSettings, Settings, changed_settings

STRONG = "0b1f6d3c9e8a4752b6c1d0e9f8a7b6c5"
FIT = {
    "public_url": "https://leads.example.org",
    "trusted_proxies": "10.0.0.0/8",
    "secret_key": STRONG,
    "allowed_hosts": "leads.example.org",
}
NETWORK = ("0.0.0.0", "::", "192.168.1.5", "leads.internal")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.2"])
async def test_on_loopback_nothing_is_needed(host: str, db: AsyncEngine) -> None:
    settings = Settings(host=host)
    check_bind_settings(settings)
    await check_admin(settings, db)


@pytest.mark.parametrize("host", NETWORK)
async def test_on_a_network_everything_together_is_accepted(host: str, db: AsyncEngine) -> None:
    settings = Settings(host=host, **FIT)
    check_bind_settings(settings)
    with pytest.raises(BindRefused, match=r"user add EMAIL --role admin"):
        await check_admin(settings, db)
    await add_person(db, "viewer@example.com", "viewer")
    await add_person(db, "gone@example.com", is_active=False)
    with pytest.raises(BindRefused):
        await check_admin(settings, db)
    await add_person(db, "boss@example.com")
    await check_admin(settings, db)


@pytest.mark.parametrize("host", NETWORK)
@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"public_url": ""}, "PUBLIC_URL"),
        ({"public_url": "http://leads.example.org"}, "PUBLIC_URL"),
        ({"trusted_proxies": ""}, "TRUSTED_PROXIES"),
        ({"secret_key": "changeme"}, "SECRET_KEY"),
        ({"secret_key": "12345678"}, "SECRET_KEY"),
        ({"secret_key": "a" * 64}, "SECRET_KEY"),
        ({"allowed_hosts": "*"}, "ALLOWED_HOSTS"),
        ({"allowed_hosts": "leads.example.org, *"}, "ALLOWED_HOSTS"),
    ],
)
def test_on_a_network_anything_missing_is_one_clear_line(
    host: str, change: dict[str, str], advice: str
) -> None:
    with pytest.raises(BindRefused) as refused:
        check_bind_settings(Settings(host=host, **{**FIT, **change}))
    assert refused.value.exit_code == 2
    assert advice in str(refused.value)
    assert "\n" not in str(refused.value)
    assert host in str(refused.value)


def test_a_way_to_private_addresses_is_for_loopback_only() -> None:
    with pytest.raises(InvalidSettings, match="HOST must be a loopback address"):
        changed_settings(Settings(egress_allow="127.0.0.1:80"), {"host": "0.0.0.0"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("public_url", "leads.example.org"),
        ("public_url", "https://leads.example.org/app"),
        ("trusted_proxies", "proxy.internal"),
        ("trusted_proxies", "10.0.0.1/8"),
    ],
)
def test_a_wrong_setting_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match=name.upper()):
        changed_settings(Settings(), {name: value})


@pytest.mark.parametrize("command", ["serve", "up"])
def test_the_programs_refuse_with_exit_code_2(command: str, database_url: str, tmp_path: Path) -> None:
    settings = {"HOST": "0.0.0.0", "DATABASE_URL": database_url, "SECRET_KEY": STRONG, "PORT": "1"}
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-m", "scrapersky", command],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": source, **settings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("Cannot listen on 0.0.0.0, which others can reach: set PUBLIC_URL")


async def test_a_served_installation_prints_its_setup_link_until_there_is_an_account(
    start: Callable[..., Any], free_port: Callable[[], str], database_url: str, db: AsyncEngine
) -> None:
    def started() -> str:
        program = start("serve", DATABASE_URL=database_url, PORT=free_port(), SECRET_KEY=STRONG)
        program.wait_for("server_started")
        assert program.end() == 0
        return str(program.log.read_text())

    text = started()
    assert text.count("/setup?token=") == 1
    await add_person(db, "boss@example.com")
    assert "/setup" not in started()


@pytest.mark.req("R255")
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands_of_the_original_documents_work_on_a_fresh_installation(
    start: Callable[..., Any], free_port: Callable[[], str], database_url: str
) -> None:
    port = free_port()
    program = start("serve", DATABASE_URL=database_url, PORT=port, SECRET_KEY=STRONG)
    program.wait_for("server_started")

    def curl(*arguments: str) -> Any:
        command = ["curl", "-sS", "--noproxy", "*", *arguments]
        return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30).stdout)

    address = f"http://localhost:{port}/api/v3/sitemap"
    for host in ("localhost", "127.0.0.1"):
        scan = curl(
            *("-X", "POST", f"http://{host}:{port}/api/v3/sitemap/scan"),
            *("-H", "Content-Type: application/json"),
            *("-d", '{"base_url": "crystalcm.co.uk", "max_pages": 100}'),
        )
        status = curl(f"{address}/status/{scan['job_id']}")
        assert (status["domain"], status["status"]) == ("crystalcm.co.uk", "pending")
    # Only the proxies of our own setting are believed, whatever uvicorn would believe.
    assert curl("-H", "X-Forwarded-For: 203.0.113.1", f"{address}/status/{scan['job_id']}")["status"] == 401
    assert program.end() == 0
