"""Domains given by hand: to contacts without a click, all sitemaps imported, and gates that hold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from demo_lab import Lab, find_domain, lab, well
from product import until
from scrapersky.actions.curation import curate
from scrapersky.actions.submissions import submit_domains, submit_sitemaps
from scrapersky.extract.sitemaps.discovery import import_level
from scrapersky.queries.rows.entities import ENTITIES

pytestmark = pytest.mark.usefixtures("both_modes")

WORLD = well(3, 40)
OF_DOMAIN = "SELECT {} FROM {} JOIN domains d ON d.id = c.domain_id WHERE d.domain = :name"


async def submit(found: Lab, *domains: str) -> None:
    await submit_domains(found.engine, found.who, list(domains))


@pytest.mark.req("R119", "R228", "R229", "R249")
async def test_a_submitted_domain_ends_in_contacts_without_a_hand(database_url: str, tmp_path: Path) -> None:
    """Submitted as pending by the path that the API uses, observed through to contacts with evidence."""
    domain = find_domain(WORLD, sitemap="standard")
    async with lab(database_url, WORLD, tmp_path) as found:
        await submit(found, domain)
        assert await found.statuses("domains", "status") == {"pending": 1}
        await found.run()

        assert await found.statuses("domains", "status") == {"completed": 1}
        assert await found.statuses("domains", "sitemap_analysis_status") == {"submitted": 1}
        emails = {row.email for row in await found.rows("SELECT email FROM contacts WHERE email IS NOT NULL")}
        assert emails >= WORLD.truth().domains[domain].values("email", "expected")
        assert await found.one("SELECT count(*) FROM contacts c WHERE NOT EXISTS"
                               " (SELECT FROM sightings s WHERE s.contact_id = c.id)") == 0  # fmt: skip


@pytest.mark.req("R001", "R004", "R005", "R006", "R180")
async def test_eight_sitemaps_end_as_eight_of_eight_imported(database_url: str, tmp_path: Path) -> None:
    """The counter-example was 1 of 8; the index itself is the ninth file."""
    domain = find_domain(WORLD, sitemap="index8")
    truth = WORLD.truth().domains[domain]
    async with lab(database_url, WORLD, tmp_path) as found:
        await submit(found, domain)
        await found.run()

        files = {
            row.url: row
            for row in await found.rows(
                "SELECT url, sitemap_import_status, url_count, job_id FROM sitemap_files"
            )
        }
        children = [one.url for one in truth.sitemaps if one.kind != "index"]
        assert len(children) == 8
        assert set(files) == {one.url for one in truth.sitemaps}
        assert {files[url].sitemap_import_status for url in files} == {"Complete"}
        assert {url: files[url].url_count for url in children} == {
            one.url: one.url_count for one in truth.sitemaps if one.kind != "index"
        }
        await the_job_names_its_sitemaps(found, domain)
        the_useful_files_came_first(found, domain, {urlsplit(url).path for url in children})


def the_useful_files_came_first(found: Lab, domain: str, paths: set[str]) -> None:
    """What lists contact pages is imported before products and tags, because a domain's pages are limited."""
    asked = [one.target for one in sorted(found.server.log.by_host()[domain]) if one.target in paths]
    levels = [import_level(f"https://{domain}{path}") for path in dict.fromkeys(asked)]
    assert len(set(levels)) > 1
    assert levels == sorted(levels), asked


async def the_job_names_its_sitemaps(found: Lab, domain: str) -> None:
    """R180: stored with the right job and domain; R171: named in its result by their real ids."""
    [job] = await found.rows("SELECT * FROM jobs")
    stored = await found.rows(
        "SELECT s.id::text AS id, s.job_id, d.domain FROM sitemap_files s"
        " JOIN domains d ON d.id = s.domain_id"
    )
    assert (job.status, job.progress, job.job_type) == ("complete", 1.0, "sitemap")
    assert {row.job_id for row in stored} == {job.job_id}
    assert {row.domain for row in stored} == {domain}
    assert {one["id"] for one in job.result_data["sitemaps"]} == {row.id for row in stored}


@pytest.mark.req("R143")
async def test_every_kind_of_sitemap_leads_to_the_contacts(database_url: str, tmp_path: Path) -> None:
    kinds = ("missing", "nested", "gz", "text", "truncated", "index8")
    world = well(5, 60)
    domains = {kind: find_domain(world, sitemap=kind) for kind in kinds}
    truth = world.truth().domains
    async with lab(database_url, world, tmp_path) as found:
        await submit(found, *domains.values())
        await found.run()

        for kind, domain in domains.items():
            emails = await found.rows(OF_DOMAIN.format("c.email", "contacts c"), name=domain)
            assert {row[0] for row in emails} >= truth[domain].values("email", "expected"), kind
            files = await found.rows(OF_DOMAIN.format("c.url", "sitemap_files c"), name=domain)
            assert {row[0] for row in files} == {one.url for one in truth[domain].sitemaps}, kind
        partial = await found.rows("SELECT url FROM sitemap_files WHERE is_partial")
        assert [row.url.split("/")[2] for row in partial] == [domains["truncated"]]
        # D12: "none found" is said, not success; the links of the home page stand in.
        none = domains["missing"]
        assert await found.one("SELECT total_sitemaps FROM domains WHERE domain = :name", name=none) == 0
        note = OF_DOMAIN.format("c.result_data ->> 'note'", "jobs c")
        assert "no sitemap found" in await found.one(note, name=none)


async def test_foreign_urls_of_a_sitemap_are_kept_but_never_asked_for(
    database_url: str, tmp_path: Path
) -> None:
    """B11, at the server's side: the only hosts that were asked are the domain's own."""
    world = well(7, 60)
    truth = world.truth()
    domain = next(
        name
        for name, one in truth.domains.items()
        if one.outcome == "answers" and any(s.external for s in one.sitemaps)
    )
    async with lab(database_url, world, tmp_path) as found:
        await submit(found, domain)
        await found.run()

        outside = await found.rows(
            "SELECT url, page_processing_status FROM pages WHERE page_type = 'external'"
        )
        assert outside
        assert {row.page_processing_status for row in outside} == {"Filtered"}
        assert {request.host for request in found.server.log} <= {domain, f"www.{domain}"}


async def test_rejected_and_archived_rows_are_never_worked(database_url: str, tmp_path: Path) -> None:
    """D1, D9: at every level a person's no is stronger than the queue."""
    free = [one for one in WORLD.domains() if WORLD.plan(one).robots == "allow"]
    rejected, archived, second, third = free[:4]
    async with lab(database_url, WORLD, tmp_path) as found:
        await submit(found, *free[:4])
        for name, no in ((rejected, "Rejected"), (archived, "Archived")):
            await found.do(
                "UPDATE domains SET sitemap_curation_status = :no WHERE domain = :d", no=no, d=name
            )
            excluded_by = "INSERT INTO {0} (tenant_id, domain_id, url, {1}) SELECT tenant_id, id, :url, {2}"
            of_domain = f"{excluded_by} FROM domains WHERE domain = :d"
            files = of_domain.format("sitemap_files", "sitemap_curation_status", ":no")
            await found.do(files, no=no, d=second, url=f"http://{second}/barred-{no}.xml")
            columns = "page_curation_status, page_processing_status"
            pages = of_domain.format("pages", columns, ":no, 'Queued'")
            await found.do(pages, no=no, d=third, url=f"http://{third}/barred-{no}")
        await found.run()

        asked = {(request.host, request.target) for request in found.server.log}
        assert not {rejected, archived} & {host for host, _ in asked}
        assert not [target for _, target in asked if "barred" in target]
        assert {(second, "/"), (third, "/")} <= asked, "the others were worked"
        assert await found.statuses("domains", "status") == {"pending": 2, "completed": 2}


IMPORTED = "SELECT 1 FROM sitemap_files WHERE sitemap_import_status = 'Complete'"
GATES = {"AUTO_SITEMAP_ANALYSIS": "false", "SITEMAP_AUTO_IMPORT": "false", "AUTO_PAGE_READING": "false"}


@pytest.mark.req("R012", "R139", "R152")
async def test_gates_stop_the_flow_and_a_decision_lets_it_go_on(database_url: str, tmp_path: Path) -> None:
    """With every gate shut a row waits for a person at each table; Selected queues it at once."""
    domain = find_domain(WORLD, sitemap="standard")
    async with lab(database_url, WORLD, tmp_path, **GATES) as found:
        await submit(found, domain)
        async with found.working():
            await found.over()
            assert await found.statuses("domains", "sitemap_analysis_status") == {None: 1}
            assert await found.one("SELECT count(*) FROM jobs") == 0

            await select_all(found, "domain")
            await until(lambda: found.rows("SELECT 1 FROM sitemap_files"))
            await found.over()
            assert await found.statuses("sitemap_files", "sitemap_import_status") == {None: 1}

            await select_all(found, "sitemap")
            await until(lambda: found.rows(IMPORTED))
            await found.over()
            assert set(await found.statuses("pages", "page_processing_status")) <= {None, "Filtered"}
            assert await found.one("SELECT count(*) FROM contacts") == 0

            await select_all(found, "page")
            await found.over()
            assert await found.one("SELECT count(*) FROM contacts") > 0


async def select_all(found: Lab, entity: str) -> None:
    known = ENTITIES[entity]
    ids = [row.id for row in await found.rows(f"SELECT id FROM {known.table.name}")]
    await curate(found.engine, found.who, known, "Selected", ids=ids)


@pytest.mark.req("R066")
async def test_a_page_listed_in_two_sitemaps_is_fetched_once(database_url: str, tmp_path: Path) -> None:
    domain = find_domain(WORLD, sitemap="standard")
    async with lab(database_url, WORLD, tmp_path) as found:
        await submit(found, domain)
        await found.run()
        [first] = await found.rows("SELECT id, url FROM sitemap_files LIMIT 1")
        # The same file under a second address lists every page again.
        await submit_sitemaps(found.engine, found.who, [f"{first.url}?again=1"])
        await found.run()

        twice = await found.one(
            "SELECT count(*) FROM (SELECT page_id FROM page_sitemaps GROUP BY 1 HAVING count(*) > 1) AS s"
        )
        assert twice > 3
        read = {
            row.url
            for row in await found.rows("SELECT url FROM pages WHERE page_processing_status = 'Complete'")
        }
        asked = Counter(one.target for one in found.server.log.by_host()[domain])
        fetched = {url: asked[urlsplit(url).path] for url in read if urlsplit(url).path != "/"}
        assert fetched
        assert set(fetched.values()) == {1}, fetched
