"""No query shows and no action changes a row of another tenant: those that take a tenant are called here.

Each is called before and after a second tenant with the same names exists; the answers must not differ.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

import scrapersky.actions
import scrapersky.queries
from product import TENANT, USER, ago
from scrapersky.actions import cancel_job, discard_dead_letters, requeue_dead_letters, retry_job
from scrapersky.actions.accounts.api_keys import create_api_key, revoke_api_key
from scrapersky.actions.accounts.users import edit_user, set_password
from scrapersky.actions.actor import Actor
from scrapersky.actions.contacts import (
    create_contact,
    delete_contacts,
    tag_contacts,
    update_contact,
    validate_contacts,
    validate_matching,
)
from scrapersky.actions.contacts.rechecks import EmailRechecks
from scrapersky.actions.curation import curate, decide, reset, run_now, undo
from scrapersky.actions.dead_letters import investigate_dead_letter
from scrapersky.actions.delivery.destinations import DestinationEditor, switch_off
from scrapersky.actions.delivery.enrichment import save_enrichment, save_opt_outs
from scrapersky.actions.delivery.sends import Send, preview_send, send_contacts
from scrapersky.actions.jobs import prune_jobs
from scrapersky.actions.lead_score import reset_score_part, set_score_part
from scrapersky.actions.operations import Decision
from scrapersky.actions.operations.exclusions import EXCLUDED_REASON
from scrapersky.actions.place_files.column_mappings import (
    create_mapping,
    delete_mapping,
    save_mapping,
    update_mapping,
)
from scrapersky.actions.place_files.place_file import (
    PlaceFileOptions,
    choice_for,
    submit_chosen,
    submit_place_file,
)
from scrapersky.actions.place_files.table_preview import preview_table
from scrapersky.actions.place_matches import decide_match, reset_match
from scrapersky.actions.privacy.erasure_jobs import submit_erasure
from scrapersky.actions.privacy.suppressed_contacts import delete_written
from scrapersky.actions.privacy.suppressions import apply_open_suppressions, delete_suppression
from scrapersky.actions.privacy.suppressions import suppress as add_to_suppressed
from scrapersky.actions.reextraction import reextract_pages
from scrapersky.actions.resumption import resume_domains
from scrapersky.actions.schedules.exports import Exporter, submit_export
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import continue_import, submit_scan, submit_search
from scrapersky.actions.site_edits import delete_domain, delete_page, delete_sitemap_file, edit_row
from scrapersky.actions.stages import run_stage
from scrapersky.actions.submissions import import_csv, submit_domains, submit_pages, submit_sitemaps
from scrapersky.database import tenant_engine
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.database import Database
from scrapersky.errors import ActionError
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.fetch.http.zstd import zstd
from scrapersky.queries import DeadLetterQuery, JobQuery
from scrapersky.queries.accounts import AccountQuery
from scrapersky.queries.audit import AuditFilter, AuditQuery
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.dead_letters import DeadLetterFilter
from scrapersky.queries.decisions.operations import OperationQuery
from scrapersky.queries.decisions.presets import RuleQuery, ViewQuery
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.delivery.left_out import SendPreview
from scrapersky.queries.email_validation import ValidationQuery
from scrapersky.queries.installation.google_ledger import GoogleLedgerQuery
from scrapersky.queries.lead_score import LeadScoreQuery
from scrapersky.queries.places.columns import CHOICE, ColumnChoice, ColumnMappingQuery, ColumnQuery
from scrapersky.queries.places.coverage import CoverageQuery
from scrapersky.queries.places.matches import PlaceMatchQuery
from scrapersky.queries.privacy.notices import NoticeQuery
from scrapersky.queries.privacy.subject_export import SubjectQuery
from scrapersky.queries.privacy.suppressed_people import find_suppressed_people
from scrapersky.queries.privacy.suppressions import SuppressionQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.dossier import DossierQuery
from scrapersky.queries.rows.entities import ENTITIES, SEARCH
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.overview import OverviewQuery, TimeSpan
from scrapersky.queries.rows.review import ReviewQuery
from scrapersky.queries.rows.sitemap_contents import SitemapContentQuery
from scrapersky.queries.statistics import CreditQuery, JobStatisticsQuery
from scrapersky.secret_key import SecretKey
from scrapersky.sources import SourceOptions, list_sources
from scrapersky.sources.csv.uploads import Uploads
from scrapersky.stage_context.email_checker import EmailVerdict
from scrapersky.stage_context.page_body_store import PageBodyStore
from scrapersky.suppression_key import suppression_key
from scrapersky.tables import metadata

SOURCES = list_sources(SourceOptions())
FILES = Path(tempfile.mkdtemp(prefix="sky-"))
KEY = SecretKey("a key of tests that is long enough 0123456789")
PERSON = [Identifier("email", "info@shop.com")]
SUPPRESSED = Identifier("email", "gone@shop.com")
VALIDATED_AT = datetime(2026, 1, 1, tzinfo=UTC)

MINUTES = timedelta(minutes=5)
# Names that only the other tenant has; nobody of ours may get at them, nor disturb their host.
ONLY_THEIRS, ASKED_BY_BOTH = "only-theirs.com", "asked-by-both.com"
SCANNED, LISTED = "scanned-by-both.com", "listed-by-both.com"


@dataclass
class World:
    """Identifiers of everything a tenant has, known before the rows are there."""

    tenant: UUID
    number: int
    ids: dict[str, UUID] = field(default_factory=dict)

    def __getitem__(self, name: str) -> UUID:
        return self.ids.setdefault(name, uuid4())

    @property
    def who(self) -> Actor:
        return Actor(self.tenant, USER)

    @property
    def jobs(self) -> tuple[int, int]:
        return self.number, self.number + 1

    def entity(self, name: str) -> UUID:
        return self[name]


def adder(connection: AsyncConnection, world: World) -> Callable[..., Awaitable[None]]:
    async def add(table: str, **values: Any) -> None:
        row = {"tenant_id": world.tenant, **values} if "tenant_id" in metadata.tables[table].c else values
        await connection.execute(insert(metadata.tables[table]).values(row))

    return add


async def fill(connection: AsyncConnection, world: World, other: World, *, extra: bool) -> None:
    """One row at least of every kind, in states in which each query and action would take it."""
    add = adder(connection, world)
    choice = ColumnChoice({"name": world.number}).to_json(["Firm"])
    await add("place_searches", id=world["search"], business_type="x", location="y", source="csv",
              params={CHOICE: choice})  # fmt: skip
    columns = {"name": f"Firm {world.number}"}
    await add("column_mappings", id=world["mapping"], name="Fair", columns=columns)
    scan = {"deep_scan_status": "Error", "deep_scan_error": "no"}
    await add("places_staging", id=world["place"], place_id="p", name="Shop", **scan)
    found = {"domain_extraction_status": "Error", "domain_extraction_error": "no"}
    await add("local_businesses", id=world["business"], place_id="p", business_name="Shop", **found)
    mine = {"local_business_id": world["business"], "status": "error", "error": "no"}
    await add("domains", id=world["domain"], domain="shop.com", **mine,
              sitemap_analysis_status="failed", sitemap_analysis_error="no")  # fmt: skip
    await add("domains", id=world["rejected"], domain="bad.com", sitemap_curation_status="Rejected")
    below = {"domain_id": world["domain"], "host": "shop.com"}
    rejected = {"domain_id": world["rejected"], "host": "bad.com"}
    done, failed = "Complete", {"sitemap_import_status": "Error", "sitemap_import_error": "no"}
    await add("sitemap_files", id=world["sitemap"], url="https://shop.com/a.xml", **below, **failed)
    await add("sitemap_files", id=world["part"], url="https://shop.com/b.xml", **below,
              sitemap_import_status=done, is_partial=True)  # fmt: skip
    error = {"page_processing_status": "Error", "page_processing_error": "no"}
    await add("pages", id=world["page"], url="https://shop.com/1", **below, **error)
    await add("pages", id=world["kept"], url="https://shop.com/2", **below, page_processing_status=done)
    out = {"page_processing_error": EXCLUDED_REASON, "page_processing_finished_at": ago(hours=1)}
    await add("pages", id=world["out"], url="https://shop.com/3", **below, **out)
    await add(
        "pages", id=world["waits"], url="https://bad.com/1", **rejected, page_processing_status="Queued"
    )
    await add("page_bodies", page_id=world["kept"], body=zstd.compress(b"x"), size_bytes=1,
              content_hash=b"x" * 32, final_url="https://shop.com/2", status_code=200)  # fmt: skip
    check = {"email_validation_status": "Error", "email_validation_error": "no"}
    await add("contacts", id=world["contact"], domain_id=world["domain"], email="info@shop.com",
              source_url="https://shop.com/1", email_validated_at=VALIDATED_AT, **check)  # fmt: skip
    await add("destinations", id=world["destination"], name="list", kind="csv")
    await add("deliveries", id=world["delivery"], contact_id=world["contact"],
              destination_id=world["destination"], status="Error", error="no")  # fmt: skip
    await add("suppressions", id=world["suppression"], kind="email", keyed_hash=b"s" * 32, reason="asked")
    # An import that was interrupted has not deleted the contact yet.
    await add("contacts", id=world["suppressed"], domain_id=world["domain"], email=SUPPRESSED.value,
              source_url="https://shop.com/1")  # fmt: skip
    await add("suppressions", id=world["open suppression"], kind="email", reason="asked", is_applied=False,
              keyed_hash=suppression_key(connection).hashes(SUPPRESSED)[0])  # fmt: skip
    await fill_matches(connection, world)
    old = {"created_at": ago(minutes=9), "next_retry_at": ago(minutes=9), "created_by": USER}
    waits, bad = world.jobs
    await add("jobs", id=waits, job_id=world["job"], job_type="note", status="pending", **old)
    await add("jobs", id=bad, job_id=world["bad job"], job_type="sitemap", status="failed", error="no",
              domain_id=world["domain"], **old)  # fmt: skip
    # A note under the identifier of the other tenant's row is still this tenant's alone.
    await add("failures", stage="read_page", row_id=str(other["page"]), error_class="Theirs",
              reason="theirs", traceback="theirs", attempts=1)  # fmt: skip
    await add("users", id=world["user"], email=f"{world.number}@x.org", role="viewer", password_hash="x")
    await add("api_keys", id=world["key"], user_id=world["user"], name="key", key_prefix=str(world.number),
              secret_hash=b"x" * 32)  # fmt: skip
    await add("audit_log", actor="somebody", action="contact.update", row_id=str(other["contact"]))
    if extra:
        await fill_extra(connection, world)


async def fill_matches(connection: AsyncConnection, world: World) -> None:
    """Two places that may be the same, and a score part that was edited."""
    add = adder(connection, world)
    await add("places_staging", id=world["twin"], place_id="t", name="Shop", source="overture")
    for name, source in (("place", "csv"), ("twin", "overture")):
        await add("place_identities", place_row_id=world[name], source=source)
    first, second = sorted((world["place"], world["twin"]))
    await add("place_matches", id=world["match"], place_a=first, place_b=second, log_odds=0.5, evidence={},
              verdict="unsure")  # fmt: skip
    await add("lead_score_parts", part="evidence", weight=world.number // 100)
    await add("lead_score_runs", finished_at=ago(hours=1) if world.tenant == TENANT else None)


async def fill_extra(connection: AsyncConnection, world: World) -> None:
    """Rows that only the other tenant has."""
    add = adder(connection, world)
    error, done = {"page_processing_status": "Error", "page_processing_error": "no"}, "Complete"
    for name in (ONLY_THEIRS, ASKED_BY_BOTH, SCANNED, LISTED):
        await add("domains", id=world[name], domain=name, status="error", error="no")
    lone = {"domain_id": world[ONLY_THEIRS], "host": ONLY_THEIRS}
    await add("pages", id=world["lone page"], url=f"https://{ONLY_THEIRS}/1", **lone, **error)
    await add("contacts", id=world["lone contact"], domain_id=world[ONLY_THEIRS],
              email=f"info@{ONLY_THEIRS}", source_url=f"https://{ONLY_THEIRS}/1")  # fmt: skip
    listed = {"domain_id": world[LISTED], "host": LISTED}
    await add("pages", id=world["listed page"], url=f"https://{LISTED}/1", **listed)
    await add("sitemap_files", id=world["listed sitemap"], url=f"https://{LISTED}/a.xml", **listed,
              sitemap_import_status=done)  # fmt: skip
    resting = dict.fromkeys(("backoff_until", "next_allowed_at"), ago(hours=-1))
    await add("hosts", host=ONLY_THEIRS, backoff_reason="errors", **resting)


Call = Callable[[AsyncEngine, World, World], Awaitable[Any]]


async def _stream(engine: AsyncEngine, tenant: UUID, **given: Any) -> list[Any]:
    return [one async for one in ContactQuery(engine).stream(tenant, **given)]


def validation_reads() -> dict[str, Call]:
    return {
        "ValidationQuery.of_contacts": lambda e, a, b: ValidationQuery(e, a.tenant).of_contacts(
            [a["contact"], b["contact"]]
        ),
        "ValidationQuery.summary": lambda e, a, b: ValidationQuery(e, a.tenant).summary(Filters()),
    }


def delivery_reads() -> dict[str, Call]:
    return {
        "DestinationQuery.list_destinations": lambda e, a, b: DestinationQuery(
            e, a.tenant
        ).list_destinations(),
        "DestinationQuery.names": lambda e, a, b: DestinationQuery(e, a.tenant).names(),
        "DestinationQuery.show": lambda e, a, b: DestinationQuery(e, a.tenant).show(b["destination"]),
        "DestinationQuery.find": lambda e, a, b: DestinationQuery(e, a.tenant).find(str(b["destination"])),
        "DestinationQuery.encrypted_secret": lambda e, a, b: DestinationQuery(e, a.tenant).encrypted_secret(
            b["destination"]
        ),
        "SendPreview.count": lambda e, a, b: SendPreview(e, a.tenant).count("csv", Filters(), None),
        "SendPreview.count ids": lambda e, a, b: SendPreview(e, a.tenant).count(
            "csv", Filters(), [b["contact"]]
        ),
        "preview_send": lambda e, a, b: preview_send(
            e, a.who, Send(destination_id=b["destination"], filters=Filters())
        ),
    }


def privacy_reads() -> dict[str, Call]:
    names = {"controller": "Us", "rights_contact": "us@example.org"}
    return {
        "SuppressionQuery.list_suppressions": lambda e, a, b: SuppressionQuery(e).list_suppressions(a.tenant),
        "SuppressionQuery.counts": lambda e, a, b: SuppressionQuery(e).counts(a.tenant),
        "NoticeQuery.notice": lambda e, a, b: NoticeQuery(e).notice(a.tenant, b["contact"], **names),
        "SubjectQuery.export": lambda e, a, b: SubjectQuery(e).export(a.tenant, PERSON),
        "find_suppressed_people": lambda e, a, b: _people(e, a.tenant),
    }


async def _people(engine: AsyncEngine, tenant: UUID) -> list[Identifier]:
    return sorted(await find_suppressed_people(engine, tenant, lambda identifier: True))


def place_reads() -> dict[str, Call]:
    """Matches of places, the coverage of a search, and the parts of the lead score."""
    return {
        "PlaceMatchQuery.page": lambda e, a, b: PlaceMatchQuery(e, a.tenant).page(),
        "PlaceMatchQuery.show": lambda e, a, b: PlaceMatchQuery(e, a.tenant).show(b["match"]),
        "PlaceMatchQuery.counts": lambda e, a, b: PlaceMatchQuery(e, a.tenant).counts(),
        "Exporter.write": lambda e, a, b: _exported(e, a.tenant),
        "ColumnMappingQuery.list_mappings": lambda e, a, b: ColumnMappingQuery(e, a.tenant).list_mappings(),
        "ColumnMappingQuery.show": lambda e, a, b: ColumnMappingQuery(e, a.tenant).show(b["mapping"]),
        "ColumnMappingQuery.find": lambda e, a, b: ColumnMappingQuery(e, a.tenant).find(str(b["mapping"])),
        "ColumnQuery.last_choice": lambda e, a, b: ColumnQuery(e, a.tenant).last_choice(["Firm"]),
        "CoverageQuery.of_search": lambda e, a, b: CoverageQuery(e, a.tenant).of_search(b["search"]),
        "LeadScoreQuery.parts": lambda e, a, b: LeadScoreQuery(e, a.tenant).parts(),
        "LeadScoreQuery.is_current": lambda e, a, b: LeadScoreQuery(e, a.tenant).is_current(),
    }


def account_reads() -> dict[str, Call]:
    """What admins read: accounts with their keys and sessions, and the audit log."""
    return {
        "AccountQuery.users": lambda e, a, b: AccountQuery(e, a.tenant).users(),
        "AccountQuery.user": lambda e, a, b: AccountQuery(e, a.tenant).user(b["user"]),
        "AccountQuery.find_user": lambda e, a, b: AccountQuery(e, a.tenant).find_user(f"{b.number}@x.org"),
        "AccountQuery.sessions": lambda e, a, b: AccountQuery(e, a.tenant).sessions(MINUTES),
        "AccountQuery.api_keys": lambda e, a, b: AccountQuery(e, a.tenant).api_keys(),
        "AccountQuery.api_key": lambda e, a, b: AccountQuery(e, a.tenant).api_key(b["key"]),
        "AuditQuery.find": lambda e, a, b: AuditQuery(e, a.tenant).find(),
        "AuditQuery.find row": lambda e, a, b: AuditQuery(e, a.tenant).find(
            AuditFilter(row_id=str(a["contact"]))
        ),
        "AuditQuery.verify": lambda e, a, b: AuditQuery(e, a.tenant).verify(),
    }


def dossier_reads() -> dict[str, Call]:
    """What the page of a domain shows, asked for the other tenant's domain."""

    def dossier(method: str, given: Callable[[World], Any]) -> Call:
        return lambda e, a, b: getattr(DossierQuery(e, a.tenant), method)(given(b))

    given: dict[str, Callable[[World], Any]] = {
        **dict.fromkeys(
            ("page_numbers", "contacts", "pages", "sitemaps", "requests", "jobs"), lambda b: b["domain"]
        ),
        "origin": lambda b: b["business"],
        "host": lambda b: ONLY_THEIRS,
        "operations": lambda b: [b["domain"], b["page"]],
        "last_decision": lambda b: b["page"],
        "progress": lambda b: [b["domain"]],
    }
    return {f"DossierQuery.{method}": dossier(method, made) for method, made in given.items()}


def overview_reads() -> dict[str, Call]:
    """The overview of a tenant, and what a sitemap file of the other one lists."""
    days = TimeSpan.until_now(timedelta(days=1), 2)

    def overview(method: str, *given: Any) -> Call:
        return lambda e, a, b: getattr(OverviewQuery(e, a.tenant), method)(*given)

    def contents(method: str) -> Call:
        return lambda e, a, b: getattr(SitemapContentQuery(e, a.tenant, b["sitemap"]), method)()

    plain = ("searches", "is_empty", "flow", "page_yield", "contacts_by_page_type", "confidence")
    return {
        **{f"OverviewQuery.{method}": overview(method) for method in plain},
        **{
            f"OverviewQuery.{method}": overview(method, days)
            for method in ("lists", "throughput", "stage_throughput")
        },
        **{
            f"SitemapContentQuery.{method}": contents(method)
            for method in ("page_types", "pages", "files_below")
        },
        "SitemapContentQuery.known": lambda e, a, b: SitemapContentQuery(e, a.tenant, b["sitemap"]).known(
            b[LISTED], [f"https://{LISTED}/1"]
        ),
        "GoogleLedgerQuery.search_cost": lambda e, a, b: GoogleLedgerQuery(e).search_cost(
            a.tenant, b["search"]
        ),
    }


def report_reads() -> dict[str, Call]:
    entities = {
        f"RowQuery.details {one.name}": lambda e, a, b, one=one: RowQuery(e).details(
            one, a.tenant, b[one.name]
        )
        for one in ENTITIES.values()
    }
    return entities | {
        "CreditQuery.report": lambda e, a, b: CreditQuery(e, a.tenant).report(7),
        "CreditQuery.of_job": lambda e, a, b: CreditQuery(e, a.tenant).of_job(b.jobs[0]),
        "ReviewQuery.to_review": lambda e, a, b: ReviewQuery(e, a.tenant).to_review(),
        "DeadLetterQuery.find": lambda e, a, b: DeadLetterQuery(e, a.tenant).find(DeadLetterFilter()),
        "JobStatisticsQuery.report": lambda e, a, b: _job_figures(e, a.tenant),
    }


async def _job_figures(engine: AsyncEngine, tenant: UUID) -> dict[str, Any]:
    figures = await JobStatisticsQuery(engine, tenant).report(MINUTES, MINUTES)
    # It grows while the test runs.
    return figures | {"oldest_waiting_seconds": round((figures["oldest_waiting_seconds"] or 0) / 600)}


def account_changes() -> dict[str, Call]:
    """What admins change, aimed at an account and a key of the other tenant."""
    grant: dict[str, Any] = {"name": "key", "scopes": ["read"], "lifetime": MINUTES}
    return {
        "edit_user": lambda e, a, b: edit_user(e, a.who, b["user"], {"role": "operator"}),
        "set_password": lambda e, a, b: set_password(e, a.who, b["user"], "correct-Horse-9-battery"),
        "create_api_key": lambda e, a, b: create_api_key(e, a.who, user_id=b["user"], **grant),
        "revoke_api_key": lambda e, a, b: revoke_api_key(e, a.who, b["key"]),
    }


def stage_changes() -> dict[str, Call]:
    return {
        "run_stage": lambda e, a, b: run_stage(e, a.who, "read_page"),
        "investigate_dead_letter": lambda e, a, b: investigate_dead_letter(
            e, a.who, "read_page", str(b["page"]), state="open", owner_id=b["user"]
        ),
    }


def plain_reads() -> dict[str, Call]:
    return {
        "ContactQuery.stream": lambda e, a, b: _stream(e, a.tenant),
        "ContactQuery.stream domains": lambda e, a, b: _stream(e, a.tenant, domain_ids=[b["domain"]]),
        "JobQuery.pending": lambda e, a, b: JobQuery(e, a.tenant).pending("note"),
        "JobQuery.newest": lambda e, a, b: JobQuery(e, a.tenant).newest(),
        "JobQuery.newest failed": lambda e, a, b: JobQuery(e, a.tenant).newest(status="failed"),
        "JobQuery.stuck": lambda e, a, b: JobQuery(e, a.tenant).stuck(MINUTES, MINUTES),
        "JobQuery.metrics": lambda e, a, b: JobQuery(e, a.tenant).metrics(MINUTES, MINUTES),
        "JobQuery.show number": lambda e, a, b: JobQuery(e, a.tenant).show(str(b.jobs[0])),
        "JobQuery.show uuid": lambda e, a, b: JobQuery(e, a.tenant).show(str(b["job"])),
        "JobQuery.show latest": lambda e, a, b: JobQuery(e, a.tenant).show("latest"),
        "JobQuery.imports": lambda e, a, b: JobQuery(e, a.tenant).imports(b["job"]),
        "JobQuery.import_notes": lambda e, a, b: JobQuery(e, a.tenant).import_notes(str(b.jobs[0])),
        "ListQuery.page search": lambda e, a, b: ListQuery(e, a.tenant).page(SEARCH, Filters()),
        "ListQuery.list_rows search": lambda e, a, b: ListQuery(e, a.tenant).list_rows(SEARCH),
        "RowQuery.show search": lambda e, a, b: RowQuery(e).show(SEARCH, a.tenant, str(b["search"])),
        "DeadLetterQuery.show own": lambda e, a, b: DeadLetterQuery(e, a.tenant).show(
            "read_page", str(a["page"])
        ),
        "PageBodyStore.count": lambda e, a, b: PageBodyStore(Database(e)).count(a.tenant),
        "PageBodyStore.next_pages": lambda e, a, b: _ids(
            PageBodyStore(Database(e)).next_pages(None, 10, tenant_id=a.tenant)
        ),
        "RowQuery.ids name": lambda e, a, b: RowQuery(e).ids(ENTITIES["domain"], a.tenant, [ONLY_THEIRS]),
    }


def reads() -> dict[str, Call]:
    """Every reading, by its name; with the other tenant's identifiers where it takes any."""
    found = validation_reads() | account_reads() | report_reads() | plain_reads()
    found |= delivery_reads() | privacy_reads() | place_reads() | dossier_reads() | overview_reads()
    for one in ENTITIES.values():
        name = one.name
        found |= {
            f"ListQuery.list_rows {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).list_rows(one),
            f"ListQuery.count {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).count(one, Filters()),
            f"ListQuery.facets {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).facets(
                one, Filters()
            ),
            f"ListQuery.page_and_facets {name}": lambda e, a, b, one=one: ListQuery(
                e, a.tenant
            ).page_and_facets(one, Filters()),
            f"ListQuery.named {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).named(
                one, [b[one.name]], Filters()
            ),
            f"ListQuery.name {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).name(one, b[one.name]),
            f"ListQuery.newer {name}": lambda e, a, b, one=one: ListQuery(e, a.tenant).newer(
                one, Filters(), UUID(int=0), limit=100
            ),
            f"RowQuery.show {name}": lambda e, a, b, one=one: RowQuery(e).show(
                one, a.tenant, str(b[one.name])
            ),
        }
        if name != "place":
            filters = Filters(domain="shop.com")
            found[f"ListQuery.list_rows {name} domain"] = lambda e, a, b, one=one, f=filters: ListQuery(
                e, a.tenant
            ).list_rows(one, f)
    found["RowQuery.show by name"] = lambda e, a, b: RowQuery(e).show(
        ENTITIES["domain"], a.tenant, "shop.com"
    )
    for stage in [queue.name for queue in DECLARATIONS]:
        found |= {
            f"DeadLetterQuery.newest {stage}": lambda e, a, b, s=stage: DeadLetterQuery(e, a.tenant).newest(
                s
            ),
            f"DeadLetterQuery.count {stage}": lambda e, a, b, s=stage: DeadLetterQuery(e, a.tenant).count(s),
        }
    found["DeadLetterQuery.show theirs"] = lambda e, a, b: DeadLetterQuery(e, a.tenant).show(
        "read_page", str(b["page"])
    )
    return found | decision_reads()


def decision_reads() -> dict[str, Call]:
    page, filters = ENTITIES["page"], Filters(page_type="login")
    return {
        "OperationQuery.list_operations": lambda e, a, b: OperationQuery(e, a.tenant).list_operations(),
        "OperationQuery.count": lambda e, a, b: OperationQuery(e, a.tenant).count(),
        "OperationQuery.show": lambda e, a, b: OperationQuery(e, a.tenant).show(b["operation"]),
        "ViewQuery.list_views": lambda e, a, b: ViewQuery(e, a.tenant, USER).list_views(),
        "ViewQuery.show": lambda e, a, b: ViewQuery(e, a.tenant, USER).show(b["view"]),
        "RuleQuery.list_rules": lambda e, a, b: RuleQuery(e, a.tenant).list_rules(),
        "RuleQuery.show": lambda e, a, b: RuleQuery(e, a.tenant).show(b["rule"]),
        "RuleQuery.preview": lambda e, a, b: RuleQuery(e, a.tenant).preview(page, filters),
    }


async def _ids(rows: Awaitable[Any]) -> list[Any]:
    return [row.id for row in await rows]


async def _updated_fields(result: Awaitable[Any]) -> list[str]:
    """The answer also names the contact that the caller has sent."""
    return list((await result).updated_fields)


async def _submit_export(engine: AsyncEngine, actor: Actor) -> None:
    async with engine.begin() as connection:
        await submit_export(connection, actor, "contact", Filters(), "contacts.csv")


async def _exported(engine: AsyncEngine, tenant: UUID) -> str:
    exporter = Exporter(engine, lambda _: FILES, EmailRechecks(Checker(), timedelta(days=9_999)))  # type: ignore[arg-type]
    await exporter.write(tenant, "contact", {}, "contacts.csv")
    return (FILES / "contacts.csv").read_text()


async def _queued_count(request: Awaitable[Any]) -> int:
    """The answer also names the ids that the caller has sent."""
    return int((await request).queued_count)


def edits() -> dict[str, Call]:
    """Every edit and deletion, aimed at the other tenant's rows."""
    page = ENTITIES["page"]
    email = {"email": "ada@only-theirs.com"}
    return {
        "create_contact": lambda e, a, b: create_contact(e, a.who, ASKED_BY_BOTH, email),
        "update_contact": lambda e, a, b: update_contact(e, a.who, b["contact"], email),
        "tag_contacts": lambda e, a, b: tag_contacts(e, a.who, [b["contact"]], add=["x"]),
        "delete_contacts": lambda e, a, b: delete_contacts(e, a.who, [b["contact"]]),
        "validate_contacts": lambda e, a, b: _queued_count(validate_contacts(e, a.who, [b["contact"]])),
        "validate_matching": lambda e, a, b: validate_matching(e, a.who, Filters(), 10),
        "edit_row": lambda e, a, b: edit_row(e, a.who, page, b["page"], {"priority_level": 1}),
        "delete_page": lambda e, a, b: delete_page(e, a.who, b["page"]),
        "delete_sitemap_file": lambda e, a, b: delete_sitemap_file(e, a.who, b["sitemap"]),
        "delete_domain": lambda e, a, b: delete_domain(e, a.who, b["domain"], expected_count=0),
        "prune_jobs": lambda e, a, b: prune_jobs(e, a.who, timedelta(0)),
    }


def delivery_changes() -> dict[str, Call]:
    """Changes of destinations, deliveries and suppressions, aimed at the other tenant's."""

    def editor(engine: AsyncEngine, world: World) -> DestinationEditor:
        return DestinationEditor(engine, world.who, KEY)

    def enrichment(world: World) -> dict[str, Any]:
        return {"contact_id": str(world["contact"]), "enrichment_id": "1", "enriched_data": {"phone": "1"}}

    return {
        "send_contacts": lambda e, a, b: send_contacts(
            e, a.who, Send(destination_id=b["destination"], ids=[b["contact"]])
        ),
        "save_enrichment": lambda e, a, b: _updated_fields(save_enrichment(e, a.who, "m", enrichment(b))),
        "DestinationEditor.add": lambda e, a, b: editor(e, a).add(name="new", kind="csv"),
        "DestinationEditor.edit": lambda e, a, b: editor(e, a).edit(b["destination"], {"name": "other"}),
        "DestinationEditor.rotate_secret": lambda e, a, b: editor(e, a).rotate_secret(b["destination"]),
        "DestinationEditor.forget_previous_secret": lambda e, a, b: editor(e, a).forget_previous_secret(
            b["destination"]
        ),
        "switch_off": lambda e, a, b: switch_off(e, a.who, b["destination"], "gone"),
        "delete_suppression": lambda e, a, b: delete_suppression(e, a.who, b["suppression"]),
        "submit_erasure": lambda e, a, b: submit_erasure(
            e, a.who, ["info@shop.com"], "asked", seal=lambda _: "sealed"
        ),
    }


def last_changes() -> dict[str, Call]:
    """Those that delete what the others are aimed at."""
    return {
        "save_opt_outs": lambda e, a, b: save_opt_outs(e, a.who, "o", ["ada@only-theirs.com"], "bounced"),
        "suppress": lambda e, a, b: add_to_suppressed(e, a.who, ["info@shop.com"], "asked"),
        "DestinationEditor.delete": lambda e, a, b: DestinationEditor(e, a.who, KEY).delete(b["destination"]),
    }


def place_changes() -> dict[str, Call]:
    columns = {"name": "Firm"}
    known, file = list_sources(SourceOptions()), [b"name\nShop\n"]
    table = preview_table("place", file)
    return {
        "submit_export": lambda e, a, b: _submit_export(e, a.who),
        "submit_place_file": lambda e, a, b: submit_place_file(
            e, a.who, known, Uploads(FILES, a.tenant), lambda: file, {}, PlaceFileOptions()
        ),
        "submit_chosen": lambda e, a, b: submit_chosen(
            e,
            a.who,
            known,
            Uploads(FILES, a.tenant),
            lambda: file,
            table,
            choice_for(table, {}),
            PlaceFileOptions(),
        ),
        "create_mapping": lambda e, a, b: create_mapping(e, a.who, name="New", columns=columns),
        "save_mapping": lambda e, a, b: save_mapping(e, a.who, name="Fair", columns=columns),
        "update_mapping": lambda e, a, b: update_mapping(e, a.who, b["mapping"], {"name": "Other"}),
        "delete_mapping": lambda e, a, b: delete_mapping(e, a.who, b["mapping"]),
        "decide_match": lambda e, a, b: decide_match(e, a.who, b["match"], "same"),
        "reset_match": lambda e, a, b: reset_match(e, a.who, b["match"]),
        "set_score_part": lambda e, a, b: set_score_part(e, a.who, "evidence", weight=7),
        "reset_score_part": lambda e, a, b: reset_score_part(e, a.who, "evidence"),
    }


def changes() -> dict[str, Call]:
    """Every change, each aimed at the other tenant's rows by identifier, and at all that match."""
    found = delivery_changes() | place_changes() | operations() | edits() | stage_changes()
    found |= account_changes()
    for entity in ENTITIES.values():
        for what, names in (("ids", True), ("filter", False)):

            def chosen(b: World, names: bool = names, name: str = entity.name) -> dict[str, Any]:
                return {"ids": [b[name]]} if names else {"filters": Filters(curation_status="new")}

            found |= {
                f"curate {entity.name} {what}": lambda e, a, b, one=entity, c=chosen: curate(
                    e, a.who, one, "maybe", **c(b)
                ),
                f"reset {entity.name} {what}": lambda e, a, b, one=entity, c=chosen: reset(
                    e, a.who, one, **c(b)
                ),
                f"run_now {entity.name} {what}": lambda e, a, b, one=entity, c=chosen: run_now(
                    e, a.who, one, **c(b)
                ),
            }
    domain, page = ENTITIES["domain"], ENTITIES["page"]
    found |= {
        "curate rejected": lambda e, a, b: curate(e, a.who, domain, "rejected", ids=[b["rejected"]]),
        "curate selected": lambda e, a, b: curate(e, a.who, domain, "selected", ids=[b["domain"]]),
        "run_now host": lambda e, a, b: run_now(e, a.who, page, ids=[b["lone page"]]),
        "resume_domains": lambda e, a, b: resume_domains(e, a.who, [b[LISTED], b[ONLY_THEIRS]]),
        "retry_job": lambda e, a, b: retry_job(e, a.who, str(b.jobs[1])),
        "retry_job uuid": lambda e, a, b: retry_job(e, a.who, str(b["bad job"])),
        "cancel_job": lambda e, a, b: cancel_job(e, a.who, str(b.jobs[0])),
        "continue_import": lambda e, a, b: continue_import(e, a.who, [b["part"]]),
        "reextract_pages domain": lambda e, a, b: reextract_pages(e, a.who, domain=ONLY_THEIRS),
        "reextract_pages": lambda e, a, b: reextract_pages(e, a.who),
    }
    for stage in [queue.name for queue in DECLARATIONS]:
        theirs = {"read_page": "page", "import_sitemap": "sitemap", "deliver": "delivery"}.get(stage)
        found |= {
            f"requeue_dead_letters {stage}": lambda e, a, b, s=stage: requeue_dead_letters(e, a.who, s),
            f"discard_dead_letters {stage}": lambda e, a, b, s=stage: discard_dead_letters(e, a.who, s),
        }
        if theirs:
            found[f"requeue_dead_letters {stage} ids"] = lambda e, a, b, s=stage, t=theirs: (
                requeue_dead_letters(e, a.who, s, [str(b[t])])
            )
            found[f"discard_dead_letters {stage} ids"] = lambda e, a, b, s=stage, t=theirs: (
                discard_dead_letters(e, a.who, s, [str(b[t])])
            )
    csv = [f"domain\n{LISTED}\n".encode()]
    found |= {
        "submit_search": lambda e, a, b: submit_search(
            e, a.who, SearchRequest("x", "y", "csv"), list_sources(SourceOptions())
        ),
        "submit_scan": lambda e, a, b: submit_scan(e, a.who, SCANNED),
        "submit_domains": lambda e, a, b: submit_domains(e, a.who, ASKED_BY_BOTH),
        "submit_sitemaps": lambda e, a, b: submit_sitemaps(e, a.who, f"https://{LISTED}/a.xml"),
        "submit_pages": lambda e, a, b: submit_pages(e, a.who, f"https://{LISTED}/1"),
        "import_csv": lambda e, a, b: import_csv(e, a.who, "domain", csv),
    }
    return found | last_changes()


class Checker:
    """Finds that no address works."""

    async def check(self, email: str) -> EmailVerdict:
        return EmailVerdict("invalid", 0, "no such host")


async def _refreshed_count(engine: AsyncEngine, ours: World, theirs: World) -> int:
    """The answer also names the contact that the caller has read."""
    contact = {"id": theirs["contact"], "email": "info@shop.com", "email_validation_method": None,
               "email_validated_at": VALIDATED_AT}  # fmt: skip
    return len(await EmailRechecks(Checker(), MINUTES).refresh(engine, ours.tenant, [contact]))


async def _delete_written(engine: AsyncEngine, tenant: UUID) -> Any:
    async with engine.begin() as connection:
        return await delete_written(connection, tenant, set(PERSON))


def steps() -> dict[str, Call]:
    """Parts of longer work, which have no audit entry of their own."""
    return {
        "EmailRechecks.refresh": _refreshed_count,
        "apply_open_suppressions": lambda e, a, b: apply_open_suppressions(e, a.tenant),
        "delete_written": lambda e, a, b: _delete_written(e, a.tenant),
    }


def operations() -> dict[str, Call]:
    page = ENTITIES["page"]
    return {
        "decide": lambda e, a, b: decide(e, a.who, Decision(entity=page, value="maybe", ids=[b["page"]])),
        "undo": lambda e, a, b: undo(e, a.who, b["operation"]),
    }


async def outcome(call: Call, engine: AsyncEngine, ours: World, theirs: World) -> str:
    try:
        return repr(await call(engine, ours, theirs))
    except ActionError as error:
        return type(error).__name__
    except DBAPIError as error:
        if "row-level security" not in str(error):
            raise
        return type(error).__name__


async def snapshot(engine: AsyncEngine, world: World) -> dict[str, list[Any]]:
    """Everything the tenant has, and the state of the host that only it knows."""
    found = {}
    async with engine.connect() as connection:
        for table in metadata.sorted_tables:
            if "tenant_id" in table.c and not table.name.startswith("row_count"):
                rows = await connection.execute(select(table).where(table.c.tenant_id == world.tenant))
                found[table.name] = sorted(map(repr, rows))
        hosts = metadata.tables["hosts"]
        found["hosts"] = list(await connection.execute(select(hosts).where(hosts.c.host == ONLY_THEIRS)))
    return found


async def two_worlds(db: AsyncEngine) -> tuple[World, World]:
    ours, theirs = World(TENANT, 1_000), World(uuid4(), 2_000)
    async with db.begin() as connection:
        await connection.execute(insert(metadata.tables["tenants"]).values(id=theirs.tenant, name="Other"))
        await fill(connection, ours, theirs, extra=False)
    return ours, theirs


@pytest.mark.parametrize("in_request", [False, True])
async def test_nothing_that_is_read_depends_on_another_tenant(db: AsyncEngine, in_request: bool) -> None:
    ours, theirs = await two_worlds(db)
    engine = tenant_engine(db, ours.tenant) if in_request else db
    calls = reads()
    before = {name: await outcome(call, engine, ours, theirs) for name, call in calls.items()}
    async with db.begin() as connection:
        await fill(connection, theirs, ours, extra=True)
    after = {name: await outcome(call, engine, ours, theirs) for name, call in calls.items()}
    assert [name for name in calls if after[name] != before[name]] == []
    # The calls see something at all: our own rows, and nothing under the other's identifiers.
    assert str(ours["page"]) in after["ListQuery.list_rows page"]
    assert after["RowQuery.show page"] == "NotFound"
    assert after["ListQuery.count page"] == "4"


@pytest.mark.parametrize("in_request", [False, True])
async def test_nothing_of_another_tenant_is_changed(db: AsyncEngine, in_request: bool) -> None:
    ours, theirs = await two_worlds(db)
    engine = tenant_engine(db, ours.tenant) if in_request else db
    async with db.begin() as connection:
        await fill(connection, theirs, ours, extra=True)
    before = await snapshot(db, theirs)
    for name, call in {**changes(), **steps()}.items():
        answer = await outcome(call, engine, ours, theirs)
        after = await snapshot(db, theirs)
        assert [table for table in before if after[table] != before[table]] == [], name
        assert [one for one, made in theirs.ids.items() if str(made) in answer] == [], name


async def test_the_database_itself_keeps_a_wrong_tenant_out(db: AsyncEngine) -> None:
    """Every query and action, told to act for the other tenant in a transaction of ours."""
    ours, theirs = await two_worlds(db)
    async with db.begin() as connection:
        await fill(connection, theirs, ours, extra=True)
    engine = tenant_engine(db, ours.tenant)
    before = await snapshot(db, theirs)
    for name, call in {**reads(), **changes(), **steps()}.items():
        answer = await outcome(call, engine, theirs, theirs)
        assert [one for one, made in theirs.ids.items() if str(made) in answer] == [], name
    after = await snapshot(db, theirs)
    assert [table for table in before if after[table] != before[table]] == []


AUDIT = ("audit_heads", "audit_log", "audit_values")


async def test_d9_every_change_has_exactly_one_audit_entry(db: AsyncEngine) -> None:
    """Each change, made by its owner in a request."""
    _, owner = await two_worlds(db)
    async with db.begin() as connection:
        await fill(connection, owner, World(TENANT, 1_000), extra=True)
    engine = tenant_engine(db, owner.tenant)
    wrong, number_of_changes = [], 0
    for name, call in changes().items():
        before = await snapshot(db, owner)
        await outcome(call, engine, owner, owner)
        after = await snapshot(db, owner)
        entries = len(after["audit_log"]) - len(before["audit_log"])
        has_changed = any(after[table] != before[table] for table in before if table not in AUDIT)
        number_of_changes += has_changed
        if entries > 1 or entries < has_changed:
            wrong.append((name, entries))
    assert wrong == []
    assert number_of_changes > 25


async def test_d9_no_change_without_its_audit_entry(db: AsyncEngine) -> None:
    """While nothing can be written to the log, nothing can be changed."""
    _, owner = await two_worlds(db)
    async with db.begin() as connection:
        await fill(connection, owner, World(TENANT, 1_000), extra=True)
        await connection.execute(text("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (false) NOT VALID"))
    engine = tenant_engine(db, owner.tenant)
    before = await snapshot(db, owner)
    for name, call in changes().items():
        with suppress(IntegrityError):
            await outcome(call, engine, owner, owner)
        after = await snapshot(db, owner)
        # A pause of a host that ended before the change itself belongs to nobody.
        assert [table for table in before if after[table] != before[table] and table != "hosts"] == [], name


def takes_a_tenant() -> set[str]:
    """The names of all queries and actions that are given a tenant or somebody who belongs to one."""
    found: set[str] = set()
    for package in (scrapersky.queries, scrapersky.actions):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            for name, made in vars(module).items():
                if getattr(made, "__module__", "") != module.__name__ or name.startswith("_"):
                    continue
                if inspect.isclass(made):
                    whole = "tenant_id" in getattr(made.__init__, "__annotations__", {})
                    found |= {
                        f"{name}.{method}"
                        for method, call in vars(made).items()
                        if inspect.isfunction(call) and not method.startswith("_")
                        and (whole or "tenant_id" in inspect.signature(call).parameters)
                    }  # fmt: skip
                elif inspect.isfunction(made) and {"tenant_id", "actor"} & set(
                    inspect.signature(made).parameters
                ):
                    found.add(name)
    return found


# These only build or write: the rows of the given tenant are all they name.
NO_READING = {
    "claim_key",
    "conditions",
    "count_export",
    "dead_letters",
    "list_export",
    "pages_today",
    "record",
    "require_queue_room",
    "wake_hosts",
    "wake_hosts_of",
    "insert_search",
    "submit_job",
    "insert_domains",
    "store_domains",
    "store_pages",
    "store_sitemaps",
}
# Tenants, alerts, stages and hosts belong to the installation, which admins of the default tenant manage.
INSTALLATION = {
    "TenantEditor.add_admin",
    "TenantEditor.edit",
    "TenantQuery.state",
    "acknowledge_alert",
    "close_alert",
    "pause_host",
    "pause_stage",
    "resume_host",
    "resume_stage",
}
# Not called as another tenant here yet; the list may only shrink.
NOT_CALLED = {
    "DemoTenantQuery.is_empty",
    "Operation.after",
    "OperationQuery.changed_among",
    "OperationQuery.count_matching",
    "OperationQuery.find",
    "ScheduleQuery.list_schedules",
    "ScheduleQuery.show",
    "ViewQuery.find",
    "add_demo_tenant",
    "add_operation",
    "add_suppressions",
    "add_user",
    "cancel_operation",
    "check_destination",
    "chosen_contacts",
    "claim_message",
    "command_line_actor",
    "count_rows",
    "create_operation",
    "create_rule",
    "create_schedule",
    "create_setup_link",
    "create_user",
    "create_view",
    "delete_rule",
    "delete_schedule",
    "delete_suppressed",
    "delete_view",
    "dequeue_excluded_rows",
    "end_session",
    "erase_person",
    "find_bodies",
    "find_contacts",
    "find_rows",
    "import_legacy_database",
    "import_suppressions",
    "insert_operation",
    "pause_schedule",
    "preview_fields",
    "remove_demo_tenant",
    "requeue_excluded_rows",
    "restore_excluded_rows",
    "resume_schedule",
    "run_schedule",
    "sample_payload",
    "send_decision",
    "start_undo",
    "store_password",
    "sweep_contacts",
    "update_rule",
    "update_view",
    "use_setup_link",
    "withhold_suppressed",
}


def test_every_query_and_action_that_takes_a_tenant_is_called_here() -> None:
    called = {name.split(" ")[0] for name in (*reads(), *steps(), *changes())}
    assert takes_a_tenant() - NO_READING - INSTALLATION - called == NOT_CALLED
