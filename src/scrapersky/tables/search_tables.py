"""Where leads come from: place searches, listed places and businesses."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from scrapersky.declarations import statuses
from scrapersky.tables import constraints
from scrapersky.tables.columns import Timestamp, id_column, metadata, tenant_column, timestamps

# Place searches: a kind of business and a place that somebody asked for.
place_searches = sa.Table(
    "place_searches",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("business_type", sa.Text, nullable=False),
    sa.Column("location", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False, server_default=sa.text("'google_places'")),
    sa.Column("params", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("places_found", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("place_searches"),
    constraints.tenant_key(),
    *constraints.max_lengths(business_type=100, location=255, source=50),
)

# What the columns of a file mean, under a name: the heading of each of our fields.
column_mappings = sa.Table(
    "column_mappings",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("columns", JSONB, nullable=False),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    sa.UniqueConstraint("name", "tenant_id"),
    *constraints.max_lengths(name=200),
)

# The rectangles into which a search of Google is cut, with what has been paid for and is not stored yet.
search_cells = sa.Table(
    "search_cells",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("search_id", sa.Uuid, nullable=False),
    sa.Column("south", sa.Double, nullable=False),
    sa.Column("west", sa.Double, nullable=False),
    sa.Column("north", sa.Double, nullable=False),
    sa.Column("east", sa.Double, nullable=False),
    sa.Column("state", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.CELL_OPEN}'")),
    # Whether a query reached Google's limit, so that places may be missing if it is not cut.
    sa.Column("is_full", sa.Boolean, nullable=False, server_default=sa.text("false")),
    sa.Column("place_ids", ARRAY(sa.Text)),
    sa.Column("places", JSONB, nullable=False, server_default=sa.text("'[]'")),
    sa.Column("page_token", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("paid_calls", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("expires_at", Timestamp),
    *timestamps(),
    constraints.one_of("state", statuses.CELL_STATE),
    constraints.tenant_foreign_key("search_id", "place_searches", cascade=True),
    sa.Index("ix_search_cells_search_id", "search_id"),
    *constraints.max_lengths(page_token=10_000),
    *constraints.timestamp_range("expires_at"),
)

# Calls to services that bill by kind of call and month, counted before they are made.
service_calls = sa.Table(
    "service_calls",
    metadata,
    sa.Column("month", sa.Date, primary_key=True),
    sa.Column("sku", sa.Text, primary_key=True),
    sa.Column("booked", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("answered", sa.Integer, nullable=False, server_default=sa.text("0")),
    *constraints.max_lengths(sku=50),
)

# Places as a source listed them, waiting for a person's choice and for their details.
places_staging = sa.Table(
    "places_staging",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("source", sa.Text, nullable=False, server_default=sa.text("'google_places'")),
    sa.Column("place_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")),
    sa.Column("business_type", sa.Text),
    sa.Column("formatted_address", sa.Text),
    sa.Column("vicinity", sa.Text),
    sa.Column("latitude", sa.Double),
    sa.Column("longitude", sa.Double),
    sa.Column("phone", sa.Text),
    sa.Column("website_url", sa.Text),
    sa.Column("rating", sa.Double),
    sa.Column("user_ratings_total", sa.Integer),
    sa.Column("price_level", sa.SmallInteger),
    sa.Column("search_id", sa.Uuid),
    sa.Column("search_query", sa.Text),
    sa.Column("search_location", sa.Text),
    sa.Column("raw_data", JSONB, nullable=False, server_default=sa.text("'{}'")),
    # Some sources let their fields be kept for a limited time only.
    sa.Column("expires_at", Timestamp),
    # Whether it has to be compared with the places of other sources.
    sa.Column("is_match_due", sa.Boolean, nullable=False, server_default=sa.text("true")),
    sa.Column("notes", sa.Text),
    sa.Column("tags", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("priority", sa.SmallInteger, nullable=False, server_default=sa.text("0")),
    sa.Column("revisit_at", Timestamp),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    sa.Column("updated_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("places_staging"),
    *constraints.list_indexes("places_staging"),
    constraints.one_of("status", statuses.CURATION),
    constraints.tenant_key(),
    sa.UniqueConstraint("place_id", "source", "tenant_id"),
    constraints.tenant_foreign_key("search_id", "place_searches"),
    constraints.filled_index("ix_places_staging_search_id", "search_id"),
    sa.Index("ix_places_staging_match_due", "tenant_id", "id", postgresql_where=sa.text("is_match_due")),
    constraints.filled_index("ix_places_staging_expires_at", "expires_at"),
    *constraints.max_lengths(
        source=50,
        place_id=300,
        name=500,
        formatted_address=1_000,
        phone=50,
        website_url=2_048,
        notes=10_000,
    ),
    *constraints.timestamp_range("expires_at", "revisit_at"),
    **constraints.HIGH_CHURN_STORAGE,
)

# Records of OpenStreetMap, as published. Its licence (ODbL) reaches what is mixed with it, so that they are
# kept apart from our own data: no decision, note or finding is stored here.
osm_elements = sa.Table(
    "osm_elements",
    metadata,
    id_column(),
    tenant_column(references=True),
    # Such as node/123.
    sa.Column("place_id", sa.Text, nullable=False),
    sa.Column("latitude", sa.Double, nullable=False),
    sa.Column("longitude", sa.Double, nullable=False),
    sa.Column("country", sa.Text),
    sa.Column("tags", JSONB, nullable=False),
    *timestamps(),
    sa.UniqueConstraint("place_id", "tenant_id"),
    *constraints.max_lengths(place_id=300),
)

# Local businesses: a place with its details, as we believe it exists.
local_businesses = sa.Table(
    "local_businesses",
    metadata,
    id_column(),
    tenant_column(references=True),
    sa.Column("place_row_id", sa.Uuid),
    sa.Column("source", sa.Text, nullable=False, server_default=sa.text("'google_places'")),
    sa.Column("place_id", sa.Text, nullable=False),
    sa.Column("business_name", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, server_default=sa.text(f"'{statuses.NEW}'")),
    sa.Column("lead_source", sa.Text),
    sa.Column("full_address", sa.Text),
    sa.Column("street_address", sa.Text),
    sa.Column("city", sa.Text),
    sa.Column("state", sa.Text),
    sa.Column("zip", sa.Text),
    sa.Column("country", sa.Text),
    sa.Column("latitude", sa.Numeric(10, 7)),
    sa.Column("longitude", sa.Numeric(10, 7)),
    sa.Column("phone", sa.Text),
    sa.Column("website_url", sa.Text),
    sa.Column("main_category", sa.Text),
    sa.Column("extra_categories", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'")),
    sa.Column("rating", sa.Numeric(3, 2)),
    sa.Column("reviews_count", sa.Integer),
    sa.Column("price_text", sa.Text),
    sa.Column("business_status", sa.Text),
    sa.Column("is_verified", sa.Boolean),
    sa.Column("opening_hours", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("timezone", sa.Text),
    sa.Column("image_url", sa.Text),
    # The contact that the source listed beside the business.
    sa.Column("listed_contact", JSONB),
    sa.Column("additional_json", JSONB, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("expires_at", Timestamp),
    sa.Column("notes", sa.Text),
    sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    *timestamps(),
    *constraints.queue_parts("local_businesses"),
    *constraints.list_indexes("local_businesses"),
    constraints.one_of("status", statuses.CURATION),
    constraints.tenant_key(),
    sa.UniqueConstraint("place_id", "source", "tenant_id"),
    constraints.tenant_foreign_key("place_row_id", "places_staging"),
    constraints.filled_index("ix_local_businesses_place_row_id", "place_row_id"),
    constraints.filled_index("ix_local_businesses_expires_at", "expires_at"),
    *constraints.max_lengths(
        source=50,
        place_id=300,
        business_name=500,
        full_address=1_000,
        phone=50,
        website_url=2_048,
        notes=10_000,
    ),
    *constraints.timestamp_range("expires_at"),
    **constraints.HIGH_CHURN_STORAGE,
)

# The keys of a place, and the place that stands for its group; NULL while it stands for itself.
place_identities = sa.Table(
    "place_identities",
    metadata,
    sa.Column("place_row_id", sa.Uuid, nullable=False),
    tenant_column(),
    sa.Column("source", sa.Text, nullable=False),
    # 300 m wide; the registrable domain of the website; the phone number in E.164.
    sa.Column("cell", sa.BigInteger),
    sa.Column("domain", sa.Text),
    sa.Column("phone", sa.Text),
    sa.Column("same_as", sa.Uuid),
    sa.PrimaryKeyConstraint("place_row_id", "tenant_id"),
    constraints.tenant_foreign_key("place_row_id", "places_staging", cascade=True),
    *(
        sa.Index(
            f"ix_place_identities_{key}", key, "tenant_id", postgresql_where=sa.text(f"{key} IS NOT NULL")
        )
        for key in ("cell", "domain", "phone", "same_as")
    ),
)

# Two places of different sources that may be the same business. The decision of a person is final.
place_matches = sa.Table(
    "place_matches",
    metadata,
    id_column(),
    tenant_column(),
    sa.Column("place_a", sa.Uuid, nullable=False),
    sa.Column("place_b", sa.Uuid, nullable=False),
    sa.Column("log_odds", sa.Double, nullable=False),
    sa.Column("evidence", JSONB, nullable=False),
    sa.Column("verdict", sa.Text, nullable=False),
    # No foreign key: the decision outlives its author.
    sa.Column("decided_by", sa.Uuid),
    sa.Column("decided_at", Timestamp),
    *timestamps(),
    constraints.one_of("verdict", statuses.MATCH_VERDICT),
    sa.UniqueConstraint("place_a", "place_b", "tenant_id"),
    constraints.tenant_foreign_key("place_a", "places_staging", cascade=True),
    constraints.tenant_foreign_key("place_b", "places_staging", cascade=True),
    sa.Index("ix_place_matches_place_b", "place_b", "tenant_id"),
    sa.Index("ix_place_matches_verdict", "tenant_id", "verdict", "id"),
)

# What a comparison depends on.
COMPARED_COLUMNS = ("name", "latitude", "longitude", "phone", "website_url", "formatted_address")
_CHANGED = " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in COMPARED_COLUMNS)

MATCH_STATEMENTS = [
    """CREATE FUNCTION places_staging_match_due() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.is_match_due := true; RETURN NEW;
END $$""",
    "CREATE TRIGGER places_staging_match_due BEFORE UPDATE ON places_staging FOR EACH ROW"
    f" WHEN ({_CHANGED}) EXECUTE FUNCTION places_staging_match_due()",
]
# A comparison is not a change of the place.
IS_MATCHING = "NEW.is_match_due <> OLD.is_match_due"
