"""A backup comes back as it was; what is not a whole backup of ours replaces nothing (D5, D6)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import stat
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from privacy_dump import places_of
from product import TENANT, WHO, add_job, add_pages, add_sitemaps
from scrapersky import tables
from scrapersky.actions.audit import record
from scrapersky.actions.contacts import create_contact, update_contact
from scrapersky.actions.privacy.erasure import read_person
from scrapersky.database import SUPPRESSION_LOG, make_engine, tenant_engine
from scrapersky.embedded import find_binaries
from scrapersky.errors import Conflict, StartupError
from scrapersky.processes.backups import back_up, restore
from scrapersky.queries.audit import AuditQuery
from scrapersky.settings import Settings
from scrapersky.stage_context.page_body_store import compress_body
from scrapersky.wiring import apply_suppression_log, build_eraser


async def content(db: AsyncEngine) -> dict[str, Any]:
    """A checksum of every table, row by row."""
    found = {}
    async with db.connect() as connection:
        for name, table in sorted(tables.metadata.tables.items()):
            checksum = func.sum(text(f"hashtextextended({name}::text, 0)"))
            query = select(func.count(), checksum).select_from(table)
            found[name] = tuple((await connection.execute(query)).one())
    return found


@pytest.fixture
def settings_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Settings]:
    """Settings with a data folder of their own, because a restore applies the suppressions logged there."""
    folder = str(tmp_path_factory.mktemp("data"))
    return lambda url: Settings(database_url=url, data_folder=folder)


@pytest.fixture
def settings(settings_of: Callable[[str], Settings], database_url: str) -> Settings:
    return settings_of(database_url)


@pytest.fixture
async def filled(db: AsyncEngine) -> AsyncEngine:
    """A database with something in it, in several states and scripts."""
    await add_job(db, "note", result_data={"text": '日本語 \' \\ "quoted"'})
    await add_job(db, status="failed", error="Ünïcödé\tand\nlines")
    await add_sitemaps(db, 20)
    await add_pages(db, 50, page_processing_status="Error", page_processing_error="HTTP 500")
    return db


async def test_d5_a_backup_comes_back_as_it_was(
    filled: AsyncEngine, settings: Settings, tmp_path: Path
) -> None:
    before = await content(filled)
    file = tmp_path / "sky.backup"
    size = await back_up(settings, file)
    assert size == file.stat().st_size > 10_000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]

    await add_pages(filled, 5)
    async with filled.begin() as connection:
        await connection.execute(text("DELETE FROM jobs"))
    await filled.dispose()
    await restore(settings, file)

    assert await content(filled) == before
    number = await add_job(filled)
    assert number > 2, "the numbers go on where they were"


async def test_d12_who_was_erased_after_a_backup_stays_erased_when_it_is_restored(
    db: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    """The log outside the dump is applied before the restore ends: to contacts, pages, notes, anything.

    It holds hashes only; whom they mean is learnt from the restored texts.
    """
    settings = Settings(database_url=database_url, data_folder=str(tmp_path / "data"))
    engine = make_engine(settings, database_url)
    for name in ("anna", "bob"):
        contact = await create_contact(engine, WHO, "firma.de", {"email": f"{name}@firma.de"})
    # The numbers stand nowhere with their country.
    notes = (
        "Ask anna@firma.de first, at 10115 030 / 90 18 20, 0430901821 or tel 39 06 698 12345; order 901822"
    )
    await update_contact(engine, WHO, contact["id"], {"notes": notes})
    page = {"domain_id": contact["domain_id"], "host": "firma.de", "url": "https://firma.de/team"}
    async with engine.begin() as connection:
        stored = insert(tables.pages).values(tenant_id=WHO.tenant_id, **page).returning(tables.pages.c.id)
        body = {
            "page_id": await connection.scalar(stored),
            "body": compress_body(b"<p>anna&#64;firma.de</p>"),
            "content_hash": bytes(32),
            "final_url": page["url"],
            "status_code": 200,
            "size_bytes": 1,
        }
        await connection.execute(insert(tables.page_bodies).values(tenant_id=WHO.tenant_id, **body))
        hidden = {"job_type": "x", "result_data": {"seen": b64encode(b"anna@firma.de").decode()}}
        await connection.execute(insert(tables.jobs).values(tenant_id=WHO.tenant_id, **hidden))
    assert len(await places_of(engine, "anna@firma.de")) >= 4
    file = tmp_path / "older.backup"
    await back_up(settings, file)
    person = read_person(["anna@firma.de", "+49 30 901820", "+49 4309 01821", "+39 06 69812345"])
    report = await build_eraser(settings, engine).erase(WHO, person, "asked by letter")
    assert report["contacts"] == 1
    await engine.dispose()
    await db.dispose()

    await restore(settings, file)

    async with engine.connect() as connection:
        emails = await connection.scalars(select(tables.contacts.c.email))
        assert list(emails) == ["bob@firma.de"]
        suppressed = select(tables.suppressions.c.is_applied, tables.suppressions.c.is_erased)
        assert set(await connection.execute(suppressed)) == {(True, True)}
        notes = str(await connection.scalar(select(tables.contacts.c.notes)))
    assert await places_of(engine, "anna@firma.de") == set()
    assert not [number for number in ("90 18 20", "0901821", "12345") if number in notes], notes
    assert "order 901822" in notes
    log = (tmp_path / "data" / SUPPRESSION_LOG).read_text()
    assert "anna" not in log
    await apply_suppression_log(settings, engine)
    assert (tmp_path / "data" / SUPPRESSION_LOG).read_text() == log, "a second start erases nobody again"
    with pytest.raises(Conflict):
        await create_contact(engine, WHO, "firma.de", {"email": "Anna+news@firma.de"})
    await engine.dispose()


async def test_a_backup_is_restored_into_an_empty_database(
    filled: AsyncEngine, settings_of: Callable[[str], Settings], settings: Settings,
    empty_database_url: str, tmp_path: Path,
) -> None:  # fmt: skip
    before = await content(filled)
    file = tmp_path / "sky.backup"
    await back_up(settings, file)

    await restore(settings_of(empty_database_url), file)

    other = create_async_engine(empty_database_url)
    assert await content(other) == before
    await other.dispose()


async def test_an_owner_who_is_no_superuser_backs_up_and_restores(
    plain_database_url: str, empty_database_url: str, tmp_path: Path,
    settings_of: Callable[[str], Settings],
) -> None:  # fmt: skip
    """Also into a database of an owner of another name, whose policies then name that one."""
    plain = create_async_engine(plain_database_url)
    await add_pages(plain, 30)
    async with plain.begin() as connection:
        await record(connection, WHO, "page.create", after={"number": 30})
    before = await content(plain)
    file = tmp_path / "sky.backup"
    await back_up(settings_of(plain_database_url), file)
    await add_pages(plain, 5)
    await plain.dispose()
    for url in (plain_database_url, empty_database_url):
        await restore(settings_of(url), file)
        restored = create_async_engine(url)
        assert await content(restored) == before
        confined = tenant_engine(restored, TENANT)
        assert (await AuditQuery(confined, TENANT).verify()).is_intact
        async with confined.connect() as connection:
            assert await connection.scalar(select(func.count()).select_from(tables.pages)) == 30
            owners = "SELECT DISTINCT roles::text[] FROM pg_policies WHERE policyname = 'owner'"
            assert (await connection.scalars(text(owners))).all() == [[make_url(url).username]]
        await restored.dispose()


async def test_who_does_not_see_every_row_makes_no_backup(plain_database_url: str, tmp_path: Path) -> None:
    plain = create_async_engine(plain_database_url)
    async with plain.begin() as connection:
        await connection.execute(text("DROP POLICY owner ON contacts"))
    await plain.dispose()
    with pytest.raises(StartupError, match="contacts"):
        await back_up(Settings(database_url=plain_database_url), tmp_path / "sky.backup")
    assert list(tmp_path.iterdir()) == []


async def test_d6_a_damaged_backup_replaces_nothing(
    filled: AsyncEngine, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "sky.backup"
    await back_up(settings, file)
    whole = file.read_bytes()
    before = await content(filled)
    chance = random.Random(20261115)
    cuts = [whole[: chance.randrange(len(whole))] for _ in range(20)]
    flips = [bytearray(whole) for _ in range(40)]
    for flipped in flips:
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    others = [b"", b"\x00" * 5_000, whole + b"x", whole[1:], b"PGDMP", whole * 2]

    for bad in [*cuts, *map(bytes, flips), *others]:
        file.write_bytes(bad)
        with pytest.raises(StartupError) as caught:
            await restore(settings, file)
        assert "\n" not in str(caught.value)

    assert await content(filled) == before


async def test_d6_a_foreign_dump_replaces_nothing(
    filled: AsyncEngine, settings: Settings, empty_database_url: str, tmp_path: Path
) -> None:
    before = await content(filled)
    foreign = tmp_path / "foreign.dump"
    url = make_url(empty_database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    command = [find_binaries() / "pg_dump", "-Fc", "-f", foreign, "-d", url]
    await asyncio.to_thread(subprocess.run, command, check=True)

    with pytest.raises(StartupError, match="is not a complete backup made by"):
        await restore(settings, foreign)

    assert await content(filled) == before


async def test_d5_a_newer_backup_replaces_nothing(
    filled: AsyncEngine, settings: Settings, tmp_path: Path
) -> None:
    async with filled.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999_later'"))
    file = tmp_path / "sky.backup"
    await back_up(settings, file)
    async with filled.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '0001_initial'"))
    before = await content(filled)

    with pytest.raises(StartupError, match="newer version"):
        await restore(settings, file)

    assert await content(filled) == before


async def test_a_backup_that_cannot_be_written_leaves_the_last_one_alone(
    settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "sky.backup"
    file.write_bytes(b"the last one")
    away = Settings(database_url="postgresql://nobody:hunter2-hunter2@127.0.0.1:9/none")

    with pytest.raises(StartupError) as caught:
        await back_up(away, file, force=True)

    assert "hunter2" not in str(caught.value)
    assert file.read_bytes() == b"the last one"
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(StartupError, match="cannot be written: No such file or directory"):
        await back_up(settings, tmp_path / "nowhere" / "sky.backup")


async def test_a_backup_never_writes_to_what_stands_at_its_name(settings: Settings, tmp_path: Path) -> None:
    """Neither a file nor the target of a link is touched; `--force` replaces the name alone."""
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    (tmp_path / "file").write_bytes(b"the last one")
    (tmp_path / "file").chmod(0o644)
    (tmp_path / "link").symlink_to(precious)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    before = sorted(tmp_path.iterdir())

    for name in ("file", "link", "dangling"):
        with pytest.raises(StartupError, match="already exists; use --force to replace it"):
            await back_up(settings, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_bytes() == b"the last one"

    for name in ("file", "link", "dangling"):
        await back_up(settings, tmp_path / name, force=True)
        made = (tmp_path / name).lstat()
        assert (stat.S_ISREG(made.st_mode), stat.S_IMODE(made.st_mode)) == (True, 0o600)
    assert precious.read_bytes() == b"precious"
    assert sorted(tmp_path.iterdir()) == before

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StartupError, match="is not a regular file"):
        await back_up(settings, tmp_path / "pipe", force=True)


async def test_a_backup_that_appears_meanwhile_is_kept(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sky.backup"
    monkeypatch.setattr(
        "scrapersky.processes.backups._seal", lambda stream: file.write_bytes(b"somebody else's")
    )

    with pytest.raises(StartupError, match="already exists"):
        await back_up(settings, file)

    assert file.read_bytes() == b"somebody else's"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.timed
async def test_pg_restore_ends_with_the_command_that_started_it(
    filled: AsyncEngine, settings: Settings, database_url: str, tmp_path: Path, start: Callable[..., Any]
) -> None:
    file = tmp_path / "sky.backup"
    await back_up(settings, file)
    before = await content(filled)
    async with filled.connect() as connection:
        # It waits for this lock as long as it lives.
        await connection.execute(text("LOCK TABLE jobs IN ACCESS SHARE MODE"))
        program = start("db", "restore", "--yes", str(file), DATABASE_URL=database_url)
        restoring = await asyncio.to_thread(_pg_restore_of, program.process.pid)
        await asyncio.sleep(0.5)
        program.process.kill()
        program.process.wait()
        deadline = time.monotonic() + 20
        while Path(f"/proc/{restoring}").exists():
            assert time.monotonic() < deadline, "pg_restore outlived its parent"
            await asyncio.sleep(0.05)

    assert await content(filled) == before


def _pg_restore_of(parent: int) -> int:
    """The process that writes to the database, not the short one that looks at the revision."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for number in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            with contextlib.suppress(OSError):
                if b"--single-transaction" in Path(f"/proc/{number}/cmdline").read_bytes():
                    return int(number)
        time.sleep(0.05)
    raise AssertionError("pg_restore did not start")
