"""The lead score: the weights that admins edit, and how far a tenant's contacts are scored by them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from scrapersky.declarations.lead_score import MAX_WEIGHT, SCORE_PARTS
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, metadata, tenant_column

# Parts of the score that differ from their default; a part without a row has its default.
lead_score_parts = sa.Table(
    "lead_score_parts",
    metadata,
    tenant_column(references=True),
    sa.Column("part", sa.Text, nullable=False),
    sa.Column("weight", sa.SmallInteger, nullable=False),
    sa.Column("words", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    # No foreign key: the weight outlives its editor.
    sa.Column("updated_by", sa.Uuid),
    sa.Column("updated_at", Timestamp, nullable=False, server_default=sa.func.now()),
    sa.PrimaryKeyConstraint("tenant_id", "part"),
    constraints.one_of("part", tuple(SCORE_PARTS)),
    sa.CheckConstraint(f"weight BETWEEN 0 AND {MAX_WEIGHT}", name="weight_range"),
)

# How far all contacts of a tenant have been scored again, after an edit or because a day has passed.
lead_score_runs = sa.Table(
    "lead_score_runs",
    metadata,
    tenant_column(references=True),
    # The last contact that was looked at; NULL before the first.
    sa.Column("cursor", sa.Uuid),
    sa.Column("finished_at", Timestamp),
    sa.PrimaryKeyConstraint("tenant_id"),
)

# What a score depends on; a change of anything else leaves it as it is.
SCORED_COLUMNS = (
    "email", "email_type", "email_relation", "phone_number", "name", "address", "country",
    "email_validation_result", "last_seen_at",
)  # fmt: skip
_CHANGED = " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in SCORED_COLUMNS)

SCORE_STATEMENTS = [
    """CREATE FUNCTION contacts_score_due() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.is_score_due := true; RETURN NEW;
END $$""",
    "CREATE TRIGGER contacts_score_due BEFORE UPDATE ON contacts FOR EACH ROW"
    f" WHEN ({_CHANGED}) EXECUTE FUNCTION contacts_score_due()",
    # Text as lower-case words with single spaces, so that whole words can be compared.
    """CREATE FUNCTION scrapersky_words(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT trim(regexp_replace(lower(coalesce($1, '')), '[^[:alnum:]]+', ' ', 'g'))
$$""",
    # The parts in one sentence each, those with the most points first; NULL before the first score.
    """CREATE FUNCTION scrapersky_score_why(parts jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(format('%s %s of %s: %s', replace(key, '_', ' '), value ->> 'points', value ->> 'max',
    value ->> 'why'), '; ' ORDER BY (value ->> 'points')::numeric DESC, key) FROM jsonb_each(parts)
$$""",
]
# A new score is not a change of the contact: neither its version nor its place among the newest changes.
IS_SCORING = (
    "(OLD.is_score_due AND NOT NEW.is_score_due)"
    " OR NEW.lead_score_parts IS DISTINCT FROM OLD.lead_score_parts"
)
