"""The class of all settings, and the rules that hold between them."""

from __future__ import annotations

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from scrapersky.settings.alerts import AlertSettings
from scrapersky.settings.checks import (
    broken_rules,
    check_contact,
    check_probe_hosts,
    check_web_url,
    validate_user_agent,
)
from scrapersky.settings.database_url import check_database_url, connect_timeout, sqlalchemy_url
from scrapersky.settings.engine import EngineSettings, MonitoringSettings, RetentionSettings
from scrapersky.settings.fetch import FetchSettings, RouteSettings, TestOverrideSettings
from scrapersky.settings.pipeline import BudgetSettings, PipelineSettings
from scrapersky.settings.program import DatabaseSettings, ProgramSettings
from scrapersky.settings.schedule import ScheduleSettings

GROUPS = (
    ProgramSettings,
    DatabaseSettings,
    PipelineSettings,
    ScheduleSettings,
    EngineSettings,
    MonitoringSettings,
    RetentionSettings,
    FetchSettings,
    BudgetSettings,
    RouteSettings,
    AlertSettings,
    TestOverrideSettings,
)


class Settings(
    ProgramSettings,
    DatabaseSettings,
    PipelineSettings,
    ScheduleSettings,
    EngineSettings,
    MonitoringSettings,
    RetentionSettings,
    FetchSettings,
    BudgetSettings,
    RouteSettings,
    AlertSettings,
    TestOverrideSettings,
    BaseSettings,
):
    """Every setting. Each is an environment variable of the same name in capitals."""

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True, validate_default=False
    )

    @field_validator("database_url")
    @classmethod
    def _database_url(cls, value: SecretStr | None) -> SecretStr | None:
        return check_database_url(value)

    @field_validator("alert_webhook_url", "alert_slack_url")
    @classmethod
    def _secret_web_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            check_web_url(value.get_secret_value())
        return value

    @field_validator("scraper_api_url")
    @classmethod
    def _web_url(cls, value: str) -> str:
        return check_web_url(value)

    @field_validator("network_probe_hosts")
    @classmethod
    def _probe_hosts(cls, value: str) -> str:
        return check_probe_hosts(value)

    @field_validator("user_agent")
    @classmethod
    def _user_agent(cls, value: str) -> str:
        return validate_user_agent(value)

    @field_validator("user_agent_contact")
    @classmethod
    def _contact(cls, value: str) -> str:
        return check_contact(value)

    @model_validator(mode="after")
    def _rules_between_settings(self) -> Settings:
        broken = broken_rules(self)
        if broken:
            raise ValueError("\n".join(broken))
        return self

    @property
    def database_address(self) -> str | None:
        """DATABASE_URL as SQLAlchemy wants it, password included; None means the private PostgreSQL."""
        return None if self.database_url is None else sqlalchemy_url(self.database_url.get_secret_value())

    @property
    def connect_timeout_seconds(self) -> int:
        """How long a new connection may take; DATABASE_URL's own limit goes before the setting."""
        own = None if self.database_url is None else connect_timeout(self.database_url.get_secret_value())
        return own or self.database_connect_timeout_seconds
