"""The options that filter rows: the same words as the parameters of the API; each may be repeated."""

from __future__ import annotations

import click

from scrapersky.cli.options import DOMAIN_HELP, STATUS_HELP, Decorator, all_options

# The columns that -q searches, in plain words.
SEARCHED = {
    "place": "name, address or website",
    "business": "name, address or website",
    "domain": "domain name",
    "sitemap": "URL",
    "page": "URL",
    "contact": "e-mail address, name or phone number",
}
# Beside those that all kinds of rows have.
OWN_FILTERS: dict[str, tuple[str, ...]] = {
    "place": ("deep_scan_status", "source", "name_contains", "search_id", "tag", "outcome"),
    "business": ("domain_extraction_status", "source", "name_contains", "place_row_id", "outcome"),
    "domain": (
        "sitemap_curation_status", "sitemap_analysis_status", "local_business_id", "tag", "outcome",
        "read_after", "read_before",
    ),
    "sitemap": (
        "sitemap_curation_status", "sitemap_import_status", "sitemap_type", "discovery_method",
        "priority_level", "url_contains", "domain_id", "job_id", "tag",
    ),
    "page": (
        "page_curation_status", "page_processing_status", "contact_scrape_status", "page_type",
        "priority_level", "url_contains", "domain_id", "read_after", "read_before",
    ),
    "contact": (
        "contact_curation_status", "email_validation_status", "email_validation_result", "email_type",
        "email_contains", "name_contains", "domain_id", "page_id", "tag",
    ),
}  # fmt: skip
TIMES = ("created_after", "created_before", "updated_after", "updated_before")


def filter_options(name: str) -> Decorator:
    options: list[Decorator] = [
        click.option("--status", multiple=True, help=STATUS_HELP),
        click.option("-q", "--contains", multiple=True, help=f"Text in the {SEARCHED[name]}, ignoring case."),
        click.option("--error", multiple=True, help="Text in the error message."),
        click.option("--domain", multiple=True, help=DOMAIN_HELP),
    ]
    options += [_own_option(filter_name) for filter_name in OWN_FILTERS[name]]
    options += [_time_option(filter_name) for filter_name in TIMES]
    return all_options(*options)


def _own_option(name: str) -> Decorator:
    if name.endswith(("_after", "_before")):
        return _time_option(name)
    option = f"--{name.replace('_', '-')}"
    if name == "priority_level":
        level = click.IntRange(1, 3)
        return click.option(option, "--priority", name, type=level, multiple=True, help="1 is read first.")
    if name == "page_type":
        return click.option(option, multiple=True, help="Such as CONTACT_ROOT.")
    subject = name.removesuffix("_contains").replace("_", " ")
    about = f"Text in the {subject}." if name.endswith("_contains") else f"Filter by {subject}."
    return click.option(option, multiple=True, help=about)


def _time_option(name: str) -> Decorator:
    verb, direction = name.split("_")
    about = f"{verb.capitalize()} {direction} a time such as 2026-11-01T00:00:00Z."
    return click.option(f"--{name.replace('_', '-')}", metavar="TIME", help=about)
