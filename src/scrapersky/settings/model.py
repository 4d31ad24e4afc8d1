"""The class of all settings, and the rules that hold between them."""

from __future__ import annotations

from pydantic import PrivateAttr, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from scrapersky.settings.access import AccessSettings
from scrapersky.settings.alerts import AlertSettings
from scrapersky.settings.checks import (
    broken_rules,
    check_contact,
    check_email_results,
    check_networks,
    check_origin,
    check_probe_hosts,
    check_web_url,
    validate_user_agent,
)
from scrapersky.settings.database_url import check_database_url, connect_timeout, sqlalchemy_url
from scrapersky.settings.delivery import DeliverySettings
from scrapersky.settings.engine import EngineSettings, MonitoringSettings, RetentionSettings
from scrapersky.settings.fetch import (
    FetchSettings,
    LanguageModelSettings,
    RouteSettings,
    TestOverrideSettings,
)
from scrapersky.settings.google_places import GooglePlacesSettings
from scrapersky.settings.open_data import OpenDataSettings
from scrapersky.settings.pipeline import BudgetSettings, CurationSettings, PipelineSettings
from scrapersky.settings.privacy import PrivacySettings
from scrapersky.settings.program import DatabaseSettings, ProgramSettings
from scrapersky.settings.schedule import ScheduleSettings
from scrapersky.settings.validation import ValidationSettings

GROUPS = (
    ProgramSettings,
    AccessSettings,
    DatabaseSettings,
    PipelineSettings,
    ScheduleSettings,
    EngineSettings,
    MonitoringSettings,
    RetentionSettings,
    PrivacySettings,
    FetchSettings,
    CurationSettings,
    BudgetSettings,
    RouteSettings,
    GooglePlacesSettings,
    LanguageModelSettings,
    OpenDataSettings,
    DeliverySettings,
    ValidationSettings,
    AlertSettings,
    TestOverrideSettings,
)


class Settings(
    ProgramSettings,
    AccessSettings,
    DatabaseSettings,
    PipelineSettings,
    ScheduleSettings,
    EngineSettings,
    MonitoringSettings,
    RetentionSettings,
    PrivacySettings,
    FetchSettings,
    CurationSettings,
    BudgetSettings,
    RouteSettings,
    GooglePlacesSettings,
    LanguageModelSettings,
    OpenDataSettings,
    DeliverySettings,
    ValidationSettings,
    AlertSettings,
    TestOverrideSettings,
    BaseSettings,
):
    """Every setting. Each is an environment variable of the same name in capitals."""

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True, validate_default=False
    )

    # Where each value that is not a default comes from.
    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

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

    @field_validator("scraper_api_url", "google_places_url", "hubspot_url", "brevo_url", "debounce_url")
    @classmethod
    def _web_url(cls, value: str) -> str:
        return check_web_url(value)

    @field_validator("public_url")
    @classmethod
    def _public_url(cls, value: str) -> str:
        return check_origin(value)

    @field_validator("trusted_proxies")
    @classmethod
    def _trusted_proxies(cls, value: str) -> str:
        return check_networks(value)

    @field_validator("network_probe_hosts")
    @classmethod
    def _probe_hosts(cls, value: str) -> str:
        return check_probe_hosts(value)

    @field_validator("auto_delivery_results")
    @classmethod
    def _email_results(cls, value: str) -> str:
        return check_email_results(value)

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

    def __eq__(self, other: object) -> bool:
        """Settings are equal if their values are, wherever those come from."""
        return isinstance(other, Settings) and self.model_dump() == other.model_dump()

    def origin(self, name: str) -> str:
        """Where the value of a setting comes from; whoever builds the settings in code is the environment."""
        return self._origins.get(name, "environment") if name in self.model_fields_set else "default"

    @property
    def database_address(self) -> str | None:
        """DATABASE_URL as SQLAlchemy wants it, password included; None means the private PostgreSQL."""
        return None if self.database_url is None else sqlalchemy_url(self.database_url.get_secret_value())

    @property
    def connect_timeout_seconds(self) -> int:
        """How long a new connection may take; DATABASE_URL's own limit goes before the setting."""
        own = None if self.database_url is None else connect_timeout(self.database_url.get_secret_value())
        return own or self.database_connect_timeout_seconds
