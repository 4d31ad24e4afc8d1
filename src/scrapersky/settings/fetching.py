"""Settings of the one door to other people's hosts: who we say we are, limits, politeness, extra routes."""

from __future__ import annotations

from scrapersky.settings.setting import Group, Secret, ShortText, setting


class FetchSettings(Group):
    """Fetching"""

    user_agent: ShortText = setting("", "Complete user agent; empty builds one from the contact.")
    user_agent_contact: ShortText = setting(
        "", "E-mail address or URL where site owners reach you; part of the user agent."
    )
    obey_robots: bool = setting(True, "Keep to robots.txt.")
    robots_cache_hours: int = setting(
        24, "robots.txt cache lifetime (RFC 9309 allows up to 24 hours).", ge=1, le=24
    )
    fetch_timeout_seconds: int = setting(30, "Whole fetch, redirects included.", ge=1, le=600)
    fetch_connect_timeout_seconds: int = setting(10, "Until a connection stands.", ge=1, le=120)
    fetch_first_byte_timeout_seconds: int = setting(15, "Until the answer begins.", ge=1, le=300)
    fetch_connections: int = setting(512, "Connections to all hosts together, per process.", ge=1, le=10_000)
    fetch_redirects: int = setting(10, "Redirects followed for a page.", ge=0, le=20)
    page_body_kib: int = setting(5_120, "Largest page after decoding.", ge=16, le=102_400)
    sitemap_body_kib: int = setting(51_200, "Largest sitemap after decoding.", ge=16, le=1_048_576)
    header_fields: int = setting(200, "Header fields of an answer.", ge=10, le=1_000)
    header_total_kib: int = setting(64, "Headers of an answer together.", ge=8, le=1_024)
    header_field_kib: int = setting(8, "One header field of an answer.", ge=1, le=64)
    reading_processes: int = setting(
        1, "Processes that read pages, for each worker process; each can be killed alone.", ge=1, le=64
    )
    parse_cpu_seconds: int = setting(5, "Processor time for one page.", ge=1, le=60)
    parse_memory_mib: int = setting(512, "Memory for one page.", ge=64, le=8_192)
    host_delay_milliseconds: int = setting(
        1_000, "Least gap between two requests to one host.", ge=0, le=600_000
    )
    crawl_delay_cap_seconds: int = setting(
        30, "Crawl-delay of robots.txt is honoured up to this.", ge=1, le=600
    )
    host_errors_before_rest: int = setting(5, "Errors in a row after which a host rests.", ge=1, le=100)
    host_rest_minutes: int = setting(5, "First rest of a failing host.", ge=1, le=1_440)
    host_rest_factor: int = setting(3, "Each further rest is this many times longer.", ge=1, le=10)
    network_probe_hosts: ShortText = setting(
        "example.com,iana.org,wikipedia.org",
        "Well-known hosts (HOST or HOST:PORT, with commas) that tell our own network being unavailable from"
        " dead sites: a connection is made, nothing is sent. Empty switches that off.",
    )
    network_failures_before_probe: int = setting(
        5, "Different hosts that fail in a row before our own network is probed.", ge=2, le=1_000
    )


class LaboratorySettings(Group):
    """The laboratory (refused when the web application listens beyond this machine)"""

    egress_allow: ShortText = setting(
        "", "Inner addresses that may be fetched: host-or-CIDR:ports, with commas."
    )
    connect_to: ShortText = setting("", "Where connections really go: HOST:PORT:TOHOST:TOPORT, with commas.")


class RouteSettings(Group):
    """Other ways to a page (off unless switched on)"""

    scraper_api_key: Secret = setting(None, "Key of ScraperAPI; without it the route stays off.")
    scraper_api_url: ShortText = setting("https://api.scraperapi.com/", "Address of ScraperAPI.")
    scraper_api_enabled: bool = setting(False, "Fetch refused pages through ScraperAPI.")
    scraper_api_enable_premium: bool = setting(False, "Premium proxies; a request costs more credits.")
    scraper_api_enable_js_rendering: bool = setting(
        False, "Rendering by ScraperAPI; a request costs more credits."
    )
    scraper_api_enable_geotargeting: bool = setting(False, "Choice of country; a request costs more credits.")
    scraper_api_cost_control_mode: bool = setting(True, "Stop when the credit budget of the day is spent.")
    scraper_api_max_retries: int = setting(1, "Tries after the first one.", ge=0, le=10)
    scraper_api_daily_credits: int = setting(1_000, "Credit budget of a day.", ge=0, le=10_000_000)
    scraper_api_alert_credits: int = setting(
        10, "One request that costs this much raises an alert.", ge=1, le=1_000
    )
    scraper_api_timeout_seconds: int = setting(
        75, "Timeout of one request to ScraperAPI, which itself tries for up to 70 s.", ge=1, le=300
    )
    browser_enabled: bool = setting(False, "Render pages that are empty without JavaScript in a browser.")
    browser_executable: ShortText = setting("", "Chromium to use; empty lets Playwright choose.")
    browser_concurrency: int = setting(2, "Pages open in the browser at the same time.", ge=1, le=32)
    browser_timeout_seconds: int = setting(30, "Longest rendering of one page.", ge=1, le=300)
