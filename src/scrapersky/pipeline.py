"""The product on one screen: every stage, its function, and what it hands over. Read this first."""

from __future__ import annotations

from scrapersky import tables
from scrapersky.declarations import (
    DEEP_SCAN,
    DELIVER,
    DISCOVER_SITEMAPS,
    EXTRACT_DOMAIN,
    IMPORT_SITEMAP,
    READ_METADATA,
    READ_PAGE,
    RUN_JOB,
    SEARCH_PLACES,
    SUBMIT_DOMAIN,
    VALIDATE_EMAIL,
    StageDeclaration,
)
from scrapersky.engine.stage import Run, Stage
from scrapersky.stages import (
    deep_scan,
    deliver,
    discover_sitemaps,
    extract_domain,
    import_sitemap,
    read_metadata,
    read_page,
    run_job,
    search_places,
    submit_domain,
    validate_email,
)


def bind(*stages: tuple[StageDeclaration, Run]) -> tuple[Stage, ...]:
    """Bind functions to declarations; a stage holds back while the next one has too much to do."""
    declared = {declaration.name: declaration for declaration, _ in stages}
    return tuple(
        Stage(
            declaration,
            tables.metadata.tables[declaration.table],
            run,
            reads=declaration.reads,
            job_id=declaration.compat.job_id,
            feeds=declared[declaration.feeds] if declaration.feeds else None,
            queues=tuple(following.stage for following in declaration.queues),
        )
        for declaration, run in stages
    )


STAGES = bind(
    # stage             function                   reads → writes     queues next (gate)
    (SEARCH_PLACES,     search_places.run),      # search → places    deep_scan (AUTO_DEEP_SCAN)
    (DEEP_SCAN,         deep_scan.run),          # place → business   extract_domain (AUTO_DOMAIN_EXTRACTION)
    (EXTRACT_DOMAIN,    extract_domain.run),     # business → domain  read_metadata
                                                 #                    validate_email (AUTO_EMAIL_VALIDATION)
    (READ_METADATA,     read_metadata.run),      # domain → metadata  submit_domain (AUTO_SITEMAP_ANALYSIS)
                                                 #                    read_page (AUTO_PAGE_READING)
    (SUBMIT_DOMAIN,     submit_domain.run),      # domain → job       discover_sitemaps
    (DISCOVER_SITEMAPS, discover_sitemaps.run),  # job → sitemaps     import_sitemap (SITEMAP_AUTO_IMPORT)
                                                 #                    read_page (AUTO_PAGE_READING)
    (IMPORT_SITEMAP,    import_sitemap.run),     # sitemap → pages    import_sitemap (SITEMAP_AUTO_IMPORT)
                                                 #                    read_page (AUTO_PAGE_READING)
    (READ_PAGE,         read_page.run),          # page → contacts    validate_email (AUTO_EMAIL_VALIDATION)
    (VALIDATE_EMAIL,    validate_email.run),     # contact → verdict  deliver (AUTO_DELIVERY)
    (DELIVER,           deliver.run),            # delivery → CRM, webhook or file
    (RUN_JOB,           run_job.run),            # other job → result
)  # fmt: skip
