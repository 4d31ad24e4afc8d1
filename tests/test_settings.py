"""Settings: S1's names and defaults, bounds and rules, and one clear line for each that is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from scrapersky.processes.doctor import shown_settings
from scrapersky.settings import (
    InvalidSettings,
    Settings,
    changed_settings,
    env_example,
    load_settings,
    settings_page,
    settings_warnings,
)
from scrapersky.settings.loader import is_secret
from scrapersky.settings.name_hints import RENAMED, edit_distance

KEY = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"

# Name: interval in minutes, batch size, instances, misfire grace in seconds.
SCHEDULES = {
    "DOMAIN_SCHEDULER": (1, 50, 3, 60),
    "DEEP_SCAN_SCHEDULER": (1, 25, 3, 60),
    "DOMAIN_EXTRACTION_SCHEDULER": (1, 25, 3, 60),
    "DOMAIN_SITEMAP_SCHEDULER": (1, 10, 1, 60),
    "SITEMAP_SCHEDULER": (1, 25, 3, 60),
    "SITEMAP_IMPORT_SCHEDULER": (1, 20, 1, 1800),
    "PAGE_CURATION_SCHEDULER": (1, 10, 1, 1800),
    "PLACE_SEARCH_SCHEDULER": (1, 10, 1, 60),
    "EMAIL_VALIDATION_SCHEDULER": (1, 50, 1, 1800),
    "DELIVERY_SCHEDULER": (1, 200, 1, 1800),
    "JOB_SCHEDULER": (1, 10, 1, 60),
}


def load(**environment: str) -> Settings:
    return load_settings(env_file=None, environment=environment)


def complaints(**environment: str) -> list[str]:
    with pytest.raises(InvalidSettings) as caught:
        load(**environment)
    assert caught.value.exit_code == 2
    return str(caught.value).splitlines()


@pytest.mark.req("R101", "R112", "R128", "R135", "R140", "R147", "R190", "R257")
@pytest.mark.parametrize(("prefix", "wanted"), SCHEDULES.items())
def test_each_stage_has_its_schedule(prefix: str, wanted: tuple[int, int, int, int]) -> None:
    names = [
        f"{prefix}_{what}"
        for what in ("INTERVAL_MINUTES", "BATCH_SIZE", "MAX_INSTANCES", "MISFIRE_GRACE_SECONDS")
    ]
    assert tuple(getattr(load(), name.lower()) for name in names) == wanted
    changed = load(**dict.fromkeys(names, "7"))
    assert [getattr(changed, name.lower()) for name in names] == [7, 7, 7, 7]
    assert getattr(load(), f"{prefix}_MODE".lower()) == "continuous"


def test_the_defaults_are_the_promised_ones() -> None:
    settings = load()
    assert (settings.lease_seconds, settings.heartbeat_seconds, settings.sweep_seconds) == (60, 15, 10)
    assert (settings.max_retries, settings.max_crashes, settings.shutdown_grace_seconds) == (3, 3, 30)
    assert (settings.retry_base_seconds, settings.retry_max_minutes, settings.retry_jitter_percent) == (
        60,
        60,
        20,
    )
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.sitemap_auto_import
    assert settings.auto_sitemap_analysis
    assert (settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes) == (5, 30)
    assert settings.job_retention_days == 30
    assert settings.job_scheduler_timeout_seconds == 55
    assert settings.database_address is None
    assert (settings.scraper_api_enabled, settings.browser_enabled) == (False, False)


@pytest.mark.req("R186")
def test_the_system_user_is_a_setting() -> None:
    chosen = "0190c7a2-7b6e-7c3a-9d2f-000000000001"
    assert load(SCHEDULER_SYSTEM_USER_ID=chosen).scheduler_system_user_id == UUID(chosen)
    assert complaints(SCHEDULER_SYSTEM_USER_ID="root") == [
        "SCHEDULER_SYSTEM_USER_ID is 'root' but must be a UUID"
    ]


@pytest.mark.req("R192")
@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("LEASE_SECONDS", "0", "must be at least 2"),
        ("LEASE_SECONDS", "-1", "must be at least 2"),
        ("LEASE_SECONDS", "1000000000000", "must be at most 3600"),
        ("LEASE_SECONDS", "9" * 400, "must be at most 3600"),
        ("DOMAIN_SCHEDULER_BATCH_SIZE", "0", "must be at least 1"),
        ("DOMAIN_SCHEDULER_BATCH_SIZE", "1000000", "must be at most 10000"),
        ("DOMAIN_SCHEDULER_BATCH_SIZE", "ten", "must be a whole number"),
        ("DOMAIN_SCHEDULER_BATCH_SIZE", "1.5", "must be a whole number"),
        ("PORT", "65536", "must be at most 65535"),
        ("OBEY_ROBOTS", "perhaps", "must be true or false"),
        ("LOG_LEVEL", "LOUD", "must be one of"),
        ("DATABASE_POOLER", "magic", "must be one of"),
        ("JOB_RETENTION_DAYS", "0", "or the word keep"),
        ("JOB_RETENTION_DAYS", "-1", "or the word keep"),
        ("JOB_RETENTION_DAYS", "1000000000", "or the word keep"),
        ("USER_AGENT", "a\r\nX-Evil: 1", "printable ASCII"),
        ("USER_AGENT", "a" * 300, "at most 200"),
        ("AUTO_DELIVERY_RESULTS", "valid, maybe", "must be of valid, invalid, catch-all"),
        ("USER_AGENT_CONTACT", "nobody", "must be an e-mail address or a URL"),
    ],
)
def test_a_wrong_value_is_named_with_its_reason(name: str, value: str, reason: str) -> None:
    (line,) = complaints(**{name: value})
    assert line.startswith(name)
    assert reason in line
    assert len(line) < 200


@pytest.mark.parametrize("name", [name for name in Settings.model_fields if name.endswith("_retention_days")])
def test_a_retention_is_a_number_of_days_or_keep(name: str) -> None:
    """SET-13."""
    for value in ("0", "-1", "1000000000", "1.5", "forever", "infinity", "1_000", "٣"):
        (line,) = complaints(**{name.upper(): value})
        assert line.startswith(name.upper())
        assert "keep" in line
    assert getattr(load(**{name.upper(): "keep"}), name) == "keep"
    assert getattr(load(**{name.upper(): "7"}), name) == 7


@pytest.mark.parametrize("prefix", SCHEDULES)
def test_every_stage_refuses_a_schedule_that_cannot_work(prefix: str) -> None:
    """SET-02."""
    for what in ("INTERVAL_MINUTES", "BATCH_SIZE", "MAX_INSTANCES", "CONCURRENCY", "TIMEOUT_SECONDS"):
        for value in ("0", "-1", "1000000000000", "1e3", "NaN"):
            (line,) = complaints(**{f"{prefix}_{what}": value})
            assert line.startswith(f"{prefix}_{what} ")


def test_every_wrong_setting_has_its_own_line() -> None:
    lines = complaints(PORT="x", LEASE_SECONDS="0", LOG_LEVEL="x", SCRAPERSKY_PORT="1")
    assert sorted(line.split()[0] for line in lines) == [
        "LEASE_SECONDS",
        "LOG_LEVEL",
        "PORT",
        "SCRAPERSKY_PORT",
    ]


@pytest.mark.parametrize(
    ("given_values", "named"),
    [
        ({"LEASE_SECONDS": "30"}, "LEASE_SECONDS must be more than twice HEARTBEAT_SECONDS"),
        ({"SHUTDOWN_GRACE_SECONDS": "61"}, "SHUTDOWN_GRACE_SECONDS must not be more than LEASE_SECONDS"),
        ({"SWEEP_SECONDS": "61"}, "SWEEP_SECONDS must not be more than LEASE_SECONDS"),
        ({"LOW_WATER_ROWS": "100000"}, "LOW_WATER_ROWS must be less than HIGH_WATER_ROWS"),
        ({"RETRY_BASE_SECONDS": "86400"}, "RETRY_BASE_SECONDS"),
        ({"POLL_MIN_MILLISECONDS": "1000"}, "POLL_MIN_MILLISECONDS"),
        ({"FETCH_CONNECT_TIMEOUT_SECONDS": "31"}, "FETCH_CONNECT_TIMEOUT_SECONDS"),
        ({"FETCH_FIRST_BYTE_TIMEOUT_SECONDS": "31"}, "FETCH_FIRST_BYTE_TIMEOUT_SECONDS"),
        ({"DATABASE_LOCK_TIMEOUT_SECONDS": "16"}, "DATABASE_LOCK_TIMEOUT_SECONDS"),
        ({"MAX_HEADER_FIELD_KIB": "64", "MAX_HEADERS_KIB": "8"}, "MAX_HEADER_FIELD_KIB"),
        ({"SCRAPER_API_ENABLED": "true"}, "SCRAPER_API_ENABLED needs SCRAPER_API_KEY"),
        ({"S3_ACCESS_KEY": "AKIA"}, "S3_ACCESS_KEY and S3_SECRET_KEY belong together"),
        ({"ALERT_EMAIL_TO": "a@example.org"}, "ALERT_EMAIL_TO needs ALERT_SMTP_HOST and ALERT_EMAIL_FROM"),
        ({"HOST": "0.0.0.0", "EGRESS_ALLOW": "127.0.0.1:80"}, "HOST must be a loopback address"),
        ({"HOST": "::", "CONNECT_TO": "a:1:b:2"}, "HOST must be a loopback address"),
        ({"NETWORK_PROBE_HOSTS": "one.example,1.1.1.1:53"}, "only ports 80 and 443 can be reached"),
        ({"NETWORK_PROBE_HOSTS": "one.example:https"}, "must be HOST or HOST:PORT"),
        ({"NETWORK_PROBE_HOSTS": "https://one.example"}, "must be HOST or HOST:PORT"),
    ],
)
def test_a_broken_rule_between_settings_is_one_line(given_values: dict[str, str], named: str) -> None:
    (line,) = complaints(**given_values)
    assert named in line


def test_an_option_of_a_command_is_held_to_the_rules_between_settings() -> None:
    lab = load(EGRESS_ALLOW="127.0.0.1:80", DATABASE_URL="postgresql://u:p@h/d")
    assert changed_settings(lab, {"port": 9000}) == load(
        EGRESS_ALLOW="127.0.0.1:80", DATABASE_URL="postgresql://u:p@h/d", PORT="9000"
    )
    with pytest.raises(InvalidSettings, match="HOST must be a loopback address"):
        changed_settings(lab, {"host": "0.0.0.0"})


def test_a_setting_that_does_not_exist_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="Unknown settings: prot"):
        changed_settings(load(), {"prot": 9000})


def test_an_option_of_a_command_does_not_make_defaults_look_chosen() -> None:
    """A laboratory probes no network unless somebody names the hosts; `--port` names none."""
    lab = load(EGRESS_ALLOW="127.0.0.1:80")
    assert changed_settings(lab, {"port": 9000}).model_fields_set == {"egress_allow", "port"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"),
        ("LOGLEVEL", "LOG_LEVEL"),
        ("OBEY_ROBTOS", "OBEY_ROBOTS"),
        ("EGRES_ALOW", "EGRESS_ALLOW"),
        ("ALERT_SMTP_PASWORDD", "ALERT_SMTP_PASSWORD"),
        ("AUTO_PAGE_READINGS", "AUTO_PAGE_READING"),
        ("PROT", "PORT"),
        ("DISK_FREE_LEAST_MIB", "MIN_FREE_DISK_MIB"),
        ("PAGE_CURATION_SCHEDULER_AT_ONCE", "PAGE_CURATION_SCHEDULER_CONCURRENCY"),
    ],
)
def test_a_name_near_a_setting_is_reported(name: str, meant: str) -> None:
    lines = settings_warnings(load(), environment={name: "x", "PORT": "1"})
    assert lines == [f"{name} is not a setting: did you mean {meant}?"]


def test_a_setting_that_was_renamed_is_refused_with_its_new_name(tmp_path: Path) -> None:
    names = {name.upper() for name in Settings.model_fields}
    assert set(RENAMED.values()) <= names
    assert not set(RENAMED) & names
    file = tmp_path / ".env"
    file.write_text("FRUITLESS_PAGES=3\n")
    with pytest.raises(InvalidSettings) as caught:
        load_settings(env_file=file, environment={})
    assert str(caught.value) == "FRUITLESS_PAGES is not a setting: did you mean STOP_AFTER_EMPTY_PAGES?"


def test_names_of_the_system_and_of_others_are_not_reported() -> None:
    usual = "PATH HOME HOST HOSTNAME USER SHELL TERM PWD LANG LC_ALL TMPDIR PS1 PGHOST PGPORT POST"
    ours = ("DATABASE_URL", "DATABASE_URL_FILE", "LOG_LEVEL")
    assert settings_warnings(load(), environment=dict.fromkeys([*usual.split(), *ours], "x")) == []


def test_risky_values_are_reported() -> None:
    lines = settings_warnings(load(OBEY_ROBOTS="false", EGRESS_ALLOW="127.0.0.1:80"), environment={})
    assert [line.split()[0] for line in lines] == ["EGRESS_ALLOW", "OBEY_ROBOTS"]


@given(st.text("AB_", max_size=9), st.text("AB_", max_size=9))
def test_the_edit_distance_is_a_distance(one: str, other: str) -> None:
    edits = edit_distance(one, other)
    assert edits == edit_distance(other, one)
    assert (edits == 0) == (one == other)
    assert abs(len(one) - len(other)) <= edits <= max(len(one), len(other))


@pytest.mark.parametrize("name", [name for name in Settings.model_fields if is_secret(name)])
def test_a_secret_is_never_shown(name: str) -> None:
    secret = {"database_url": "mysql://user:hunter2-hunter2@h/db"}.get(name, "ftp://hunter2-hunter2")
    shown = []
    try:
        settings = load(**{name.upper(): secret})
        shown += [repr(settings), str(settings), str(shown_settings(settings)), settings.model_dump_json()]
    except InvalidSettings as error:
        shown += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]
    assert all("hunter2" not in text for text in shown)


def test_the_database_address_keeps_its_password_but_never_shows_it() -> None:
    settings = load(DATABASE_URL="postgres://u:p%40ss@db:5433/sky?sslmode=require")
    assert settings.database_address == (
        "postgresql+asyncpg://u:p%40ss@db:5433/sky?dsn=postgresql%3A///%3Fsslmode%3Drequire"
    )
    assert "p%40ss" not in repr(settings)
    socket = load(DATABASE_URL="postgresql://u@/sky?host=/run/pg")
    assert socket.database_address == "postgresql+asyncpg://u@/sky?host=/run/pg"


@pytest.mark.parametrize(
    "value", ["mysql://u:pw@h/d", "postgresql://u:pw@h", "pw", "postgresql://u:pw@h:port/d", "://"]
)
def test_a_database_url_that_is_none_is_refused_without_being_shown(value: str) -> None:
    (line,) = complaints(DATABASE_URL=value)
    assert line == "DATABASE_URL is not an address such as postgresql://user:password@host/name"


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    assert load(SCRAPER_API_KEY_FILE=str(file)).scraper_api_key == SecretStr(KEY)
    (both,) = complaints(SCRAPER_API_KEY_FILE=str(file), SCRAPER_API_KEY=KEY)
    assert both == "SCRAPER_API_KEY and SCRAPER_API_KEY_FILE are both set: keep one"
    (missing,) = complaints(SCRAPER_API_KEY_FILE=str(tmp_path / "none"))
    assert missing.startswith("SCRAPER_API_KEY_FILE names")
    file.write_text("")
    (empty,) = complaints(SCRAPER_API_KEY_FILE=str(file))
    assert "empty" in empty


def from_file(tmp_path: Path, content: bytes, **environment: str) -> Settings:
    path = tmp_path / ".env"
    path.write_bytes(content)
    return load_settings(env_file=path, environment=environment)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    settings = from_file(tmp_path, b"# a note\nPORT=9000\nLOG_LEVEL='DEBUG'\nHOST=\n", PORT="9001")
    assert (settings.port, settings.log_level, settings.host) == (9001, "DEBUG", "127.0.0.1")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"PROT=9000\n", "PROT is not a setting: did you mean PORT?"),
        (b"COMPLETELY_UNKNOWN_THING=1\n", "COMPLETELY_UNKNOWN_THING is not a setting"),
        (b"PORT=9000\nPORT=9001\n", "PORT is set twice"),
        (b"PORT\n", "line 1 is not NAME=value"),
        ("PORT=9000\n".encode("utf-16"), "is not a UTF-8 text file"),
        (b"HOST=!!python/object:os.system\nPORT=x\n", "PORT is 'x'"),
    ],
)
def test_a_wrong_file_is_refused(content: bytes, named: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings) as caught:
        from_file(tmp_path, content)
    assert named in str(caught.value)


def test_an_empty_or_missing_file_changes_nothing(tmp_path: Path) -> None:
    assert from_file(tmp_path, b"") == load()
    assert load_settings(env_file=tmp_path / "none", environment={}) == load()


def test_strange_names_of_ours_are_refused_and_those_of_others_are_not() -> None:
    assert complaints(SCRAPERSKY_LEASE_SECONDS="5") == [
        "SCRAPERSKY_LEASE_SECONDS is not a setting: did you mean LEASE_SECONDS?"
    ]
    assert load(LC_ALL="C", SOMETHING_ELSE="1", SCRAPERSKY_CHROMIUM="/usr/bin/chromium")


@given(
    st.dictionaries(
        st.sampled_from([name.upper() for name in Settings.model_fields]), st.text(max_size=40), max_size=5
    )
)
def test_any_values_give_settings_or_clear_lines(environment: dict[str, str]) -> None:
    try:
        load(**environment)
    except InvalidSettings as error:
        lines = str(error).splitlines()
        assert lines
        assert all(re.match(r"[A-Z][A-Z0-9_]+ ", line) for line in lines), lines


@pytest.mark.req("R190")
def test_every_setting_is_documented_with_its_default() -> None:
    page, example = settings_page(), env_example()
    for name, field in Settings.model_fields.items():
        assert field.description
        assert field.description.endswith((".", ").", "`."))
        assert page.count(f"| `{name.upper()}` |") == 1
        assert f"\n#{name.upper()}=" in example
    assert "| `DOMAIN_SCHEDULER_BATCH_SIZE` | `50` | 1 to 10000 |" in page


def test_the_example_file_is_a_valid_file_and_says_the_defaults(tmp_path: Path) -> None:
    active = re.sub(r"(?m)^#([A-Z0-9_]+=)", r"\1", env_example())
    assert from_file(tmp_path, active.encode()) == load()
