"""Settings of the fetcher: user agent, limits, politeness, and other routes to a page."""

from __future__ import annotations

from scrapersky.settings.field import Group, Secret, ShortText, setting


class FetchSettings(Group):
    """Fetching"""

    user_agent: ShortText = setting("", "Complete user agent; empty builds one from the contact.")
    user_agent_contact: ShortText = setting(
        "", "E-mail address or URL where site owners reach you; part of the user agent."
    )
    obey_robots: bool = setting(True, "Obey robots.txt.")
    robots_cache_ttl_hours: int = setting(
        24, "robots.txt cache lifetime (RFC 9309 allows up to 24 hours).", ge=1, le=24
    )
    fetch_timeout_seconds: int = setting(30, "Timeout of a fetch, redirects included.", ge=1, le=600)
    fetch_connect_timeout_seconds: int = setting(10, "Connect timeout.", ge=1, le=120)
    fetch_first_byte_timeout_seconds: int = setting(15, "Timeout until the response begins.", ge=1, le=300)
    fetch_max_connections: int = setting(
        512, "Maximum connections to all hosts together, per process.", ge=1, le=10_000
    )
    fetch_max_redirects: int = setting(10, "Maximum redirects followed for a page.", ge=0, le=20)
    max_page_kib: int = setting(5_120, "Maximum size of a page after decoding.", ge=16, le=102_400)
    max_sitemap_kib: int = setting(51_200, "Maximum size of a sitemap after decoding.", ge=16, le=1_048_576)
    max_header_fields: int = setting(200, "Maximum header fields of a response.", ge=10, le=1_000)
    max_headers_kib: int = setting(64, "Maximum size of a response's headers.", ge=8, le=1_024)
    max_header_field_kib: int = setting(8, "Maximum size of one header field.", ge=1, le=64)
    parser_processes: int = setting(
        1, "Parser processes per worker process; each can be killed separately.", ge=1, le=64
    )
    parser_cpu_seconds: int = setting(5, "CPU time limit for parsing one page.", ge=1, le=60)
    parser_memory_mib: int = setting(512, "Memory limit for parsing one page.", ge=64, le=8_192)
    host_delay_milliseconds: int = setting(
        1_000, "Minimum delay between two requests to one host.", editable=True, ge=0, le=600_000
    )
    max_crawl_delay_seconds: int = setting(
        30, "Maximum Crawl-delay of robots.txt that is honoured.", editable=True, ge=1, le=600
    )
    host_errors_before_backoff: int = setting(
        5, "Consecutive errors after which a host is backed off.", editable=True, ge=1, le=100
    )
    host_backoff_minutes: int = setting(5, "First backoff of a failing host.", editable=True, ge=1, le=1_440)
    host_backoff_factor: int = setting(
        3, "Factor by which each further backoff is longer.", editable=True, ge=1, le=10
    )
    network_probe_hosts: ShortText = setting(
        "example.com,iana.org,wikipedia.org",
        "Well-known hosts (HOST or HOST:PORT, separated by commas) that show whether the local network"
        " works: a connection is opened, nothing is sent. Empty disables the probe.",
    )
    network_failures_before_probe: int = setting(
        5, "Consecutive failures of different hosts before the local network is probed.", ge=2, le=1_000
    )


class TestOverrideSettings(Group):
    """Overrides for tests (refused unless the web application listens on a loopback address)"""

    egress_allow: ShortText = setting(
        "", "Private addresses that may be fetched: host-or-CIDR:ports, separated by commas."
    )
    connect_to: ShortText = setting("", "Redirect connections: HOST:PORT:TOHOST:TOPORT, separated by commas.")


class RouteSettings(Group):
    """Other routes to a page (disabled by default)"""

    scraper_api_key: Secret = setting(None, "ScraperAPI key; the route is disabled without it.")
    scraper_api_url: ShortText = setting("https://api.scraperapi.com/", "ScraperAPI URL.")
    scraper_api_enabled: bool = setting(False, "Fetch refused pages through ScraperAPI.")
    scraper_api_enable_premium: bool = setting(False, "Use premium proxies; a request costs more credits.")
    scraper_api_enable_js_rendering: bool = setting(
        False, "Render pages by ScraperAPI; a request costs more credits."
    )
    scraper_api_enable_geotargeting: bool = setting(
        False, "Choose the country of the proxy; a request costs more credits."
    )
    scraper_api_cost_control_mode: bool = setting(True, "Stop when the daily credit budget is spent.")
    scraper_api_max_retries: int = setting(1, "Retries of a failed request.", ge=0, le=10)
    scraper_api_daily_credits: int = setting(1_000, "Daily credit budget.", ge=0, le=10_000_000)
    scraper_api_alert_credits: int = setting(
        10, "Alert when one request costs this many credits.", ge=1, le=1_000
    )
    scraper_api_timeout_seconds: int = setting(
        75, "Timeout of one request to ScraperAPI, which itself tries for up to 70 s.", ge=1, le=300
    )
    browser_enabled: bool = setting(False, "Render pages that are empty without JavaScript in a browser.")
    browser_executable: ShortText = setting("", "Chromium executable; empty lets Playwright choose.")
    browser_concurrency: int = setting(2, "Pages rendered concurrently.", ge=1, le=32)
    browser_timeout_seconds: int = setting(30, "Timeout for rendering one page.", ge=1, le=300)


class LanguageModelSettings(Group):
    """Language model (disabled by default)"""

    language_model_url: ShortText = setting(
        "",
        "Endpoint of chat completions, asked for people and addresses where the rules are unsure; one on this"
        " machine needs EGRESS_ALLOW. Empty asks none.",
    )
    language_model_name: ShortText = setting("default", "Model that the endpoint is asked for.")
    language_model_api_key: Secret = setting(None, "Key of the endpoint, if it wants one.")
    language_model_daily_tokens: int = setting(
        1_000_000, "Maximum tokens a day (UTC), all workers together.", ge=0, le=2_000_000_000
    )
