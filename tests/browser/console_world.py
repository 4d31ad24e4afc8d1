"""Rows for the pages of the console: businesses from their search to their contacts, and their troubles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, insert, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.pipeline import STAGES

TYPES = ("contact_root", "about", "team_root", "blog", "unknown", "legal_root", "services_root")
CURATION = ("New", "New", "New", "Selected", "Maybe", "Rejected", "Archived")
PROCESSING = ("Complete", "Queued", None, "Error", "Complete", "Filtered", None)


@dataclass
class ConsoleWorld:
    """What a test needs to know about the rows."""

    domain: str = ""
    domain_id: UUID = field(default_factory=uuid4)
    page_id: UUID = field(default_factory=uuid4)
    contact_id: UUID = field(default_factory=uuid4)
    sitemap_id: UUID = field(default_factory=uuid4)
    search_id: UUID = field(default_factory=uuid4)
    job_id: int = 0
    dead_letter_id: UUID = field(default_factory=uuid4)
    destination_id: UUID = field(default_factory=uuid4)


async def fill(
    engine: AsyncEngine, *, businesses: int = 12, pages: int = 30, marks: Sequence[str] = ("",)
) -> ConsoleWorld:
    """Each business has one of `marks`, such as payloads, in every text of it that comes from the web."""
    world, mark = ConsoleWorld(), marks[0]
    async with engine.begin() as connection:
        search = await _one(
            connection,
            tables.place_searches,
            business_type=f"bakery{mark}",
            location=f"Ghent{mark}",
            source="file",
            params={},
            status="complete",
            places_found=businesses,
            created_by=USER,
        )
        world.search_id = search
        for number in range(businesses):
            own = marks[number % len(marks)]
            await _business(connection, world, search, number, pages=pages, mark=own)
        world.job_id = await _jobs(connection, world, mark)
        await _worker(connection)
        await connection.execute(
            insert(tables.alerts).values(
                kind="stage_stalled",
                subject="read_page",
                severity="warning",
                message=f"read_page has completed nothing for 15 minutes{mark}",
            )
        )
    return world


async def add_work_of_people(engine: AsyncEngine, world: ConsoleWorld, *, mark: str = "") -> None:
    """What people set up and what came of it: deliveries, a pair to judge, schedules, views and rules."""
    async with engine.begin() as connection:
        destination = await _one(
            connection,
            tables.destinations,
            name=f"Hook{mark}",
            is_active=False,
            kind="webhook",
            options={"url": f"https://hook.example/{mark}"},
            disabled_reason=f"HTTP 401{mark}",
        )
        world.destination_id = destination
        about = {"contact_id": world.contact_id, "destination_id": destination}
        failed = {"status": "Error", "error": f"HTTP 500{mark}"}
        await _one(connection, tables.deliveries, **about, **failed, external_id=f"7{mark}")
        pair = [
            await _place(connection, world.search_id, source, f"pair{mark}", None, {"name": f"Linde{mark}"})
            for source in ("overture", "openstreetmap")
        ]
        judged = {"log_odds": 1.2, "evidence": {"name": {"why": f"alike{mark}"}}, "verdict": "unsure"}
        first, second = sorted(pair)
        await _one(connection, tables.place_matches, place_a=first, place_b=second, **judged)
        when = {"every_days": 7, "time_of_day": "06:00", "time_zone": "UTC", "next_run_at": func.now()}
        ended = {"last_run_at": func.now(), "last_outcome": "failed", "last_reason": f"no source{mark}"}
        mine = {"user_id": USER, "name": f"Weekly{mark}"}
        await _one(connection, tables.schedules, **mine, kind="crawl", **when, **ended)
        await _one(connection, tables.saved_views, **mine, table_name="pages", is_shared=True)
        chosen = {"filters": {"q": [mark or "blog"]}, "decision": "Rejected"}
        await _one(connection, tables.rules, **mine, table_name="pages", **chosen)
        columns = {"name": f"Firm{mark}"}
        await _one(connection, tables.column_mappings, name=f"Register{mark}", columns=columns)
        hashed = {"kind": "email", "keyed_hash": sha256(mark.encode()).digest(), "reason": f"objected{mark}"}
        await _one(connection, tables.suppressions, **hashed)


async def add_search_of_two_sources(engine: AsyncEngine) -> UUID:
    """A search whose coverage can be estimated: a second source lists some of the same businesses."""
    box = {"south": 51.0, "west": 3.7, "north": 51.1, "east": 3.8}
    search = {"business_type": "florist", "location": "Ghent", "status": "complete", "params": {"box": box}}
    async with engine.begin() as connection:
        first, second = [
            await _one(connection, tables.place_searches, source=source, created_by=USER, **search)
            for source in ("overture", "openstreetmap")
        ]
        for number in range(6):
            place = {
                "name": f"Florist {number}",
                "search_query": "florist",
                "latitude": 51.01 + number / 100,
                "longitude": 3.71 + number / 100,
            }
            same_as = await _place(connection, first, "overture", f"o{number}", None, place)
            if number % 3:
                await _place(connection, second, "openstreetmap", f"n{number}", same_as, place)
    return first


async def _place(
    connection: AsyncConnection,
    search: UUID,
    source: str,
    place_id: str,
    same_as: UUID | None,
    place: dict[str, Any],
) -> UUID:
    row_id = await _one(
        connection, tables.places_staging, search_id=search, source=source, place_id=place_id, **place
    )
    identity = {"place_row_id": row_id, "tenant_id": TENANT, "source": source, "same_as": same_as or row_id}
    await connection.execute(insert(tables.place_identities).values(**identity))
    return row_id


async def _worker(connection: AsyncConnection) -> None:
    """A live worker for every stage, so that the installation is healthy."""
    stages, jobs = [stage.name for stage in STAGES], [stage.job_id for stage in STAGES]
    values = {"machine": "m", "pid": 1, "stages": stages, "scheduled_jobs": jobs}
    in_an_hour = func.now() + func.make_interval(0, 0, 0, 0, 1)
    await connection.execute(insert(tables.workers).values(**values, heartbeat_at=in_an_hour))


async def _business(
    connection: AsyncConnection, world: ConsoleWorld, search: UUID, number: int, *, pages: int, mark: str
) -> None:
    # One name is as long as those of real firms.
    host = f"bakery-{number}{'-en-patisserie-van-de-korenmarkt' if number == 6 else ''}.example"
    curation = CURATION[number % len(CURATION)]
    name, address = f"Bakery {number}{mark}", f"Korenmarkt {number}, 9000 Gent{mark}"
    listed = {
        "source": "file",
        "place_id": f"p{number}",
        "status": curation,
        "website_url": f"https://{host}/",
        "phone": "+32 9 223 45 67",
    }
    place = await _one(
        connection,
        tables.places_staging,
        name=name,
        business_type=f"bakery{mark}",
        formatted_address=address,
        search_id=search,
        deep_scan_status="Completed",
        **listed,
    )
    business = await _one(
        connection,
        tables.local_businesses,
        place_row_id=place,
        business_name=name,
        full_address=address,
        domain_extraction_status="Completed",
        **listed,
    )
    domain = await _domain(connection, business, number, host=host, curation=curation, mark=mark)
    if number == 0:
        world.domain, world.domain_id = host, domain
    for kind in ("index", "standard"):
        sitemap = await _one(
            connection,
            tables.sitemap_files,
            domain_id=domain,
            host=host,
            url=f"https://{host}/sitemap-{kind}.xml",
            sitemap_type=kind,
            discovery_method="robots_txt",
            sitemap_curation_status=curation,
            url_count=pages,
            page_count=pages,
            sitemap_import_status="Complete",
            additional_json={"first_urls": [f"https://{host}/contact{mark}"], "guessed_types": {"about": 1}},
        )
        if number == 0:
            world.sitemap_id = sitemap
    await _pages(connection, world, domain, host, number=number, pages=pages, mark=mark)


async def _domain(
    connection: AsyncConnection, business: UUID, number: int, *, host: str, curation: str, mark: str
) -> UUID:
    is_failed = number % 6 == 5
    return await _one(
        connection,
        tables.domains,
        domain=host,
        host=host,
        sitemap_curation_status=curation,
        local_business_id=business,
        title=f"Bakery {number}: bread since 1952{mark}",
        description=f"Sourdough and rye{mark}",
        language="nl",
        status="error" if is_failed else "completed",
        error=f"connection refused{mark}" if is_failed else None,
        sitemap_analysis_status=None if is_failed else "submitted",
        total_sitemaps=2,
        is_wordpress=True,
        wordpress_version="6.8",
        tech_stack={f"WordPress{mark}": {"version": "6.8"}},
        created_by=USER,
    )


async def _pages(
    connection: AsyncConnection,
    world: ConsoleWorld,
    domain: UUID,
    host: str,
    *,
    number: int,
    pages: int,
    mark: str,
) -> None:
    for place in range(pages):
        page_type = TYPES[place % len(TYPES)]
        processing = PROCESSING[(place + number) % len(PROCESSING)]
        is_first = place == 0
        page = await _one(
            connection,
            tables.pages,
            domain_id=domain,
            host=host,
            url=f"https://{host}/{page_type}/{place}",
            title=f"{page_type.title()} of bakery {number}{mark}",
            page_type=page_type,
            priority_level=1 if place % 7 == 0 else 2 if place % 7 < 3 else 3,
            page_curation_status=CURATION[place % len(CURATION)],
            page_processing_status="Complete" if is_first else processing,
            page_processing_error=f"HTTP 500{mark}" if processing == "Error" and not is_first else None,
            contact_scrape_status="ContactFound" if is_first else "New",
            page_processing_finished_at=func.now() if is_first else None,
            credits_used=1 if is_first else 0,
            scraped_content=_content(host, mark) if is_first else None,
        )
        if is_first:
            contact = await _contact(connection, domain, page, host, number, mark)
            if number == 0:
                world.page_id, world.contact_id = page, contact
        elif processing == "Error" and number == 0:
            world.dead_letter_id = page


def _content(host: str, mark: str) -> dict[str, Any]:
    """What reading the contact page found, as it is stored with the page."""
    email = {"value": f"info@{host}", "quote": f"Write to info@{host}{mark}", "method": "mailto"}
    phone = {"value": "+3292234567", "quote": f"Call 09 223 45 67{mark}", "method": "tel"}
    return {
        "emails": [{**email, "confidence": 0.97}],
        "phones": [{**phone, "confidence": 0.97}],
        "addresses": [],
        "socials": [],
        "extraction_timestamp": "2026-11-17T10:00:00+00:00",
        "credits": 1,
    }


async def _contact(
    connection: AsyncConnection, domain: UUID, page: UUID, host: str, number: int, mark: str
) -> UUID:
    email, url = f"info@{host}", f"https://{host}/contact_root/0"
    contact = await _one(
        connection,
        tables.contacts,
        domain_id=domain,
        page_id=page,
        email=email,
        email_type="role",
        phone_number="+3292234567",
        name=f"Ada Peeters{mark}",
        job_title=f"Baker{mark}",
        address=f"Korenmarkt {number}, 9000 Gent{mark}",
        confidence=0.97,
        source_url=url,
        contact_curation_status=CURATION[number % len(CURATION)],
        email_validation_status="Complete",
        email_validation_result=("valid", "invalid", "unknown")[number % 3],
        email_validation_reason=f"mail servers found{mark}",
        last_seen_at=func.now(),
    )
    values = {"email": email, "phone": "+3292234567", "name": f"Ada Peeters{mark}"}
    for name, value in values.items():
        await connection.execute(
            insert(tables.sightings).values(
                tenant_id=TENANT,
                contact_id=contact,
                page_id=page,
                field=name,
                value=value,
                method="mailto",
                quote=f"Write to {value} for bread{mark}",
                confidence=0.97,
                extractor_version="1",
            )
        )
    return contact


async def _jobs(connection: AsyncConnection, world: ConsoleWorld, mark: str) -> int:
    numbers = []
    for status, percent in (("complete", 100), ("failed", 10), ("pending", 0)):
        query = insert(tables.jobs).values(
            tenant_id=TENANT,
            job_type="sitemap",
            status=status,
            host=world.domain,
            domain_id=world.domain_id,
            progress_percent=percent,
            progress_message=f"Checking /sitemap.xml{mark}",
            result_data={"domain": world.domain, "max_pages": 1000},
            error=f"no sitemap could be read{mark}" if status == "failed" else None,
            created_at=func.now() - timedelta(minutes=4),
            finished_at=func.now() - timedelta(minutes=3) if status in ("complete", "failed") else None,
            created_by=USER,
        )
        numbers.append((await connection.execute(query.returning(tables.jobs.c.id))).scalar_one())
    return int(numbers[-1])


async def _one(connection: AsyncConnection, table: Any, **values: Any) -> UUID:
    query = insert(table).values(tenant_id=TENANT, **values).returning(table.c.id)
    row_id: UUID = (await connection.execute(query)).scalar_one()
    return row_id


async def add_many_pages(engine: AsyncEngine, number: int) -> None:
    """Pages of one domain, by one statement."""
    async with engine.begin() as connection:
        domain = await _one(connection, tables.domains, domain="many.example", host="many.example")
        await connection.execute(
            text(
                "INSERT INTO pages (tenant_id, domain_id, host, url, page_type, priority_level)"
                " SELECT :tenant, :domain, 'many.example', 'https://many.example/' || n, 'blog', 3"
                " FROM generate_series(1, :number) AS n"
            ),
            {"tenant": TENANT, "domain": domain, "number": number},
        )
