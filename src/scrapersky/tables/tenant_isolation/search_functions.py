"""Text search for requests: one function per table that finds ids of the tenant's rows by a pattern.

ILIKE is not leakproof, so under row-level security the planner would apply it only to rows that the policy
has let through, and never ask a trigram index. These functions run as the owner and take the tenant from the
transaction. Their statement is put together with its values, so that the planner sees how rare the text is.

Without three letters or digits in a row a text has nothing that a trigram index could look up. If it is rare,
every row has to be read; among a million pages that took 3.6 s. Such a search reads nothing and gives a NULL.
"""

from __future__ import annotations

# The columns in which people search. Places and businesses have no trigram index: with one, a change of
# status took 0.4 ms a row instead of 0.02 ms, and without it 100,000 of them are searched in 0.1 s.
TEXT_COLUMNS: dict[str, tuple[str, ...]] = {
    "places_staging": ("name", "formatted_address", "website_url"),
    "local_businesses": ("business_name", "full_address", "website_url"),
    "domains": ("domain",),
    "sitemap_files": ("url",),
    "pages": ("url",),
    "contacts": ("email", "name", "phone_number"),
}


# What the planner asks for reading some 250,000 pages.
MAX_COST = 15_000


def search_function(table: str) -> str:
    """The name of the table's function: (pattern text, max_rows integer) → ids, in no order, or a NULL."""
    return f"search_{table}"


def search_statements(role: str) -> list[str]:
    """The functions, which nobody but this role may call."""
    statements = []
    for table, columns in TEXT_COLUMNS.items():
        name = f"{search_function(table)}(text, integer)"
        statements += [
            _function(table, columns),
            f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC",
            f"GRANT EXECUTE ON FUNCTION {name} TO {role}",
        ]
    return statements


def _function(table: str, columns: tuple[str, ...]) -> str:
    matches = " OR ".join(f"{column} ILIKE %2$L" for column in columns)
    query = f"SELECT id FROM {table} WHERE tenant_id = %1$L AND ({matches}) LIMIT %3$s"  # noqa: S608
    return f"""CREATE FUNCTION {search_function(table)}(pattern text, max_rows integer) RETURNS SETOF uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  query text := format('{query}', scrapersky_tenant(), pattern, max_rows);
  plan json;
BEGIN
  IF pattern !~ '[[:alnum:]]{{3}}' THEN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    IF (plan->0->'Plan'->>'Total Cost')::float8 > {MAX_COST} THEN
      RETURN NEXT NULL;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY EXECUTE query;
END $$"""
