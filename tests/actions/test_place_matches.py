"""The same business in several sources: linked, kept apart or left to people, measured against the truth."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.place_matches import decide_match, match_places, reset_match
from scrapersky.destinations import SkippedDelivery
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Snooze
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.exports import ExportQuery, list_export
from scrapersky.queries.places.matches import PlaceMatchQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.stage_context.delivery_payloads import DeliveryPayloads

PLACES, MATCHES, IDENTITIES = tables.places_staging, tables.place_matches, tables.place_identities
FIRST = (
    "Adler Birke Corona Delphin Eiche Falke Gloria Harmonie Iris Juwel Krone Linde Merkur Nixe Palme Quelle"
)
SECOND = (
    "Altmann Brandner Czerny Dorfmeister Eberlein Fechner Gruber Hartmann Immel Jansen Kowalski Lorenz Moser"
)
FIRST_NAMES, SECOND_NAMES = FIRST.split(), SECOND.split()


@dataclass
class Listed:
    """A place of a source; `truth` says which business it is."""

    truth: str
    values: dict[str, Any]


def moved(random_: random.Random, metres: float) -> tuple[float, float]:
    angle = random_.uniform(0, 2 * math.pi)
    return metres * math.cos(angle) / 111_320, metres * math.sin(angle) / 68_000


def world(seed: int) -> list[Listed]:
    """200 businesses in Berlin by two sources, with every variant that makes matching hard."""
    chance = random.Random(seed)
    listed: list[Listed] = []

    def add(truth: str, source: str, name: str, where: tuple[float, float], **values: Any) -> None:
        row = {"source": source, "name": name, "latitude": where[0], "longitude": where[1], **values}
        listed.append(Listed(truth, {"search_query": "dentist", "business_type": "dentist", **row}))

    def somewhere() -> tuple[float, float]:
        return 52.45 + chance.random() * 0.15, 13.25 + chance.random() * 0.25

    def near(where: tuple[float, float], metres: float) -> tuple[float, float]:
        north, east = moved(chance, metres)
        return where[0] + north, where[1] + east

    for number in range(120):
        name = f"{chance.choice(FIRST_NAMES)} {chance.choice(SECOND_NAMES)} {number}"
        where, phone, site = somewhere(), f"+4930{2000000 + number}", f"https://b{number}-shop.de/"
        other = {
            0: f"{name} GmbH",
            1: f"Zahnarztpraxis {name}",
            2: name.replace("Adler", "Adl.").upper(),
            3: f"{name.split()[0][0]}. {' '.join(name.split()[1:])}",
        }[number % 4]
        has_phone, has_site = chance.random() < 0.7, chance.random() < 0.7
        first = {"phone": phone if has_phone or number % 3 else None, "website_url": site}
        second = {"phone": phone if has_phone else None, "website_url": site if has_site else None}
        pin = 400.0 if number % 10 == 0 else chance.uniform(0, 60)
        add(f"b{number}", "google_places", name, where, **first)
        add(f"b{number}", "overture", other, near(where, pin), **second)
    # Two practices behind one switchboard: each is in both sources.
    for number in range(10):
        where, phone = somewhere(), f"+4930{3000000 + number}"
        for name in (f"Kanzlei {SECOND_NAMES[number]}", f"Physio {FIRST_NAMES[number]}"):
            for source in ("google_places", "overture"):
                add(f"{name}-{number}", source, name, near(where, chance.uniform(0, 15)), phone=phone)
    # A chain with many branches, and franchises that share one domain; phones are known to one source only.
    for number in range(40):
        name, site = (
            ("Zahnheld", "https://zahnheld.de/") if number % 2 else ("Smile Point", "https://smile-point.de/")
        )
        where = (52.45 + 0.004 * (number // 2), 13.25 + 0.007 * (number % 5))
        add(
            f"chain{number}", "google_places", name, where, website_url=site, phone=f"+4930{4000000 + number}"
        )
        if number % 4 < 3:
            phone = f"+4930{4000000 + number}" if number % 3 == 0 else None
            there = near(where, chance.uniform(0, 20))
            add(f"chain{number}", "overture", f"{name} Zahnarzt", there, website_url=site, phone=phone)
    return listed


async def store(db: AsyncEngine, listed: list[Listed]) -> dict[uuid.UUID, str]:
    truth = {uuid.uuid4(): place.truth for place in listed}
    rows = [
        {
            "phone": None,
            "website_url": None,
            **place.values,
            "id": row_id,
            "tenant_id": TENANT,
            "place_id": str(row_id),
        }
        for row_id, place in zip(truth, listed, strict=True)
    ]
    async with db.begin() as connection:
        await connection.execute(insert(PLACES), rows)
    return truth


async def pairs(db: AsyncEngine, verdict: str) -> list[tuple[uuid.UUID, uuid.UUID]]:
    async with db.connect() as connection:
        query = select(MATCHES.c.place_a, MATCHES.c.place_b).where(MATCHES.c.verdict == verdict)
        return [tuple(row) for row in await connection.execute(query)]


@pytest.mark.parametrize("seed", [1, 2])
async def test_precision_and_recall_against_the_truth(db: AsyncEngine, seed: int) -> None:
    truth = await store(db, world(seed))
    await match_places(db)
    assert await match_places(db) == 0, "nothing is compared again and again"
    by_truth: dict[str, list[uuid.UUID]] = {}
    for row_id, business in truth.items():
        by_truth.setdefault(business, []).append(row_id)
    wanted = {tuple(sorted(ids)) for ids in by_truth.values() if len(ids) == 2}
    linked = {tuple(sorted(pair)) for pair in await pairs(db, "same")}
    asked = {tuple(sorted(pair)) for pair in await pairs(db, "unsure")}
    precision = len(linked & wanted) / len(linked)
    recall, with_people = len(linked & wanted) / len(wanted), len((linked | asked) & wanted) / len(wanted)
    assert precision >= 0.99
    assert recall >= 0.9
    assert with_people >= 0.95
    assert len(asked) <= 0.05 * len(wanted), "people have better things to do"


def place(source: str, name: str = "Linde Moser", **values: Any) -> Listed:
    known = {"source": source, "name": name, "latitude": 52.5, "longitude": 13.4, "business_type": "dentist"}
    return Listed(name, {**known, **values})


async def same_as(db: AsyncEngine) -> dict[uuid.UUID, uuid.UUID | None]:
    async with db.connect() as connection:
        rows = await connection.execute(select(IDENTITIES.c.place_row_id, IDENTITIES.c.same_as))
        return {row.place_row_id: row.same_as for row in rows}


async def test_people_decide_the_grey_zone_and_are_never_overruled(db: AsyncEngine) -> None:
    # The same name 60 m away and nothing else: neither clear nor absurd.
    await store(db, [place("google_places"), place("overture", latitude=52.50054)])
    await match_places(db)
    [match] = await PlaceMatchQuery(db, TENANT).page(verdict="unsure")
    assert match["evidence"]["distance"]["why"] == "60 m"
    assert set((await same_as(db)).values()) == {None}

    await decide_match(db, WHO, match["id"], "same")
    assert len([one for one in (await same_as(db)).values() if one]) == 1
    # Later both get the phones of different businesses; the person still knows better.
    async with db.begin() as connection:
        for source, phone in (("google_places", "+4930111111"), ("overture", "+4930222222")):
            here = PLACES.c.source == source
            await connection.execute(update(PLACES).where(here).values(phone=phone, name=f"Name {source}"))
    assert await match_places(db) == 2
    shown = await PlaceMatchQuery(db, TENANT).show(match["id"])
    assert shown["verdict"] == "same"
    assert shown["decided_by"] == WHO.user_id
    assert len([one for one in (await same_as(db)).values() if one]) == 1

    await decide_match(db, WHO, match["id"], "different")
    assert set((await same_as(db)).values()) == {None}, "a link is taken back"
    await reset_match(db, WHO, match["id"])
    assert (await PlaceMatchQuery(db, TENANT).show(match["id"]))["verdict"] == "unsure"
    async with db.connect() as connection:
        actions = (await connection.scalars(select(tables.audit_log.c.action))).all()
        assert await connection.scalar(select(func.count()).select_from(PLACES)) == 2, "nothing is deleted"
    assert sorted(actions) == ["match.decide", "match.decide", "match.reset"]


async def test_a_pair_that_a_person_keeps_apart_stays_apart_in_a_group(db: AsyncEngine) -> None:
    phone = {"phone": "+4930123456"}
    await store(db, [place("google_places", **phone), place("overture", **phone), place("osm", **phone)])
    await match_places(db)
    assert await pairs(db, "unsure") == []
    assert len({one or key for key, one in (await same_as(db)).items()}) == 1
    [match, *_] = await PlaceMatchQuery(db, TENANT).page(verdict="same")
    await decide_match(db, WHO, match["id"], "different")
    groups = {key: one or key for key, one in (await same_as(db)).items()}
    assert groups[match["place_a"]["id"]] != groups[match["place_b"]["id"]]
    assert len(set(groups.values())) == 2
    async with db.begin() as connection:
        await connection.execute(update(PLACES).values(website_url="https://linde-moser.de"))
    await match_places(db)
    assert (await PlaceMatchQuery(db, TENANT).show(match["id"]))["verdict"] == "different"


async def test_two_places_of_one_source_are_never_joined_by_a_third(db: AsyncEngine) -> None:
    phone = {"phone": "+4930123456"}
    await store(db, [place("google_places", **phone), place("google_places", **phone), place("osm", **phone)])
    await match_places(db)
    assert len({one or key for key, one in (await same_as(db)).items()}) == 2
    assert len(await pairs(db, "unsure")) == 1


async def test_a_phone_that_turns_out_to_be_shared_counts_less_from_then_on(db: AsyncEngine) -> None:
    phone = {"phone": "+4930123456"}
    await store(
        db, [place("google_places", "Linde Moser", **phone), place("osm", "Linde Moser GmbH", **phone)]
    )
    await match_places(db)
    before = (await PlaceMatchQuery(db, TENANT).page())[0]["log_odds"]
    await store(db, [place("google_places", "Quelle Riedel", **phone)])
    await match_places(db)
    [match] = [row for row in await PlaceMatchQuery(db, TENANT).page() if "Quelle" not in str(row)]
    assert match["log_odds"] == before - 4
    assert match["evidence"]["phone"]["why"] == "the same, but others have it too"


async def add_businesses(db: AsyncEngine, places: Sequence[uuid.UUID], domains: Sequence[str]) -> None:
    """A business for each place, with its domain."""
    async with db.begin() as connection:
        for row_id, domain in zip(places, domains, strict=True):
            business = {
                "id": uuid.uuid4(),
                "tenant_id": TENANT,
                "place_row_id": row_id,
                "place_id": str(row_id),
            }
            await connection.execute(
                insert(tables.local_businesses).values({**business, "business_name": "Linde Moser"})
            )
            here = tables.domains.c.domain == domain
            linked = update(tables.domains).where(here).values(local_business_id=business["id"])
            await connection.execute(linked)


async def test_a_contact_of_linked_listings_is_delivered_once(db: AsyncEngine) -> None:
    domains = ("linde.example", "linde.test")
    site = {"phone": "+4930123456"}
    places = await store(db, [place("google_places", **site), place("overture", **site)])
    contacts = [await add_contact(db, domain, email="info@linde.example") for domain in domains]
    other = await add_contact(db, domains[1], email="only@linde.example")
    await add_businesses(db, places, domains)
    await match_places(db)
    row = {"tenant_id": TENANT, "destination_id": uuid.uuid4()}
    destination = {"id": row["destination_id"], "tenant_id": TENANT, "name": "List", "kind": "csv"}
    deliveries = [{**row, "id": uuid.uuid4(), "contact_id": one} for one in (*contacts, other)]
    deliveries.sort(key=lambda delivery: delivery["id"])
    async with db.begin() as connection:
        await connection.execute(insert(tables.destinations).values(destination))
        await connection.execute(insert(tables.deliveries), deliveries)
    first, second = (one for one in deliveries if one["contact_id"] in contacts)

    async def load(delivery: dict[str, Any]) -> Any:
        ids = delivery["id"], delivery["contact_id"], delivery["destination_id"]
        return await DeliveryPayloads(Database(db)).load(TENANT, *ids)

    assert (await load(first)).contact["email"] == "info@linde.example"
    with pytest.raises(Snooze, match="linked listing"):
        await load(second)
    # The first one fails, such as that of a contact that was rejected since: the second one is needed.
    async with db.begin() as connection:
        await connection.execute(delete(tables.deliveries).where(tables.deliveries.c.id == first["id"]))
        await connection.execute(
            insert(tables.deliveries).values({**first, "status": "Error", "error": "no"})
        )
    assert (await load(second)).contact["email"] == "info@linde.example"
    async with db.begin() as connection:
        sent = update(tables.deliveries).where(tables.deliveries.c.id == first["id"])
        await connection.execute(sent.values(external_id="1"))
    skipped = await load(second)
    assert isinstance(skipped, SkippedDelivery)
    assert "linked listing" in skipped.reason
    [alone] = [one for one in deliveries if one["contact_id"] == other]
    assert (await load(alone)).contact["email"] == "only@linde.example"


async def test_linked_businesses_are_exported_once_and_so_are_their_contacts(db: AsyncEngine) -> None:
    site = {"phone": "+4930123456"}
    truth = await store(db, [place("google_places", **site), place("overture", **site)])
    contacts = [
        await add_contact(db, domain, email="info@linde.example")
        for domain in ("linde.example", "linde.test")
    ]
    await add_contact(db, "linde.test", email="only@linde.example")
    await add_businesses(db, truth, ("linde.example", "linde.test"))
    assert await exported(db) == (2, 2, 3)
    await match_places(db)
    assert await exported(db) == (1, 1, 2)
    emails = [row["email"] async for row in ContactQuery(db).stream(TENANT)]
    assert sorted(emails) == ["info@linde.example", "only@linde.example"]
    [match] = await PlaceMatchQuery(db, TENANT).page()
    await decide_match(db, WHO, match["id"], "different")
    assert await exported(db) == (2, 2, 3)
    assert len(contacts) == 2


async def test_a_contact_is_exported_although_its_earlier_twin_is_left_out(db: AsyncEngine) -> None:
    """The twin is rejected, or does not match the filters: then it does not stand for the other one."""
    domains = ("linde.example", "linde.test")
    site = {"phone": "+4930123456"}
    truth = await store(db, [place("google_places", **site), place("overture", **site)])
    twins = [await add_contact(db, domain, email="info@linde.example") for domain in domains]
    await add_businesses(db, truth, domains)
    await match_places(db)
    contacts = tables.contacts

    async def files(**params: Any) -> list[Any]:
        export = list_export(db, ENTITIES["contact"], TENANT, Filters(**params))
        return [row["id"] async for chunk in ExportQuery(db).chunks(export) for row in chunk]

    for domain, twin in zip(domains, twins, strict=True):
        assert await files(domain=domain) == [twin]
    [first] = await files()
    [second] = set(twins) - {first}
    async with db.begin() as connection:
        failed = update(contacts).where(contacts.c.id == second)
        await connection.execute(failed.values(email_validation_error="no mail server"))
    assert await files(error="MAIL") == [second]
    async with db.begin() as connection:
        rejected = update(contacts).where(contacts.c.id == first)
        await connection.execute(rejected.values(contact_curation_status="Rejected"))
    assert await files() == [second]
    assert [row["id"] async for row in ContactQuery(db).stream(TENANT)] == [second]


async def exported(db: AsyncEngine) -> tuple[int, ...]:
    """How many places, businesses and contacts an export has."""
    numbers = []
    for name in ("place", "business", "contact"):
        export = list_export(db, ENTITIES[name], TENANT, Filters())
        numbers.append(await ExportQuery(db).count(export))
    return tuple(numbers)


async def test_bad_decisions_are_refused(db: AsyncEngine) -> None:
    with pytest.raises(NotFound):
        await decide_match(db, WHO, uuid.uuid4(), "same")
    with pytest.raises(InvalidInput):
        await decide_match(db, WHO, uuid.uuid4(), "perhaps")
