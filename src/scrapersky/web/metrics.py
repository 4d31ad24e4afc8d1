"""`/metrics` in the text format of Prometheus: figures of the installation, without tenants or hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fastapi import FastAPI, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from scrapersky import __version__
from scrapersky.api import ApiContext
from scrapersky.api.caller import Viewer
from scrapersky.api.installation import is_of_installation
from scrapersky.engine.stats import BUCKETS
from scrapersky.errors import Forbidden
from scrapersky.queries.metrics import MetricsQuery, Sample, StageFigures
from scrapersky.stage_context.page_fetcher import FETCHES

OUTCOMES = ("done", "failed", "retried", "snoozed", "released", "lease_lost")


def add_metrics(web: FastAPI, context: ApiContext) -> None:
    query = MetricsQuery(context.engine)

    @web.get("/metrics", include_in_schema=False)
    async def metrics(caller: Viewer) -> Response:
        """For an admin, or any API key, of the default tenant: the figures are those of all tenants."""
        if not is_of_installation(caller, context):
            raise Forbidden("This needs the default tenant.")
        if not (caller.is_admin or caller.key_id):
            raise Forbidden("This needs the role admin or an API key.")
        text = render(await query.sample())
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)


def render(sample: Sample) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Sampled(sample))
    return generate_latest(registry)


class _Sampled(Collector):
    """The families of one scrape."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def collect(self) -> Iterator[Metric]:
        yield from self._queues()
        yield from self._work()
        yield from self._installation()

    def _queues(self) -> Iterator[Metric]:
        yield self._by_stage("queue_depth", "Rows that wait.", lambda s: s.counts.waiting)
        yield self._by_stage("running", "Rows that are being processed.", lambda s: s.counts.running)
        yield self._by_stage("dead_letters", "Rows that failed permanently.", lambda s: s.counts.failed)
        yield self._by_stage(
            "oldest_waiting_seconds", "How long the oldest due row has waited.", lambda s: s.oldest_seconds
        )

    def _by_stage(self, name: str, meaning: str, figure: Callable[[StageFigures], float]) -> Metric:
        family = GaugeMetricFamily(f"scrapersky_{name}", meaning, labels=["stage"])
        for stage, figures in self._sample.stages.items():
            family.add_metric([stage], figure(figures))
        return family

    def _work(self) -> Iterator[Metric]:
        items = _counter("items", "Processed rows by outcome.", "stage", "outcome")
        errors = _counter("errors", "Errors by class.", "stage", "class")
        rescued = _counter("leases_rescued", "Rows taken back from lost workers.", "stage")
        fetches = _counter("fetches", "Fetches of pages and sitemaps by class.", "class")
        repaired = _counter("rows_repaired", "Rows that the safety net queued.", "stage")
        existing = _counter("pages_existing", "Listed pages that were known already.")
        durations = HistogramMetricFamily(
            "scrapersky_item_duration_seconds", "How long rows took.", labels=["stage"]
        )
        by_class: dict[str, int] = {}
        for stage, figures in self._sample.stages.items():
            for outcome in OUTCOMES:
                items.add_metric([stage, outcome], figures.kinds.get(outcome, 0))
            for name, number in figures.errors.items():
                errors.add_metric([stage, name], number)
            rescued.add_metric([stage], figures.kinds.get("rescued", 0))
            repaired.add_metric([stage], figures.tallies.get("repaired", 0))
            durations.add_metric([stage], *_histogram(figures))
            for name, number in figures.tallies.items():
                if name.startswith(FETCHES):
                    fetch_class = name.removeprefix(FETCHES)
                    by_class[fetch_class] = by_class.get(fetch_class, 0) + number
        for fetch_class, number in by_class.items():
            fetches.add_metric([fetch_class], number)
        existing.add_metric([], sum(s.tallies.get("pages_existing", 0) for s in self._sample.stages.values()))
        yield from (items, errors, rescued, fetches, repaired, existing, durations)

    def _installation(self) -> Iterator[Metric]:
        alerts = GaugeMetricFamily("scrapersky_alerts_open", "Open alerts.", labels=["severity"])
        for severity, number in self._sample.alerts.items():
            alerts.add_metric([severity], number)
        credits = _counter("credits_spent", "Credits spent at paid services.")
        credits.add_metric([], self._sample.credits)
        workers = GaugeMetricFamily(
            "scrapersky_workers", "Live worker processes.", value=self._sample.workers
        )
        build = GaugeMetricFamily("scrapersky_build_info", "The running version.", labels=["version"])
        build.add_metric([__version__], 1)
        meaning = "Database connections of this web process."
        pool = GaugeMetricFamily("scrapersky_pool_connections", meaning, labels=["state"])
        for state, number in self._sample.connections.items():
            pool.add_metric([state], number)
        yield from (alerts, credits, workers, build, pool)


def _counter(name: str, meaning: str, *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"scrapersky_{name}", meaning, labels=list(labels))


def _histogram(figures: StageFigures) -> tuple[list[tuple[str, float]], float]:
    """Cumulative buckets in seconds, and the sum."""
    total, buckets = 0, []
    for place, edge in enumerate((*BUCKETS, None)):
        total += figures.buckets.get(place, 0)
        buckets.append(("+Inf" if edge is None else str(edge / 1000), float(total)))
    return buckets, figures.ms_sum / 1000
