"""An original ScraperSky database, opened for reading only.

Every row comes as JSON, so that its enum types, naive times and missing columns need no model of ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from scrapersky.database import read_only_connection
from scrapersky.engine.database import is_transient
from scrapersky.engine.outcome import Discard
from scrapersky.errors import ScraperSkyError

# What makes a database an original one, by table.
REQUIRED = {
    "place_searches": ("id", "location", "business_type"),
    "places_staging": ("id", "place_id", "name"),
    "local_businesses": ("id", "place_id", "business_name"),
    "domains": ("id", "domain"),
    "jobs": ("id", "job_id", "job_type", "status"),
    "sitemap_files": ("id", "domain_id", "url"),
    "pages": ("id", "domain_id", "url"),
    "contacts": ("id", "domain_id", "email"),
}
OPTIONAL = {"batch_jobs": ("id", "batch_id"), "sitemap_urls": ("id", "sitemap_id", "url")}
# Only this program has it.
OUR_OWN = "contact_tombstones"

COLUMNS = """
SELECT c.relname AS name, array_agg(a.attname::text) AS columns,
       has_table_privilege(c.oid, 'SELECT') AS is_readable
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1::text[]) GROUP BY c.oid, c.relname"""

COUNTS = {
    "place_searches": "SELECT count(*) FROM public.place_searches",
    "places_staging": "SELECT count(*) FROM public.places_staging",
    "local_businesses": "SELECT count(*) FROM public.local_businesses",
    "domains": "SELECT count(*) FROM public.domains",
    "jobs": "SELECT count(*) FROM public.jobs",
    "batch_jobs": "SELECT count(*) FROM public.batch_jobs",
    "sitemap_files": "SELECT count(*) FROM public.sitemap_files",
    "pages": "SELECT count(*) FROM public.pages",
    "sitemap_urls": "SELECT count(*) FROM public.sitemap_urls",
    "contacts": "SELECT count(*) FROM public.contacts",
}
# In the order in which rows refer to each other. `_domain` and the like are what ids refer to, by name.
ROWS = {
    "place_searches": """SELECT to_jsonb(t) FROM public.place_searches t
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "places_staging": """SELECT to_jsonb(t) FROM public.places_staging t
WHERE $1::text IS NULL OR t.id > $1::text::bigint ORDER BY t.id LIMIT $2""",
    "local_businesses": """SELECT to_jsonb(t) FROM public.local_businesses t
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "domains": """SELECT to_jsonb(t) || jsonb_build_object('_place_id', b.place_id, '_business', b.id)
FROM public.domains t
LEFT JOIN public.local_businesses b ON b.id::text = to_jsonb(t) ->> 'local_business_id'
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "jobs": """SELECT to_jsonb(t) || jsonb_build_object('_domain', d.domain)
FROM public.jobs t LEFT JOIN public.domains d ON d.id::text = to_jsonb(t) ->> 'domain_id'
WHERE $1::text IS NULL OR t.id > $1::text::bigint ORDER BY t.id LIMIT $2""",
    "batch_jobs": """SELECT to_jsonb(t) FROM public.batch_jobs t
WHERE $1::text IS NULL OR t.id > $1::text::bigint ORDER BY t.id LIMIT $2""",
    "sitemap_files": """SELECT to_jsonb(t) || jsonb_build_object('_domain', d.domain)
FROM public.sitemap_files t LEFT JOIN public.domains d ON d.id = t.domain_id
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "pages": """SELECT to_jsonb(t) || jsonb_build_object('_domain', d.domain, '_sitemap', s.url)
FROM public.pages t LEFT JOIN public.domains d ON d.id = t.domain_id
LEFT JOIN public.sitemap_files s ON s.id::text = to_jsonb(t) ->> 'sitemap_file_id'
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "sitemap_urls": """SELECT to_jsonb(t) || jsonb_build_object('_domain', d.domain, '_sitemap', s.url)
FROM public.sitemap_urls t LEFT JOIN public.sitemap_files s ON s.id = t.sitemap_id
LEFT JOIN public.domains d ON d.id = s.domain_id
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
    "contacts": """SELECT to_jsonb(t) || jsonb_build_object('_domain', d.domain, '_page', p.url)
FROM public.contacts t LEFT JOIN public.domains d ON d.id = t.domain_id
LEFT JOIN public.pages p ON p.id::text = to_jsonb(t) ->> 'page_id'
WHERE $1::text IS NULL OR t.id > $1::text::uuid ORDER BY t.id LIMIT $2""",
}


class LegacyUnavailable(ScraperSkyError):
    """The legacy database is unavailable; tried again later."""

    exit_code = 6


class LegacyRefused(ScraperSkyError, Discard):
    """The legacy database cannot be read."""

    exit_code = 2


class LegacySource:
    """One original database; its address is a secret and appears in no message."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def counts(self) -> dict[str, int]:
        """The rows of each table that is there, after a check that this is a database we can read."""
        async with self._open() as connection:
            await _check(connection)
            known = {row["name"] for row in await connection.fetch(COLUMNS, list(OPTIONAL))}
            names = [name for name in ROWS if name in REQUIRED or name in known]
            return {name: int((await connection.fetch(COUNTS[name]))[0][0]) for name in names}

    async def rows(self, table: str, after: str | None, limit: int) -> list[dict[str, Any]]:
        """The next rows of a table in the order of their ids, by a cursor of the server."""
        async with self._open() as connection:
            cursor = connection.cursor(ROWS[table], after, limit, prefetch=limit)
            return [record[0] async for record in cursor]

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Any]:
        try:
            async with read_only_connection(self._url) as connection:
                yield connection
        except (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError):
            raise LegacyRefused("The legacy database refuses this user or password") from None
        except asyncpg.InvalidCatalogNameError:
            raise LegacyRefused("The server has no database of this name") from None
        except asyncpg.InsufficientPrivilegeError as error:
            raise LegacyRefused(f"The legacy database cannot be read: {error}") from None
        except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError) as error:
            raise LegacyRefused(f"This is not an original ScraperSky database: {error}") from None
        except (ValueError, asyncpg.ClientConfigurationError):
            raise LegacyRefused("Invalid URL; expected postgresql://USER:PASSWORD@HOST/DATABASE") from None
        except Exception as error:
            if not is_transient(error) and not isinstance(error, OSError | TimeoutError):
                raise
            raise LegacyUnavailable("The legacy database is unreachable; check its host and port") from None


async def _check(connection: Any) -> None:
    rows = await connection.fetch(COLUMNS, [*REQUIRED, OUR_OWN])
    known = {row["name"]: row for row in rows}
    if OUR_OWN in known:
        raise LegacyRefused("This is a database of this program; use db backup and db restore")
    for table, columns in REQUIRED.items():
        if table not in known:
            raise LegacyRefused(f"This is not an original ScraperSky database: it has no table {table}")
        if not known[table]["is_readable"]:
            raise LegacyRefused(f"This user may not read the table {table}")
        if missing := [name for name in columns if name not in known[table]["columns"]]:
            raise LegacyRefused(f"The table {table} has no column {missing[0]}")
