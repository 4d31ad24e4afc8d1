"""Settings of the pipeline: which hand-overs are automatic, and how much of a site is crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import create_model

from scrapersky.declarations import GATES
from scrapersky.settings.field import Group, setting

if TYPE_CHECKING:

    class PipelineSettings(Group):
        """Built below; its fields are read by name."""

else:
    PipelineSettings = create_model(
        "PipelineSettings",
        __base__=Group,
        __doc__="Automatic hand-over",
        **{gate.setting: (bool, setting(gate.default, gate.help, editable=True)) for gate in GATES},
    )


class CurationSettings(Group):
    """Curation"""

    decision_grace_seconds: int = setting(
        10,
        "Rows that a decision in the API or the console queues are due after this time, so that an undo"
        " stops the work.",
        ge=0,
        le=3_600,
    )


class BudgetSettings(Group):
    """Crawl budget"""

    sitemap_urls_per_file: int = setting(50_000, "Maximum URLs of one sitemap file.", ge=1, le=1_000_000)
    sitemap_urls_per_domain: int = setting(
        50_000, "Maximum URLs of all sitemaps of a domain.", ge=1, le=10_000_000
    )
    sitemap_files_per_domain: int = setting(500, "Maximum sitemap files of a domain.", ge=1, le=50_000)
    sitemap_depth: int = setting(5, "Maximum depth of nested sitemap indexes.", ge=1, le=20)
    sitemap_job_max_pages: int = setting(
        1_000, "Default page limit of a sitemap job (R170).", ge=1, le=1_000_000
    )
    read_all_pages: bool = setting(
        False,
        "Queue every page that is found, whatever its priority, not only those that look like contact"
        " pages; needs `AUTO_PAGE_READING`. `STOP_AFTER_EMPTY_PAGES` is then ignored, but"
        " `PAGE_BUDGET_PER_DOMAIN` is not.",
        editable=True,
    )
    page_budget_per_domain: int = setting(500, "Maximum pages read of one domain.", ge=1, le=1_000_000)
    stop_after_empty_pages: int = setting(
        4,
        "Consecutive ordinary pages without a new contact after which a domain's others are skipped.",
        ge=1,
        le=1_000_000,
    )
    max_url_length: int = setting(2_048, "Maximum length of a URL.", ge=256, le=8_000)
