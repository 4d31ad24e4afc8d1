"""Migrations: from nothing, by four at once, under another's lock, and never onto a newer schema."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky import tables
from scrapersky.errors import StartupError
from scrapersky.settings import Settings
from scrapersky.tables.migrate import (
    alembic_config,
    migrate,
    migrations_folder,
    refuse_old_server,
    require_schema,
    schema_state,
)

SYSTEM_USER = Settings.model_fields["scheduler_system_user_id"].default

# Rules of Squawk that we do not follow, each with its reason.
WAIVERS = {
    "prefer-bigint-over-int": "Counters and seconds far below two thousand million; hot rows stay narrow.",
    "prefer-bigint-over-smallint": "Status codes, years, percents and priorities have natural bounds.",
}


async def test_an_empty_database_becomes_ours(empty_database_url: str) -> None:
    before = await schema_state(empty_database_url)
    after = await migrate(empty_database_url)
    assert before.current is None
    assert not before.up_to_date
    assert after.up_to_date
    assert after.current == after.head == "0001_initial"
    assert await migrate(empty_database_url) == after


async def test_a29_four_processes_migrate_at_once(empty_database_url: str) -> None:
    script = """import asyncio, sys
from scrapersky.tables.migrate import migrate
asyncio.run(migrate(sys.argv[1]))"""
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, empty_database_url, stderr=asyncio.subprocess.PIPE
        )
        for _ in range(4)
    ]
    ended = [(await process.communicate())[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0, 0], ended
    assert (await schema_state(empty_database_url)).up_to_date


@pytest.mark.req("R186", "R187")
async def test_the_system_user_of_the_setting_is_made(empty_database_url: str) -> None:
    chosen, tenant = uuid4(), uuid4()
    await migrate(empty_database_url, system_user_id=chosen, tenant_id=tenant)
    await require_schema(empty_database_url, system_user_id=chosen)
    engine = create_async_engine(empty_database_url)
    async with engine.connect() as connection:
        users = {user.role: user for user in await connection.execute(select(tables.users))}
    await engine.dispose()
    assert (users["system"].id, users["system"].tenant_id) == (chosen, tenant)
    assert (users["admin"].name, users["admin"].tenant_id) == ("local", tenant)
    assert users["admin"].password_hash is None, "there is no default password"


@pytest.mark.req("R187")
async def test_a_changed_system_user_is_made_by_the_next_migration(database_url: str) -> None:
    chosen = uuid4()
    with pytest.raises(StartupError, match=r"SCHEDULER_SYSTEM_USER_ID is .* run `scrapersky db migrate`"):
        await require_schema(database_url, system_user_id=chosen)
    await migrate(database_url, system_user_id=chosen, tenant_id=uuid4())
    await require_schema(database_url, system_user_id=chosen)
    engine = create_async_engine(database_url)
    async with engine.connect() as connection:
        assert len((await connection.execute(select(tables.tenants.c.id))).all()) == 2
    await engine.dispose()


async def test_a_newer_schema_than_the_code_stops_the_start(database_url: str) -> None:
    engine = create_async_engine(database_url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999_from_the_future'"))
    await engine.dispose()
    assert (await schema_state(database_url)).newer_than_code
    for call in (migrate(database_url), require_schema(database_url, system_user_id=SYSTEM_USER)):
        with pytest.raises(StartupError, match="9999_from_the_future") as caught:
            await call
        assert "\n" not in str(caught.value)


async def test_a_database_of_an_incompatible_development_version_stops_the_start(database_url: str) -> None:
    """One line that names the backup and a new data folder; nothing is changed."""
    engine = create_async_engine(database_url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '0001_start'"))
    for call in (migrate(database_url), require_schema(database_url, system_user_id=SYSTEM_USER)):
        with pytest.raises(StartupError, match="earlier, incompatible development version") as caught:
            await call
        assert "\n" not in str(caught.value)
        assert "db backup" in str(caught.value)
        assert "DATA_FOLDER" in str(caught.value)
    async with engine.connect() as connection:
        assert (await connection.scalar(text("SELECT version_num FROM alembic_version"))) == "0001_start"
    await engine.dispose()


async def test_an_older_schema_than_the_code_stops_the_start(empty_database_url: str) -> None:
    with pytest.raises(StartupError, match="db migrate"):
        await require_schema(empty_database_url, system_user_id=SYSTEM_USER)


async def test_tables_of_another_program_are_left_alone(empty_database_url: str) -> None:
    """SET-05: the database of something else."""
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        for name in ("domains", "jobs", "pages", "users", "unrelated"):
            await connection.execute(text(f"CREATE TABLE {name} (theirs int)"))
    with pytest.raises(StartupError) as refused:
        await migrate(empty_database_url)
    assert "did not create (domains, jobs, pages and others)" in str(refused.value)
    assert (await schema_state(empty_database_url)).current is None
    async with engine.begin() as connection:
        assert (await connection.execute(text("SELECT theirs FROM domains"))).all() == []
        for name in ("domains", "jobs", "pages", "users"):
            await connection.execute(text(f"DROP TABLE {name}"))
    await engine.dispose()
    assert (await migrate(empty_database_url)).up_to_date


async def test_a_failed_migration_leaves_nothing_behind(empty_database_url: str) -> None:
    """D4: everything happens in one transaction, so the rerun starts from nothing."""
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TYPE zombies AS (in_the_way int)"))
    with pytest.raises(Exception, match="already exists"):
        await migrate(empty_database_url)
    async with engine.begin() as connection:
        names = (
            await connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
        ).all()
        assert names == []
        await connection.execute(text("DROP TYPE zombies"))
    await engine.dispose()
    assert (await migrate(empty_database_url)).up_to_date


@pytest.mark.reliability
async def test_a_lock_of_somebody_else_is_waited_for_in_short_tries(empty_database_url: str) -> None:
    """D2: the migration gives up its place after five seconds and tries again; nobody queues behind it."""
    engine = create_async_engine(empty_database_url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)"))
    async with engine.begin() as connection:
        await connection.execute(text("LOCK TABLE alembic_version IN SHARE MODE"))
        migrating = asyncio.create_task(migrate(empty_database_url))
        await asyncio.sleep(7)
        assert not migrating.done()
    assert (await migrating).up_to_date
    await engine.dispose()


def test_missing_migrations_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("scrapersky.tables.migrate.__file__", str(tmp_path / "migrate.py"))
    with pytest.raises(StartupError, match="migrations are missing"):
        migrations_folder()


def written_sql() -> str:
    written = io.StringIO()
    config = alembic_config()
    config.output_buffer = written
    command.upgrade(config, "head", sql=True)
    return written.getvalue()


def test_d1_squawk_has_nothing_to_say_that_is_not_waived(tmp_path: Path) -> None:
    squawk = Path(sys.executable).with_name("squawk")
    if not squawk.exists() and not shutil.which("squawk"):
        pytest.skip("squawk-cli is not installed")
    script = tmp_path / "all.sql"
    script.write_text(written_sql())
    exclude = [f"--exclude={rule}" for rule in WAIVERS]
    told = subprocess.run(
        [str(squawk), "--reporter=json", *exclude, str(script)], capture_output=True, text=True, check=False
    )
    lines = script.read_text().splitlines()
    # Alembic makes its own table as it likes.
    found = [issue for issue in json.loads(told.stdout or "[]") if "version_num" not in lines[issue["line"]]]
    assert [(issue["rule_name"], lines[issue["line"]]) for issue in found] == []


def test_d1_squawk_would_notice_a_dangerous_statement(tmp_path: Path) -> None:
    squawk = Path(sys.executable).with_name("squawk")
    if not squawk.exists():
        pytest.skip("squawk-cli is not installed")
    script = tmp_path / "bad.sql"
    script.write_text("ALTER TABLE pages ADD CONSTRAINT c UNIQUE (h1);\n")
    told = subprocess.run(
        [str(squawk), "--reporter=json", str(script)], capture_output=True, text=True, check=False
    )
    assert "disallowed-unique-constraint" in told.stdout


def test_migrations_wait_only_shortly_for_locks() -> None:
    assert "SET LOCAL lock_timeout = '5s'" in written_sql()


@pytest.mark.parametrize("version", [(9, 6), (12, 22), (13, 18)])
def test_an_old_server_is_refused_in_one_line(version: tuple[int, ...]) -> None:
    with pytest.raises(StartupError, match="is too old: use 14 or newer"):
        refuse_old_server(version)


def test_a_server_that_is_new_enough_is_not_refused() -> None:
    refuse_old_server((14, 0))
    refuse_old_server((18, 1))
