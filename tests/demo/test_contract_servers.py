"""The contract servers as a person starts them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from children import stop_with_parent


@pytest.fixture
def settings() -> Iterator[dict[str, str]]:
    """What the servers print, while they run."""
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "scrapersky_demo.contracts", "--size", "3", "--places", "25"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=stop_with_parent,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(12)]
        yield dict(line.split("=", 1) for line in lines if "=" in line)
        process.terminate()
        assert process.wait(20) == 0


def test_every_server_answers_where_its_settings_lead(settings: dict[str, str]) -> None:
    to = {
        rule.partition(":")[0]: f"http://127.0.0.1:{rule.rpartition(':')[2]}"
        for rule in settings["CONNECT_TO"].split(",")
    }
    allowed = {f"http://{rule}" for rule in settings["EGRESS_ALLOW"].split(",")}
    assert set(to.values()) == allowed
    headers = {"X-Goog-Api-Key": settings["GOOGLE_MAPS_API_KEY"], "X-Goog-FieldMask": "places.websiteUri"}
    with httpx.Client() as client:
        found = client.post(
            f"{to['google.example']}/v1/places:searchText", headers=headers, json={"textQuery": "bakery"}
        )
        sites = [httpx.URL(place["websiteUri"]) for place in found.json()["places"] if place]
        answers = [client.get(f"{to['*']}/", headers={"Host": site.host}) for site in sites]
        assert 200 in {answer.status_code for answer in answers}
        for name in ("HUBSPOT_URL", "BREVO_URL", "DEBOUNCE_URL", "SCRAPER_API_URL"):
            url = httpx.URL(settings[name])
            refused = client.get(f"{to[url.host]}{url.path}")
            assert refused.status_code in (401, 404), name
