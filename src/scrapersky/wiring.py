"""Builds what runs from the settings: the worker, its schedule, maintenance and the context of its stages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.contacts.rechecks import EmailRechecks
from scrapersky.actions.delivery.destination_secrets import decrypt_secrets
from scrapersky.actions.delivery.destinations import switch_off
from scrapersky.actions.privacy.person_files import PersonFiles
from scrapersky.actions.privacy.suppression_log import apply_log
from scrapersky.actions.schedules.exports import Exporter
from scrapersky.alert_channels.channel import Channel
from scrapersky.alert_channels.mail import Mail
from scrapersky.alert_channels.webhook import Slack, Webhook
from scrapersky.database import data_folder
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.destinations import DeliveryPayload, Destination, DestinationContext, make_destinations
from scrapersky.destinations.api_request import is_service_fault
from scrapersky.engine.database import Database
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.outcome import reason_of
from scrapersky.engine.schedule import Schedule
from scrapersky.engine.stage import EngineOptions, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.extract.report import warm_up
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.dns.mx_lookup import MXLookup
from scrapersky.fetch.egress.test_overrides import parse_connect_to, parse_egress_allow
from scrapersky.fetch.limits import FetchOptions, Limits, user_agent_for
from scrapersky.fetch.network_probe import NetworkProbe, parse_probe_hosts
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.credit_ledger import DatabaseCreditLedger
from scrapersky.fetch.paid.credits import CreditAlert, CreditAlertLevels, CreditCaps
from scrapersky.fetch.paid.daily_cap import DailyCap
from scrapersky.fetch.paid.debounce import Debounce, DebounceOptions, check_debounce, is_debounce_failure
from scrapersky.fetch.paid.language_model import (
    LanguageModel,
    LanguageModelOptions,
    check_model,
    is_language_model_failure,
)
from scrapersky.fetch.paid.scraper_api import ScraperAPIOptions, is_service_failure
from scrapersky.fetch.politeness.host_slots import HostSlots
from scrapersky.fetch.politeness.robots_store import DatabaseRobotsStore
from scrapersky.fetch.politeness.slots import RateLimit
from scrapersky.fetch.tiers import TierOptions, check_scraper_api, open_tiers
from scrapersky.log import Log, capture_library_logs
from scrapersky.maintenance import DiskMinimum, Maintenance, MaintenanceOptions, raise_alert, resolve_alert
from scrapersky.maintenance.alerts import report_circuit, report_credits
from scrapersky.pipeline import STAGES
from scrapersky.processes.live_settings import LiveSettings
from scrapersky.processes.tenant_pauses import TenantPauses
from scrapersky.queries.health import RareCheck
from scrapersky.queries.installation.integrations import Integration
from scrapersky.queries.installation.setting_overrides import SettingQuery
from scrapersky.sandbox import ParserLimits, ParserPool
from scrapersky.secret_key import SecretKey, load_secret_key
from scrapersky.settings import Settings
from scrapersky.sources import (
    Source,
    SourceEntry,
    SourceOptions,
    list_sources,
    make_sources,
    remote_overture,
)
from scrapersky.sources.csv.uploads import SEARCHED, WAITING, Uploads
from scrapersky.sources.google_places import (
    SOURCE_NAME,
    CallLedger,
    GoogleOptions,
    GooglePlaces,
    PlacesClient,
)
from scrapersky.sources.google_places import errors as google_errors
from scrapersky.sources.google_places.client import check_key
from scrapersky.sources.google_places.entry import google_entry
from scrapersky.sources.google_places.ledger import UncountedCalls
from scrapersky.sources.google_places.prices import PAID_DETAILS, PAID_SEARCH, Price
from scrapersky.sources.openstreetmap.source import NAME as OPENSTREETMAP
from scrapersky.sources.openstreetmap.source import OpenStreetMapSource, check_openstreetmap
from scrapersky.sources.overture import check_overture
from scrapersky.sources.parquet_query import QueryLimits
from scrapersky.sources.request_signature import BucketKey
from scrapersky.stage_context import GATE_SETTINGS, HandOver, StageContext, StageLimits
from scrapersky.stage_context.auto_delivery import AutoDelivery
from scrapersky.stage_context.country_lookup import CountryLookup
from scrapersky.stage_context.crawl_budget import CrawlBudget
from scrapersky.stage_context.delivery_payloads import DeliveryPayloads
from scrapersky.stage_context.delivery_sender import DeliverySender
from scrapersky.stage_context.email_checker import EmailChecker
from scrapersky.stage_context.eraser import Eraser
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.stage_context.legacy import LegacyImport
from scrapersky.stage_context.page_body_store import PageBodyStore
from scrapersky.stage_context.page_fetcher import PageFetcher
from scrapersky.stage_context.suppression_check import SuppressionCheck
from scrapersky.stages.run_job import JOB_TYPES
from scrapersky.storage import save
from scrapersky.tables.counts import waiting_rows

# The folder of export files in the data folder.
EXPORTS = "exports"
PRODUCT_PAGE = "https://github.com/scrapersky/scrapersky"


def build_log(settings: Settings, *, exclude: tuple[str, ...] = ()) -> Log:
    """The log of a process; events named in `exclude` are not logged."""
    log = Log(level=settings.log_level, style=settings.log_format, exclude=exclude)
    capture_library_logs(log)
    return log


def engine_options(settings: Settings) -> EngineOptions:
    def seconds(value: float) -> timedelta:
        return timedelta(seconds=value)

    return EngineOptions(
        lease=seconds(settings.lease_seconds),
        heartbeat=seconds(settings.heartbeat_seconds),
        sweep=seconds(settings.sweep_seconds),
        grace=seconds(settings.shutdown_grace_seconds),
        max_retries=settings.max_retries,
        retry_base=seconds(settings.retry_base_seconds),
        retry_cap=timedelta(minutes=settings.retry_max_minutes),
        retry_jitter=settings.retry_jitter_percent / 100,
        max_crashes=settings.max_crashes,
        poll_first=timedelta(milliseconds=settings.poll_min_milliseconds),
        poll_longest=timedelta(milliseconds=settings.poll_max_milliseconds),
        flush_items=settings.write_batch_rows,
        flush_after=timedelta(milliseconds=settings.write_delay_milliseconds),
        poll_listening=timedelta(milliseconds=settings.poll_listening_milliseconds),
        listen=settings.database_pooler == "session",
        host_delay=timedelta(milliseconds=settings.host_delay_milliseconds),
        host_errors=settings.host_errors_before_backoff,
        host_backoff=timedelta(minutes=settings.host_backoff_minutes),
        host_backoff_factor=settings.host_backoff_factor,
        visits=settings.visits,
        visit_time=seconds(settings.visit_seconds),
    )


def stage_options(settings: Settings, declaration: StageDeclaration) -> StageOptions:
    """The options of a stage, from the settings with its prefix."""

    def option(name: str) -> Any:
        return getattr(settings, f"{declaration.compat.settings_prefix}_{name}")

    return StageOptions(
        continuous=option("mode") == "continuous",
        batch=option("batch_size"),
        batch_floor=settings.min_batch_rows,
        concurrency=option("concurrency"),
        interval=timedelta(minutes=option("interval_minutes")),
        max_instances=option("max_instances"),
        misfire_grace=timedelta(seconds=option("misfire_grace_seconds")),
        timeout=timedelta(seconds=option("timeout_seconds")),
        per_host=settings.rows_per_host,
        high_water=settings.high_water_rows,
        low_water=settings.low_water_rows,
        target=timedelta(seconds=settings.batch_target_seconds),
    )


def maintenance_options(settings: Settings) -> MaintenanceOptions:
    def minutes(value: int) -> timedelta:
        return timedelta(minutes=value)

    def days(value: int | str) -> timedelta | None:
        return None if isinstance(value, str) else timedelta(days=value)

    return MaintenanceOptions(
        safety_net_interval=minutes(settings.safety_net_interval_minutes),
        alert_interval=minutes(settings.stuck_check_interval_minutes),
        cleanup_interval=minutes(settings.cleanup_interval_minutes),
        cleanup_batch=settings.cleanup_batch_rows,
        data_folder=data_folder(settings),
        keep_jobs=days(settings.job_retention_days),
        keep_dead_letters=days(settings.dead_letter_retention_days),
        keep_statistics=days(settings.statistics_retention_days),
        keep_alerts=days(settings.alert_retention_days),
        keep_contacts=days(settings.contact_retention_days),
        keep_audit_entries=days(settings.audit_retention_days),
        keep_audit_values=days(settings.audit_value_retention_days),
        keep_operations=days(settings.operation_retention_days),
        keep_journals=timedelta(hours=settings.undo_hours),
        stuck_pending=minutes(settings.job_stuck_pending_minutes),
        stuck_running=minutes(settings.job_stuck_running_minutes),
        stuck_processing=minutes(settings.stuck_processing_minutes),
        stall=minutes(settings.stall_minutes),
        slow_factor=settings.slow_stage_factor,
        queue_factor=settings.queue_growth_factor,
        quiet=minutes(settings.alert_resolve_after_minutes),
        channel_timeout=timedelta(seconds=settings.alert_timeout_seconds),
        delivery_min_confidence=settings.auto_delivery_min_confidence / 100,
    )


def build_maintenance(settings: Settings, engine: AsyncEngine, log: Log) -> Maintenance:
    return Maintenance(engine, maintenance_options(settings), log.report, alert_channels(settings))


def disk_minimum(settings: Settings) -> DiskMinimum | None:
    """The free space that the private PostgreSQL needs; the disk of another database is not ours."""
    if settings.database_address:
        return None
    percent, mib = settings.min_free_disk_percent, settings.min_free_disk_mib
    return DiskMinimum(data_folder(settings), percent, mib)


def build_schedule(
    worker: Worker, maintenance: Maintenance, log: Log, live: LiveSettings | None = None
) -> Schedule:
    """Every stage under its stable job id, and the maintenance tasks; registered after the start (R097)."""

    async def notify(job_id: str, error: BaseException | None) -> None:
        if error is None:
            await resolve_alert(maintenance.engine, "scheduler_failure", job_id)
        else:
            await raise_alert(maintenance.engine, "scheduler_failure", job_id, reason_of(error))

    schedule = Schedule(log.report, notify)
    schedule.start()
    _add_jobs(schedule, worker, maintenance)
    if live:

        async def apply(settings: Settings) -> None:
            maintenance.channels = alert_channels(settings)
            maintenance.options = maintenance_options(settings)
            _add_jobs(schedule, worker, maintenance)

        live.subscribe(apply)
    return schedule


def _add_jobs(schedule: Schedule, worker: Worker, maintenance: Maintenance) -> None:
    """Register every job, or replace those that are registered with another interval."""
    for runner in worker.runners.values():
        options = runner.options
        schedule.add(
            runner.stage.job_id,
            runner.tick,
            options.interval,
            max_instances=options.max_instances,
            misfire_grace=options.misfire_grace,
        )
    for name, call, every in maintenance.tasks():
        schedule.add(name, call, every)


def build_worker(
    settings: Settings,
    engine: AsyncEngine,
    context: StageContext,
    log: Log,
    *,
    only: tuple[str, ...] = (),
    live: LiveSettings | None = None,
) -> Worker:
    """A worker for all stages, or for those that are named; with `live` it follows edited settings."""
    stages = [
        (stage, stage_options(settings, declaration))
        for declaration, stage in zip(DECLARATIONS, STAGES, strict=True)
        if not only or stage.name in only
    ]

    async def alert(kind: str, text: str) -> None:
        where, _, what = text.partition(": ")
        await raise_alert(engine, kind, where, what or text)

    async def resolve(kind: str, subject: str) -> None:
        await resolve_alert(engine, kind, subject)

    pauses = TenantPauses(engine)

    async def refresh() -> None:
        if live:
            await live.refresh()
        await pauses.apply(worker)

    async def apply(settings: Settings) -> None:
        context.handover = build_handover(settings)
        context.auto_delivery = build_auto_delivery(settings)
        options = {stage.name: stage_options(settings, stage) for stage in DECLARATIONS}
        await worker.configure(engine_options(settings), options)

    if live:
        live.subscribe(apply)
    probe = network_probe(settings)
    worker = Worker(
        engine,
        stages,
        options=engine_options(settings),
        context=context,
        save=save,
        report=log.report,
        alert=alert,
        resolve=resolve,
        network=NetworkMonitor(probe, failures=settings.network_failures_before_probe),
        waiting=waiting_rows,
        refresh=refresh,
    )
    return worker


def stage_limits(settings: Settings) -> StageLimits:
    retention = settings.page_body_retention_days
    return StageLimits(
        sitemap_urls_per_file=settings.sitemap_urls_per_file,
        sitemap_urls_per_domain=settings.sitemap_urls_per_domain,
        sitemap_files_per_domain=settings.sitemap_files_per_domain,
        sitemap_depth=settings.sitemap_depth,
        job_max_pages=settings.sitemap_job_max_pages,
        page_budget=settings.page_budget_per_domain,
        stop_after_empty_pages=settings.stop_after_empty_pages,
        body_retention=None if isinstance(retention, str) else timedelta(days=retention),
    )


def open_gates(settings: Settings) -> frozenset[str]:
    """The gates of the declarations that the settings leave open."""
    return frozenset(name for name in GATE_SETTINGS if getattr(settings, name))


def build_handover(settings: Settings) -> HandOver:
    return HandOver(open_gates(settings), reads_all_pages=settings.read_all_pages)


def build_auto_delivery(settings: Settings) -> AutoDelivery:
    results = (word.strip() for word in settings.auto_delivery_results.split(","))
    return AutoDelivery(
        includes_hidden=settings.auto_delivery_hidden,
        includes_webmail=settings.auto_delivery_webmail,
        results=frozenset(word for word in results if word),
        min_confidence=settings.auto_delivery_min_confidence / 100,
    )


def fetch_options(settings: Settings) -> FetchOptions:
    """The fetcher's options; without a contact of the operator, the user agent names the product's page."""
    agent = settings.user_agent or user_agent_for(settings.user_agent_contact or PRODUCT_PAGE)
    return FetchOptions(
        user_agent=agent,
        egress_allow=parse_egress_allow(settings.egress_allow),
        connect_to=parse_connect_to(settings.connect_to),
        connections=settings.fetch_max_connections,
        obey_robots=settings.obey_robots,
        robots_cache_ttl_hours=settings.robots_cache_ttl_hours,
    )


def rate_limit(settings: Settings) -> RateLimit:
    return RateLimit(
        delay=settings.host_delay_milliseconds / 1000,
        max_crawl_delay=settings.max_crawl_delay_seconds,
        errors_before_pause=settings.host_errors_before_backoff,
        pause=settings.host_backoff_minutes * 60,
    )


def network_probe(settings: Settings) -> NetworkProbe | None:
    """The probe of our own network; test overrides switch it off unless its hosts are set."""
    has_overrides = bool(settings.egress_allow or settings.connect_to)
    if has_overrides and "network_probe_hosts" not in settings.model_fields_set:
        return None
    hosts = parse_probe_hosts(settings.network_probe_hosts)
    return NetworkProbe(hosts, fetch_options(settings)) if hosts else None


def fetch_limits(settings: Settings, *, sitemap: bool = False) -> Limits:
    return Limits(
        body=(settings.max_sitemap_kib if sitemap else settings.max_page_kib) * 1024,
        deadline=settings.fetch_timeout_seconds,
        connect=settings.fetch_connect_timeout_seconds,
        first_byte=settings.fetch_first_byte_timeout_seconds,
        redirects=settings.fetch_max_redirects,
        url_length=settings.max_url_length,
        header_fields=settings.max_header_fields,
        header_bytes=settings.max_headers_kib * 1024,
        header_field_bytes=settings.max_header_field_kib * 1024,
    )


def tier_options(settings: Settings) -> TierOptions:
    """The paid and the browser tier; each is off unless it is switched on."""
    key = settings.scraper_api_key
    paid = None
    if key is not None and settings.scraper_api_enabled:
        day = settings.scraper_api_daily_credits if settings.scraper_api_cost_control_mode else 10**9
        paid = ScraperAPIOptions(
            key=key.get_secret_value(),
            address=settings.scraper_api_url,
            premium=settings.scraper_api_enable_premium,
            render=settings.scraper_api_enable_js_rendering,
            geotargeting=settings.scraper_api_enable_geotargeting,
            max_retries=settings.scraper_api_max_retries,
            timeout_seconds=settings.scraper_api_timeout_seconds,
            levels=CreditAlertLevels(request_alert=settings.scraper_api_alert_credits, total_alert=day),
        )
        # What an operator switches on must be affordable: one request with all options costs 100 credits.
        usual = CreditCaps()
        caps = CreditCaps(
            request=max(usual.request, paid.estimate),
            domain_per_day=max(usual.domain_per_day, paid.estimate),
            day=day,
        )
        paid = replace(paid, caps=caps)
    if not settings.browser_enabled:
        return TierOptions(paid)
    # Playwright takes most of a second to import.
    from scrapersky.fetch.browser import BrowserOptions

    browser = BrowserOptions(
        settings.browser_executable,
        load_seconds=settings.browser_timeout_seconds,
        concurrency=settings.browser_concurrency,
    )
    return TierOptions(paid, browser)


def scraper_api_circuit(settings: Settings, engine: AsyncEngine) -> CircuitBreaker:
    """The circuit breaker of ScraperAPI (R184, R269); while it is open there is an alert, also in /health."""
    return CircuitBreaker(
        "scraper_api",
        failures=settings.circuit_failures,
        open_for=timedelta(seconds=settings.circuit_open_seconds),
        counts=is_service_failure,
        on_change=lambda circuit: report_circuit(engine, circuit.name, circuit.reason),
    )


def google_options(settings: Settings) -> GoogleOptions:
    """The search of Google; without a key, every request is refused with that reason."""
    key, free = settings.google_maps_api_key, settings.google_places_free_calls
    search = Price(settings.google_places_search_usd, free, settings.google_places_search_cap)
    details = Price(settings.google_places_details_usd, free, settings.google_places_details_cap)
    return GoogleOptions(
        key=key.get_secret_value() if key else "",
        address=settings.google_places_url,
        prices={PAID_SEARCH: search, PAID_DETAILS: details},
        requests_per_minute=settings.google_places_requests_per_minute,
        min_meters=settings.google_places_min_cell_meters,
        language=settings.google_places_language,
    )


def google_places(
    settings: Settings, engine: AsyncEngine, fetcher: Fetcher, live: LiveSettings | None = None
) -> GooglePlaces:
    """Google as a source, with its ledger and its circuit breaker (R269); with `live`, caps can be edited."""
    database = Database(engine)
    circuit = CircuitBreaker(
        "google_places",
        failures=settings.circuit_failures,
        open_for=timedelta(seconds=settings.circuit_open_seconds),
        counts=google_errors.is_google_failure,
        on_change=lambda circuit: report_circuit(engine, circuit.name, circuit.reason),
    )
    client = PlacesClient(fetcher, google_options(settings), CallLedger(database), circuit=circuit)
    source = GooglePlaces(client, database)
    if live:

        async def apply(settings: Settings) -> None:
            source.configure(google_options(settings))

        live.subscribe(apply)
    return source


@asynccontextmanager
async def open_google(settings: Settings, engine: AsyncEngine) -> AsyncIterator[PlacesClient]:
    """A client of Google outside of the stages, for previews."""
    async with Fetcher(fetch_options(settings)) as fetcher:
        yield google_places(settings, engine, fetcher).client


async def current_settings(
    settings: Settings, engine: AsyncEngine, secret_key: SecretKey | None = None
) -> Settings:
    """The settings with what people edited."""
    return await SettingQuery(engine, settings, secret_key).current()


async def check_google(settings: Settings) -> str:
    """Whether Google accepts the key; the call is free, so no ledger counts it."""
    async with Fetcher(fetch_options(settings)) as fetcher:
        return await check_key(PlacesClient(fetcher, google_options(settings), UncountedCalls()))


def build_sources(
    settings: Settings, engine: AsyncEngine, fetcher: Fetcher, live: LiveSettings | None = None
) -> dict[str, Source]:
    """Every source by its name."""
    return {
        **make_sources(fetcher, source_options(settings)),
        OPENSTREETMAP: OpenStreetMapSource(settings.openstreetmap_path, Database(engine)),
        SOURCE_NAME: google_places(settings, engine, fetcher, live),
    }


def source_options(settings: Settings) -> SourceOptions:
    limits = QueryLimits(settings.open_data_memory_mib, settings.open_data_threads)
    return SourceOptions(
        overture_path=settings.overture_path,
        s3_endpoint=settings.s3_endpoint,
        bucket_key=bucket_key(settings),
        max_download_mib=settings.open_data_download_mib,
        openstreetmap_path=settings.openstreetmap_path,
        limits=limits,
    )


def bucket_key(settings: Settings) -> BucketKey | None:
    secret = settings.s3_secret_key
    if not settings.s3_access_key or secret is None:
        return None
    return BucketKey(settings.s3_access_key, secret.get_secret_value(), settings.s3_region)


def known_sources(settings: Settings) -> dict[str, SourceEntry]:
    """The sources that a search can name, with their state."""
    google = google_entry(is_configured=settings.google_maps_api_key is not None)
    return {**list_sources(source_options(settings)), google.name: google}


def build_sender(
    settings: Settings, engine: AsyncEngine, destinations: Mapping[str, Destination]
) -> DeliverySender:
    """Deliveries with a circuit breaker for each destination; while one is open there is an alert (R269)."""

    def circuit(name: str) -> CircuitBreaker:
        return CircuitBreaker(
            name,
            failures=settings.circuit_failures,
            open_for=timedelta(seconds=settings.circuit_open_seconds),
            counts=is_service_fault,
            on_change=lambda circuit: report_circuit(engine, circuit.name, circuit.reason),
        )

    async def end(payload: DeliveryPayload, reason: str) -> None:
        actor = Actor(payload.tenant_id, settings.scheduler_system_user_id, name="system")
        if payload.destination_id is not None:
            await switch_off(engine, actor, payload.destination_id, reason)

    return DeliverySender(destinations, circuit=circuit, switch_off=end)


def build_destinations(settings: Settings, fetcher: Fetcher) -> dict[str, Destination]:
    context = DestinationContext(
        data_folder(settings) / EXPORTS,
        settings.default_tenant_id,
        fetcher,
        hubspot_url=settings.hubspot_url,
        hubspot_version=settings.hubspot_api_version,
        brevo_url=settings.brevo_url,
    )
    return make_destinations(context)


@asynccontextmanager
async def open_destinations(settings: Settings) -> AsyncIterator[dict[str, Destination]]:
    """Every destination by its kind, for a test of one outside a worker."""
    async with Fetcher(fetch_options(settings)) as fetcher:
        yield build_destinations(settings, fetcher)


def debounce_options(settings: Settings) -> DebounceOptions | None:
    """The optional check of mailboxes; None without a key."""
    key = settings.debounce_api_key
    return None if key is None else DebounceOptions(key.get_secret_value(), settings.debounce_url)


def debounce_cap(settings: Settings, engine: AsyncEngine) -> DailyCap:
    return DailyCap(Database(engine), "debounce", settings.debounce_daily_calls)


def build_debounce(settings: Settings, engine: AsyncEngine, fetcher: Fetcher) -> Debounce | None:
    """DeBounce behind its circuit breaker (R269) and its daily cap; None without a key."""
    options = debounce_options(settings)
    if options is None:
        return None
    circuit = CircuitBreaker(
        "debounce",
        failures=settings.circuit_failures,
        open_for=timedelta(seconds=settings.circuit_open_seconds),
        counts=is_debounce_failure,
        on_change=lambda circuit: report_circuit(engine, circuit.name, circuit.reason),
    )
    return Debounce(fetcher, options, debounce_cap(settings, engine), circuit)


def language_model_options(settings: Settings) -> LanguageModelOptions | None:
    """The optional language model; None without a URL."""
    key = settings.language_model_api_key
    if not settings.language_model_url:
        return None
    return LanguageModelOptions(
        settings.language_model_url, settings.language_model_name, key.get_secret_value() if key else ""
    )


def build_language_model(settings: Settings, engine: AsyncEngine, fetcher: Fetcher) -> LanguageModel | None:
    """The language model behind its circuit breaker and its cap of tokens a day; None without a URL."""
    options = language_model_options(settings)
    if options is None:
        return None
    cap = DailyCap(Database(engine), "language_model", settings.language_model_daily_tokens)
    circuit = CircuitBreaker(
        "language_model",
        failures=settings.circuit_failures,
        open_for=timedelta(seconds=settings.circuit_open_seconds),
        counts=is_language_model_failure,
        on_change=lambda circuit: report_circuit(engine, circuit.name, circuit.reason),
    )
    return LanguageModel(fetcher, options, cap, circuit)


@asynccontextmanager
async def open_rechecks(settings: Settings) -> AsyncIterator[EmailRechecks]:
    """Checks of old verdicts for exports: by spelling, lists and DNS. DeBounce is asked by workers only."""
    mx_lookup = MXLookup(fetch_options(settings))
    try:
        yield build_rechecks(settings, EmailChecker(mx_lookup))
    finally:
        await mx_lookup.close()


def build_rechecks(settings: Settings, checker: EmailChecker) -> EmailRechecks:
    return EmailRechecks(checker, timedelta(days=settings.email_recheck_days))


async def check_language_model(settings: Settings) -> str:
    """Whether the language model answers; the call has one word, so that it costs next to nothing."""
    options = language_model_options(settings)
    if options is None:
        return "not configured"
    async with Fetcher(fetch_options(settings)) as fetcher:
        return await check_model(fetcher, options)


def service_checks(settings: Settings) -> dict[str, Callable[[], Awaitable[str]]]:
    """External services that /health checks (R089)."""

    async def scraper_api() -> str:
        paid = tier_options(settings).paid
        if paid is None:
            return "not configured"
        async with Fetcher(fetch_options(settings)) as fetcher:
            return await check_scraper_api(fetcher, paid)

    async def debounce() -> str:
        options = debounce_options(settings)
        if options is None:
            return "not configured"
        async with Fetcher(fetch_options(settings)) as fetcher:
            return await check_debounce(fetcher, options)

    return {
        "scraper_api": scraper_api,
        "debounce": debounce,
        "google_places": RareCheck(lambda: check_google(settings), timedelta(minutes=10)),
    }


def overture_integration(settings: Settings) -> Integration:
    async def check() -> str:
        options = source_options(settings)
        async with Fetcher(fetch_options(settings)) as fetcher:
            remote = remote_overture(fetcher, options)
            return await check_overture(options.overture_path, options.limits, remote)

    return Integration(
        "overture",
        "Overture Maps",
        "places from open data, in files or in object storage",
        ("OVERTURE_PATH",),
        bool(settings.overture_path),
        check,
    )


def openstreetmap_integration(settings: Settings) -> Integration:
    return Integration(
        OPENSTREETMAP,
        "OpenStreetMap",
        "places from open data, in files",
        ("OPENSTREETMAP_PATH",),
        bool(settings.openstreetmap_path),
        lambda: check_openstreetmap(settings.openstreetmap_path),
    )


def integrations(settings: Settings) -> dict[str, Integration]:
    """Every outside service by its name: a new one adds its entry here, with a call that costs nothing."""
    known = (
        overture_integration(settings),
        openstreetmap_integration(settings),
        Integration(
            "scraper_api",
            "ScraperAPI",
            "fetches pages that refuse us, for credits",
            ("SCRAPER_API_KEY", "SCRAPER_API_ENABLED"),
            tier_options(settings).paid is not None,
            service_checks(settings)["scraper_api"],
        ),
        Integration(
            "google_places",
            "Google Places",
            "searches for businesses; websites and phone numbers are paid for",
            ("GOOGLE_MAPS_API_KEY",),
            settings.google_maps_api_key is not None,
            lambda: check_google(settings),
        ),
        Integration(
            "language_model",
            "Language model",
            "reads people and addresses where the rules are unsure, for tokens",
            ("LANGUAGE_MODEL_URL",),
            bool(settings.language_model_url),
            lambda: check_language_model(settings),
        ),
        Integration(
            "debounce",
            "DeBounce",
            "asks whether mailboxes exist, for credits",
            ("DEBOUNCE_API_KEY",),
            settings.debounce_api_key is not None,
            service_checks(settings)["debounce"],
        ),
    )
    return {entry.name: entry for entry in known}


def alert_channels(settings: Settings) -> list[Channel]:
    """The channels that get alerts; none unless configured."""
    channels: list[Channel] = []
    if settings.alert_webhook_url is not None:
        channels.append(Webhook(settings.alert_webhook_url.get_secret_value()))
    if settings.alert_slack_url is not None:
        channels.append(Slack(settings.alert_slack_url.get_secret_value()))
    if settings.alert_email_to:
        password = settings.alert_smtp_password
        channels.append(
            Mail(
                host=settings.alert_smtp_host,
                port=settings.alert_smtp_port,
                sender=settings.alert_email_from,
                to=tuple(
                    address.strip() for address in settings.alert_email_to.split(",") if address.strip()
                ),
                user=settings.alert_smtp_user,
                password=password.get_secret_value() if password else "",
                security=settings.alert_smtp_security,
                seconds=settings.alert_timeout_seconds,
            )
        )
    return channels


def build_eraser(settings: Settings, engine: AsyncEngine) -> Eraser:
    """Erases people; it sees every tenant and the files."""

    def files_of(tenant_id: UUID) -> PersonFiles:
        uploads = Uploads(data_folder(settings), tenant_id)
        return PersonFiles(
            exports=export_folder(settings, tenant_id),
            searched=uploads.path(SEARCHED),
            waiting=uploads.path(WAITING),
        )

    return Eraser(engine, load_secret_key(settings), files_of)


def build_exporter(settings: Settings, engine: AsyncEngine, mx_lookup: MXLookup) -> Exporter:
    """Writes exports of every tenant; addresses are checked as for other exports."""
    rechecks = build_rechecks(settings, EmailChecker(mx_lookup))
    return Exporter(engine, partial(export_folder, settings), rechecks)


def export_folder(settings: Settings, tenant_id: UUID) -> Path:
    """That of the default tenant holds its files directly; every other tenant has a folder below it."""
    folder = data_folder(settings) / EXPORTS
    return folder if tenant_id == settings.default_tenant_id else folder / str(tenant_id)


async def apply_suppression_log(settings: Settings, engine: AsyncEngine) -> None:
    """Before anything else: who was suppressed or erased stays so in a database that does not know it."""

    async def erase(tenant_id: UUID, people: list[Identifier], reason: str) -> None:
        actor = Actor(tenant_id, settings.scheduler_system_user_id)
        await build_eraser(settings, engine).erase(actor, people, reason)

    await apply_log(engine, erase)


def parser_pool(settings: Settings) -> ParserPool:
    limits = ParserLimits(
        cpu_seconds=settings.parser_cpu_seconds,
        wall_seconds=settings.parser_cpu_seconds * 2 + 2,
        memory_bytes=settings.parser_memory_mib * 2**20,
    )
    return ParserPool(processes=settings.parser_processes, limits=limits, warm_up=warm_up)


def build_host_slots(settings: Settings, database: Database, live: LiveSettings | None) -> HostSlots:
    """The politeness of this process, which follows the settings that admins edit."""
    slots = HostSlots(database, rate_limit(settings))
    if live:

        async def apply(settings: Settings) -> None:
            slots.configure(rate_limit(settings))

        live.subscribe(apply)
    return slots


@asynccontextmanager
async def build_context(
    settings: Settings,
    engine: AsyncEngine,
    *,
    sources: Mapping[str, Source] | None = None,
    schemes: tuple[str, ...] = ("https", "http"),
    live: LiveSettings | None = None,
) -> AsyncIterator[StageContext]:
    """What the stages of one process use: fetcher, sandbox, sources and destinations."""
    database = Database(engine)
    limits = stage_limits(settings)
    slots = build_host_slots(settings, database, live)
    options = fetch_options(settings)
    fetcher = Fetcher(options, slots=slots, robots_store=DatabaseRobotsStore(database))
    parser = parser_pool(settings)
    mx_lookup = MXLookup(options)
    circuit, key = scraper_api_circuit(settings, engine), load_secret_key(settings)
    mail = EmailChecker(mx_lookup, mailboxes=build_debounce(settings, engine, fetcher))

    async def on_alert(alert: CreditAlert) -> None:
        await report_credits(engine, f"{alert.what}: {alert.credits} credits", severity=alert.severity)

    paid = open_tiers(fetcher, tier_options(settings), DatabaseCreditLedger(database), on_alert, circuit)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(mx_lookup.close)
        await stack.enter_async_context(fetcher)
        await stack.enter_async_context(parser)
        tiered = await stack.enter_async_context(paid)
        yield StageContext(
            system_user_id=settings.scheduler_system_user_id,
            limits=limits,
            handover=build_handover(settings),
            fetch=PageFetcher(
                fetcher,
                tiers=tiered,
                page=fetch_limits(settings),
                sitemap=fetch_limits(settings, sitemap=True),
                schemes=schemes,
            ),
            parser=parser,
            budget=CrawlBudget(database, limits),
            countries=CountryLookup(database),
            suppressions=SuppressionCheck(database),
            eraser=build_eraser(settings, engine),
            exporter=build_exporter(settings, engine, mx_lookup),
            mail=mail,
            payloads=DeliveryPayloads(
                database, partial(decrypt_secrets, key), rechecks=build_rechecks(settings, mail)
            ),
            sender=build_sender(settings, engine, build_destinations(settings, fetcher)),
            auto_delivery=build_auto_delivery(settings),
            page_bodies=PageBodyStore(database),
            sources={**build_sources(settings, engine, fetcher, live), **(sources or {})},
            job_types=JOB_TYPES,
            legacy=LegacyImport(database, key),
            language_model=build_language_model(settings, engine, fetcher),
            progress=JobProgress(database),
        )
