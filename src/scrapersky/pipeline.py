"""The product on one screen: the stages in the order in which rows travel. Read this first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scrapersky.engine.stage import Stage
from scrapersky.stages.deep_scan import deep_scan
from scrapersky.stages.deliver import deliver
from scrapersky.stages.discover_sitemaps import discover_sitemaps
from scrapersky.stages.extract_domain import extract_domain
from scrapersky.stages.import_sitemap import import_sitemap
from scrapersky.stages.read_metadata import read_metadata
from scrapersky.stages.read_page import read_page
from scrapersky.stages.run_job import run_job
from scrapersky.stages.search_places import search_places
from scrapersky.stages.submit_domain import submit_domain
from scrapersky.stages.validate_email import validate_email


@dataclass(frozen=True, slots=True)
class Line:
    """A stage and the first words of its settings."""

    stage: Stage
    settings: str


def _feeding(stage: Stage, following: Stage) -> Stage:
    """The stage, holding back while the next one has too much to do."""
    return replace(stage, feeds=following.queue)


STAGES = (
    Line(_feeding(search_places, deep_scan), "place_search_scheduler"),  # search    → places
    Line(_feeding(deep_scan, extract_domain), "deep_scan_scheduler"),  # place     → business
    Line(_feeding(extract_domain, read_metadata), "domain_extraction_scheduler"),  # business  → domain
    Line(_feeding(read_metadata, submit_domain), "domain_scheduler"),  # domain    → its metadata
    Line(_feeding(submit_domain, discover_sitemaps), "domain_sitemap_scheduler"),  # domain    → job
    Line(_feeding(discover_sitemaps, import_sitemap), "sitemap_scheduler"),  # job       → sitemaps
    Line(_feeding(import_sitemap, read_page), "sitemap_import_scheduler"),  # sitemap   → pages
    Line(_feeding(read_page, validate_email), "page_curation_scheduler"),  # page      → contacts
    Line(validate_email, "email_validation_scheduler"),  # contact   → what is known of its address
    Line(deliver, "delivery_scheduler"),  # delivery  → the world
    Line(run_job, "job_scheduler"),  # any other job → its result
)
