"""Webhooks that lead inside or carry a password are refused before anything starts."""

from __future__ import annotations

import pytest

from scrapersky.fetch.egress.settings_check import check_egress_settings, check_service_url
from scrapersky.fetch.egress.test_overrides import parse_egress_allow

PRIVATE = [
    *(
        "http://localhost/x",
        "https://LOCALHOST.:8443/x",
        "http://127.0.0.1/x",
        "http://2130706433/",
        "http://0x7f.1/",
    ),
    *(
        "http://[::1]:9000/",
        "http://[fd00::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.1.2.3/",
        "http://0/",
    ),
    *(
        "https://192.168.0.4/hook",
        "http://172.20.0.2:5678/webhook/1",
        "http://169.254.169.254/latest/meta-data",
    ),
    *("http://n8n:5678/webhook", "http://chat.lan/x", "http://metadata.google.internal/", "https://a.svc/x"),
    *("http://printer.local/", "https://x.test/", "http://100.100.100.200/", "http://[64:ff9b::a00:1]/"),
]


@pytest.mark.parametrize("url", PRIVATE)
def test_a_webhook_to_a_private_host_is_refused(url: str) -> None:
    assert "names a private host" in check_service_url(url)


@pytest.mark.parametrize(
    "url", ["https://u:p@hooks.example.com/x", "https://token@hooks.example.com/", "http://:p@a.com"]
)
def test_a_webhook_with_a_user_name_is_refused(url: str) -> None:
    assert check_service_url(url) == "must not hold a user name or password"


@pytest.mark.parametrize(
    "url", ["ftp://a.com/x", "https://", "https://a b.com/", "https://a.com:0/", "https://a.com:99999/"]
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    assert check_service_url(url) == "is not an http or https address"


@pytest.mark.parametrize(
    "url",
    ["https://hooks.slack.com/services/T0/B0/x", "https://8.8.8.8/x", "http://chat.example.com:8065/hooks/1"],
)
def test_a_public_webhook_is_accepted(url: str) -> None:
    assert check_service_url(url) == ""


def test_a_private_webhook_can_be_allowed_by_name_and_port() -> None:
    allowed = parse_egress_allow("n8n:5678 10.0.0.0/8:443 localhost:9000")
    for url in (
        "http://n8n:5678/webhook",
        "https://10.9.8.7/x",
        "http://localhost:9000/",
        "http://127.0.0.1:9000",
    ):
        assert check_service_url(url, allowed) == ""
    for url in ("http://n8n:5679/", "https://11.0.0.1:8/", "http://localhost:9001/", "https://192.168.0.1/"):
        assert bool(check_service_url(url, allowed)) is ("11.0.0.1" not in url)


def test_every_wrong_setting_has_one_line_and_no_url_is_shown() -> None:
    lines = check_egress_settings("yes", "a:b", {"ALERT_WEBHOOK_URL": "http://10.0.0.1/hush-hush"})
    assert [line.split()[0] for line in lines] == ["EGRESS_ALLOW:", "CONNECT_TO:", "ALERT_WEBHOOK_URL"]
    assert "hush" not in "".join(lines)
