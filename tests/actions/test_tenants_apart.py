"""No query shows and no action changes a row of another tenant: every one that takes a tenant is called here.

Each is called before and after a second tenant with the same names exists; the answers must not differ.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

import scrapersky.actions
import scrapersky.queries
from product import TENANT, USER, ago
from scrapersky.actions import cancel_job, discard_dead_letters, requeue_dead_letters, retry_job
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import curate, reset, run_now
from scrapersky.actions.reextraction import reextract_pages
from scrapersky.actions.resumption import resume_domains
from scrapersky.actions.searches import continue_import, submit_scan, submit_search
from scrapersky.actions.submissions import import_csv, submit_domains, submit_pages, submit_sitemaps
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.database import Database
from scrapersky.errors import ActionError
from scrapersky.maintenance.exclusions import EXCLUDED_REASON
from scrapersky.queries import DeadLetterQuery, JobQuery
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.entities import ENTITIES, Filters
from scrapersky.queries.rows import RowQuery
from scrapersky.stage_context.page_body_store import PageBodyStore
from scrapersky.tables import metadata

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


async def fill(connection: AsyncConnection, world: World, other: World, *, extra: bool) -> None:
    """One row at least of every kind, in states in which each query and action would take it."""

    async def add(table: str, **values: Any) -> None:
        given = {"tenant_id": world.tenant, **values} if "tenant_id" in metadata.tables[table].c else values
        await connection.execute(insert(metadata.tables[table]).values(given))

    await add("place_searches", id=world["search"], business_type="x", location="y", source="csv")
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
    await add("page_bodies", page_id=world["kept"], body=b"x", content_hash=b"x" * 32, size_bytes=1,
              final_url="https://shop.com/2", status_code=200)  # fmt: skip
    check = {"email_validation_status": "Error", "email_validation_error": "no"}
    await add("contacts", id=world["contact"], domain_id=world["domain"], email="info@shop.com",
              source_url="https://shop.com/1", **check)  # fmt: skip
    await add("destinations", id=world["destination"], name="list", kind="csv")
    await add("deliveries", id=world["delivery"], contact_id=world["contact"],
              destination_id=world["destination"], status="Error", error="no")  # fmt: skip
    old = {"created_at": ago(minutes=9), "next_retry_at": ago(minutes=9), "created_by": USER}
    waits, bad = world.jobs
    await add("jobs", id=waits, job_id=world["job"], job_type="note", status="pending", **old)
    await add("jobs", id=bad, job_id=world["bad job"], job_type="sitemap", status="failed", error="no",
              domain_id=world["domain"], **old)  # fmt: skip
    # A note under the identifier of the other tenant's row is still this tenant's alone.
    await add("failures", stage="read_page", row_id=str(other["page"]), error_class="Theirs",
              reason="theirs", traceback="theirs", attempts=1)  # fmt: skip
    if extra:
        for name in (ONLY_THEIRS, ASKED_BY_BOTH, SCANNED, LISTED):
            await add("domains", id=world[name], domain=name, status="error", error="no")
        lone = {"domain_id": world[ONLY_THEIRS], "host": ONLY_THEIRS}
        await add("pages", id=world["lone page"], url=f"https://{ONLY_THEIRS}/1", **lone, **error)
        listed = {"domain_id": world[LISTED], "host": LISTED}
        await add("pages", id=world["listed page"], url=f"https://{LISTED}/1", **listed)
        await add("sitemap_files", id=world["listed sitemap"], url=f"https://{LISTED}/a.xml", **listed,
                  sitemap_import_status=done)  # fmt: skip
        resting = dict.fromkeys(("backoff_until", "next_allowed_at"), ago(hours=-1))
        await add("hosts", host=ONLY_THEIRS, backoff_reason="errors", **resting)


Call = Callable[[AsyncEngine, World, World], Awaitable[Any]]


async def _stream(engine: AsyncEngine, tenant: UUID, **given: Any) -> list[Any]:
    return [one async for one in ContactQuery(engine).stream(tenant, **given)]


def reads() -> dict[str, Call]:
    """Every reading, by its name; with the other tenant's identifiers where it takes any."""
    found: dict[str, Call] = {
        "ContactQuery.stream": lambda e, a, b: _stream(e, a.tenant),
        "ContactQuery.stream domain": lambda e, a, b: _stream(e, a.tenant, domain="shop.com"),
        "ContactQuery.stream ids": lambda e, a, b: _stream(e, a.tenant, ids=[b["contact"]]),
        "ContactQuery.stream domains": lambda e, a, b: _stream(e, a.tenant, domain_ids=[b["domain"]]),
        "JobQuery.pending": lambda e, a, b: JobQuery(e, a.tenant).pending("note"),
        "JobQuery.newest": lambda e, a, b: JobQuery(e, a.tenant).newest(),
        "JobQuery.newest failed": lambda e, a, b: JobQuery(e, a.tenant).newest(status="failed"),
        "JobQuery.stuck": lambda e, a, b: JobQuery(e, a.tenant).stuck(MINUTES, MINUTES),
        "JobQuery.metrics": lambda e, a, b: JobQuery(e, a.tenant).metrics(MINUTES, MINUTES),
        "JobQuery.show number": lambda e, a, b: JobQuery(e, a.tenant).show(str(b.jobs[0])),
        "JobQuery.show uuid": lambda e, a, b: JobQuery(e, a.tenant).show(str(b["job"])),
        "JobQuery.show latest": lambda e, a, b: JobQuery(e, a.tenant).show("latest"),
        "RowQuery.searches": lambda e, a, b: RowQuery(e).searches(a.tenant),
        "RowQuery.search": lambda e, a, b: RowQuery(e).search(a.tenant, b["search"]),
        "DeadLetterQuery.show own": lambda e, a, b: DeadLetterQuery(e, a.tenant).show(
            "read_page", str(a["page"])
        ),
        "PageBodyStore.count": lambda e, a, b: PageBodyStore(Database(e)).count(a.tenant),
        "PageBodyStore.next_pages": lambda e, a, b: _ids(
            PageBodyStore(Database(e)).next_pages(None, 10, tenant_id=a.tenant)
        ),
        "RowQuery.ids name": lambda e, a, b: RowQuery(e).ids(ENTITIES["domain"], a.tenant, [ONLY_THEIRS]),
    }
    for one in ENTITIES.values():
        name = one.name
        found |= {
            f"RowQuery.list_rows {name}": lambda e, a, b, one=one: RowQuery(e).list_rows(one, a.tenant),
            f"RowQuery.count {name}": lambda e, a, b, one=one: RowQuery(e).count(one, a.tenant, Filters()),
            f"RowQuery.show {name}": lambda e, a, b, one=one: RowQuery(e).show(
                one, a.tenant, str(b[one.name])
            ),
        }
        if name != "place":
            filters = Filters(domain="shop.com")
            found[f"RowQuery.list_rows {name} domain"] = lambda e, a, b, one=one, f=filters: RowQuery(
                e
            ).list_rows(one, a.tenant, f)
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
    return found


async def _ids(rows: Awaitable[Any]) -> list[Any]:
    return [row.id for row in await rows]


def changes() -> dict[str, Call]:
    """Every change, each aimed at the other tenant's rows by identifier, and at all that match."""
    found: dict[str, Call] = {}
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
        "submit_search": lambda e, a, b: submit_search(e, a.who, "x", "y", "csv"),
        "submit_scan": lambda e, a, b: submit_scan(e, a.who, SCANNED),
        "submit_domains": lambda e, a, b: submit_domains(e, a.who, ASKED_BY_BOTH),
        "submit_sitemaps": lambda e, a, b: submit_sitemaps(e, a.who, f"https://{LISTED}/a.xml"),
        "submit_pages": lambda e, a, b: submit_pages(e, a.who, f"https://{LISTED}/1"),
        "import_csv": lambda e, a, b: import_csv(e, a.who, "domain", csv),
    }
    return found


async def outcome(call: Call, engine: AsyncEngine, ours: World, theirs: World) -> str:
    try:
        return repr(await call(engine, ours, theirs))
    except ActionError as error:
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


async def test_nothing_that_is_read_depends_on_another_tenant(db: AsyncEngine) -> None:
    ours, theirs = await two_worlds(db)
    calls = reads()
    before = {name: await outcome(call, db, ours, theirs) for name, call in calls.items()}
    async with db.begin() as connection:
        await fill(connection, theirs, ours, extra=True)
    after = {name: await outcome(call, db, ours, theirs) for name, call in calls.items()}
    assert [name for name in calls if after[name] != before[name]] == []
    # The calls see something at all: our own rows, and nothing under the other's identifiers.
    assert str(ours["page"]) in after["RowQuery.list_rows page"]
    assert after["RowQuery.show page"] == "NotFound"
    assert after["RowQuery.count page"] == "4"


async def test_nothing_of_another_tenant_is_changed(db: AsyncEngine) -> None:
    ours, theirs = await two_worlds(db)
    async with db.begin() as connection:
        await fill(connection, theirs, ours, extra=True)
    before = await snapshot(db, theirs)
    for name, call in changes().items():
        answer = await outcome(call, db, ours, theirs)
        after = await snapshot(db, theirs)
        assert [table for table in before if after[table] != before[table]] == [], name
        assert [one for one, made in theirs.ids.items() if str(made) in answer] == [], name


def takes_a_tenant() -> set[str]:
    """The names of all queries and actions that are given a tenant or somebody who belongs to one."""
    found: set[str] = set()
    for package in (scrapersky.queries, scrapersky.actions):
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            for name, made in vars(module).items():
                if getattr(made, "__module__", "") != module.__name__ or name.startswith("_"):
                    continue
                if inspect.isclass(made):
                    whole = "tenant_id" in inspect.signature(made).parameters and "__init__" in vars(made)
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
    "conditions",
    "dead_letters",
    "submit_job",
    "insert_domains",
    "store_domains",
    "store_pages",
    "store_sitemaps",
}


def test_every_query_and_action_that_takes_a_tenant_is_called_here() -> None:
    called = {name.split(" ")[0] for name in (*reads(), *changes())}
    assert takes_a_tenant() - NO_READING - called == set()
