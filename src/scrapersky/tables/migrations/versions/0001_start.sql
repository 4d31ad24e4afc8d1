CREATE EXTENSION IF NOT EXISTS pg_trgm;

DO $do$ BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    CREATE FUNCTION scrapersky_uuid7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT uuidv7()';
  ELSE
    CREATE FUNCTION scrapersky_uuid7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
      SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid $$;
  END IF;
END $do$;

CREATE FUNCTION scrapersky_touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.updated_at := now(); RETURN NEW;
END $$;

CREATE FUNCTION scrapersky_host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  SELECT d.host INTO NEW.host FROM domains d WHERE d.id = NEW.domain_id; RETURN NEW;
END $$;

CREATE FUNCTION domains_host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.host := NEW.domain; RETURN NEW;
END $$;

CREATE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' AND current_setting('scrapersky.retention', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the audit log is only added to' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TABLE alerts (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT DEFAULT '' NOT NULL,
  severity TEXT DEFAULT 'error' NOT NULL,
  message TEXT NOT NULL,
  details JSONB DEFAULT '{}' NOT NULL,
  times INTEGER DEFAULT 1 NOT NULL,
  last_raised_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  told_at TIMESTAMP WITH TIME ZONE,
  told_channels JSONB DEFAULT '{}' NOT NULL,
  over_at TIMESTAMP WITH TIME ZONE,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_alerts PRIMARY KEY (id),
  CONSTRAINT ck_alerts_severity_word CHECK (severity IN ('warning', 'error')),
  CONSTRAINT ck_alerts_kind_length CHECK (char_length(kind) <= 100),
  CONSTRAINT ck_alerts_subject_length CHECK (char_length(subject) <= 300),
  CONSTRAINT ck_alerts_message_length CHECK (char_length(message) <= 4000)
);

CREATE TABLE credits (
  day DATE NOT NULL,
  host TEXT NOT NULL,
  spent INTEGER DEFAULT 0 NOT NULL,
  CONSTRAINT pk_credits PRIMARY KEY (day, host),
  CONSTRAINT ck_credits_host_length CHECK (char_length(host) <= 253)
);

CREATE TABLE hosts (
  host TEXT NOT NULL,
  next_allowed_at TIMESTAMP WITH TIME ZONE DEFAULT '1970-01-01 00:00:00+00' NOT NULL,
  delay_seconds DOUBLE PRECISION DEFAULT 0 NOT NULL,
  lease_seq INTEGER DEFAULT 0 NOT NULL,
  worker INTEGER,
  error_streak INTEGER DEFAULT 0 NOT NULL,
  rest_until TIMESTAMP WITH TIME ZONE,
  rest_reason TEXT,
  robots_txt TEXT,
  robots_status TEXT DEFAULT 'unknown' NOT NULL,
  robots_fetched_at TIMESTAMP WITH TIME ZONE,
  robots_error TEXT,
  robots_retry_at TIMESTAMP WITH TIME ZONE,
  awaits_read_metadata TIMESTAMP WITH TIME ZONE,
  awaits_discover_sitemaps TIMESTAMP WITH TIME ZONE,
  awaits_import_sitemap TIMESTAMP WITH TIME ZONE,
  awaits_read_page TIMESTAMP WITH TIME ZONE,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_hosts PRIMARY KEY (host),
  CONSTRAINT ck_hosts_robots_status_word CHECK (robots_status IN ('unknown', 'found', 'none', 'refused', 'unreachable')),
  CONSTRAINT ck_hosts_host_length CHECK (char_length(host) <= 253),
  CONSTRAINT ck_hosts_robots_txt_length CHECK (char_length(robots_txt) <= 524288),
  CONSTRAINT ck_hosts_robots_error_length CHECK (char_length(robots_error) <= 1024),
  CONSTRAINT ck_hosts_rest_reason_length CHECK (char_length(rest_reason) <= 1024)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE row_count_changes (
  table_name TEXT NOT NULL,
  tenant_id UUID NOT NULL,
  facets TEXT[] NOT NULL,
  number BIGINT NOT NULL
)
 WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE row_counts (
  table_name TEXT NOT NULL,
  tenant_id UUID NOT NULL,
  facets TEXT[] NOT NULL,
  number BIGINT NOT NULL,
  CONSTRAINT pk_row_counts PRIMARY KEY (table_name, tenant_id, facets)
)
 WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE schedules (
  name TEXT NOT NULL,
  slot BIGINT NOT NULL,
  runs BIGINT DEFAULT 1 NOT NULL,
  last_run_at TIMESTAMP WITH TIME ZONE NOT NULL,
  CONSTRAINT pk_schedules PRIMARY KEY (name),
  CONSTRAINT ck_schedules_name_length CHECK (char_length(name) <= 100)
);

CREATE TABLE stage_stats (
  stage TEXT NOT NULL,
  minute TIMESTAMP WITH TIME ZONE NOT NULL,
  worker INTEGER NOT NULL,
  done BIGINT DEFAULT 0 NOT NULL,
  failed BIGINT DEFAULT 0 NOT NULL,
  retried BIGINT DEFAULT 0 NOT NULL,
  later BIGINT DEFAULT 0 NOT NULL,
  given_back BIGINT DEFAULT 0 NOT NULL,
  lease_lost BIGINT DEFAULT 0 NOT NULL,
  rescued BIGINT DEFAULT 0 NOT NULL,
  rows_out BIGINT DEFAULT 0 NOT NULL,
  ms_sum DOUBLE PRECISION DEFAULT 0 NOT NULL,
  ms_max DOUBLE PRECISION DEFAULT 0 NOT NULL,
  buckets BIGINT[] DEFAULT '{}' NOT NULL,
  runs BIGINT DEFAULT 0 NOT NULL,
  run_ms_sum DOUBLE PRECISION DEFAULT 0 NOT NULL,
  run_ms_max DOUBLE PRECISION DEFAULT 0 NOT NULL,
  run_ms_last DOUBLE PRECISION DEFAULT 0 NOT NULL,
  waiting BIGINT,
  CONSTRAINT pk_stage_stats PRIMARY KEY (stage, minute, worker),
  CONSTRAINT ck_stage_stats_stage_length CHECK (char_length(stage) <= 63)
);

CREATE TABLE tenants (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  is_active BOOLEAN DEFAULT true NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_tenants PRIMARY KEY (id),
  CONSTRAINT ck_tenants_name_length CHECK (char_length(name) <= 200),
  CONSTRAINT ck_tenants_description_length CHECK (char_length(description) <= 2000),
  CONSTRAINT uq_tenants_name UNIQUE (name)
);

CREATE TABLE workers (
  id INTEGER GENERATED ALWAYS AS IDENTITY,
  machine TEXT NOT NULL,
  pid INTEGER NOT NULL,
  stages TEXT[] DEFAULT '{}' NOT NULL,
  started_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  heartbeat_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  alone TEXT,
  CONSTRAINT pk_workers PRIMARY KEY (id),
  CONSTRAINT ck_workers_machine_length CHECK (char_length(machine) <= 255),
  CONSTRAINT ck_workers_alone_length CHECK (char_length(alone) <= 255)
);

CREATE TABLE zombies (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY,
  stage TEXT NOT NULL,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  tenant_id UUID,
  worker INTEGER,
  crashes SMALLINT DEFAULT 0 NOT NULL,
  reason TEXT NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_zombies PRIMARY KEY (id),
  CONSTRAINT ck_zombies_stage_length CHECK (char_length(stage) <= 63),
  CONSTRAINT ck_zombies_table_name_length CHECK (char_length(table_name) <= 63),
  CONSTRAINT ck_zombies_row_id_length CHECK (char_length(row_id) <= 36),
  CONSTRAINT ck_zombies_reason_length CHECK (char_length(reason) <= 1024)
);

CREATE TABLE audit_log (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY,
  tenant_id UUID NOT NULL,
  user_id UUID,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  table_name TEXT,
  row_id TEXT,
  before JSONB,
  after JSONB,
  previous_hash BYTEA,
  hash BYTEA,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_audit_log PRIMARY KEY (id),
  CONSTRAINT ck_audit_log_actor_length CHECK (char_length(actor) <= 200),
  CONSTRAINT ck_audit_log_action_length CHECK (char_length(action) <= 100),
  CONSTRAINT ck_audit_log_table_name_length CHECK (char_length(table_name) <= 63),
  CONSTRAINT ck_audit_log_row_id_length CHECK (char_length(row_id) <= 36),
  CONSTRAINT fk_audit_log_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id)
);

CREATE TABLE users (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  email TEXT NOT NULL,
  name TEXT DEFAULT '' NOT NULL,
  role TEXT DEFAULT 'viewer' NOT NULL,
  password_hash TEXT,
  is_active BOOLEAN DEFAULT true NOT NULL,
  last_seen_at TIMESTAMP WITH TIME ZONE,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_users PRIMARY KEY (id),
  CONSTRAINT ck_users_role_word CHECK (role IN ('viewer', 'operator', 'admin', 'system')),
  CONSTRAINT ck_users_email_lower CHECK (email = lower(email)),
  CONSTRAINT ck_users_email_length CHECK (char_length(email) <= 254),
  CONSTRAINT ck_users_name_length CHECK (char_length(name) <= 200),
  CONSTRAINT ck_users_password_hash_length CHECK (char_length(password_hash) <= 500),
  CONSTRAINT fk_users_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT uq_users_email UNIQUE (email)
);

CREATE TABLE api_keys (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  user_id UUID NOT NULL,
  name TEXT NOT NULL,
  lookup TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  scopes TEXT[] DEFAULT '{}' NOT NULL,
  expires_at TIMESTAMP WITH TIME ZONE,
  last_used_at TIMESTAMP WITH TIME ZONE,
  revoked_at TIMESTAMP WITH TIME ZONE,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_api_keys PRIMARY KEY (id),
  CONSTRAINT ck_api_keys_secret_hash_length CHECK (octet_length(secret_hash) = 32),
  CONSTRAINT ck_api_keys_name_length CHECK (char_length(name) <= 200),
  CONSTRAINT ck_api_keys_lookup_length CHECK (char_length(lookup) <= 32),
  CONSTRAINT fk_api_keys_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_api_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT uq_api_keys_lookup UNIQUE (lookup)
);

CREATE TABLE destinations (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  options JSONB DEFAULT '{}' NOT NULL,
  secret_sealed BYTEA,
  secret_key_id TEXT,
  is_active BOOLEAN DEFAULT true NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_destinations PRIMARY KEY (id),
  CONSTRAINT ck_destinations_kind_word CHECK (kind IN ('csv', 'jsonl', 'xlsx', 'parquet', 'webhook', 'hubspot', 'brevo', 'n8n')),
  CONSTRAINT uq_destinations_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_destinations_name_tenant_id UNIQUE (name, tenant_id),
  CONSTRAINT ck_destinations_name_length CHECK (char_length(name) <= 200),
  CONSTRAINT ck_destinations_secret_key_id_length CHECK (char_length(secret_key_id) <= 100),
  CONSTRAINT fk_destinations_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_destinations_created_by FOREIGN KEY(created_by) REFERENCES users (id)
);

CREATE TABLE operations (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  table_name TEXT NOT NULL,
  title TEXT NOT NULL,
  filter JSONB DEFAULT '{}' NOT NULL,
  change JSONB DEFAULT '{}' NOT NULL,
  status TEXT DEFAULT 'pending' NOT NULL,
  error TEXT,
  rows_expected INTEGER DEFAULT 0 NOT NULL,
  rows_done INTEGER DEFAULT 0 NOT NULL,
  rows_queued INTEGER DEFAULT 0 NOT NULL,
  is_cancel_wanted BOOLEAN DEFAULT false NOT NULL,
  finished_at TIMESTAMP WITH TIME ZONE,
  undone_at TIMESTAMP WITH TIME ZONE,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_operations PRIMARY KEY (id),
  CONSTRAINT ck_operations_status_word CHECK (status IN ('pending', 'running', 'complete', 'failed', 'cancelled', 'undone')),
  CONSTRAINT uq_operations_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT ck_operations_table_name_length CHECK (char_length(table_name) <= 63),
  CONSTRAINT ck_operations_title_length CHECK (char_length(title) <= 500),
  CONSTRAINT ck_operations_error_length CHECK (char_length(error) <= 1024),
  CONSTRAINT fk_operations_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_operations_created_by FOREIGN KEY(created_by) REFERENCES users (id)
);

CREATE TABLE place_searches (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  business_type TEXT NOT NULL,
  location TEXT NOT NULL,
  source TEXT DEFAULT 'google_places' NOT NULL,
  params JSONB DEFAULT '{}' NOT NULL,
  places_found INTEGER DEFAULT 0 NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  status TEXT DEFAULT 'pending',
  error TEXT,
  due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  retries INTEGER DEFAULT 0 NOT NULL,
  rescues SMALLINT DEFAULT 0 NOT NULL,
  crashes SMALLINT DEFAULT 0 NOT NULL,
  lease_seq INTEGER DEFAULT 0 NOT NULL,
  lease_until TIMESTAMP WITH TIME ZONE,
  worker INTEGER,
  finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_place_searches PRIMARY KEY (id),
  CONSTRAINT ck_place_searches_search_places_word CHECK (status IN ('pending', 'processing', 'complete', 'failed')),
  CONSTRAINT ck_place_searches_search_places_lease CHECK ((coalesce(status, '') = 'processing') = (lease_until IS NOT NULL)),
  CONSTRAINT ck_place_searches_search_places_reason CHECK (coalesce(status, '') <> 'failed' OR error IS NOT NULL),
  CONSTRAINT uq_place_searches_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT ck_place_searches_business_type_length CHECK (char_length(business_type) <= 100),
  CONSTRAINT ck_place_searches_location_length CHECK (char_length(location) <= 255),
  CONSTRAINT ck_place_searches_source_length CHECK (char_length(source) <= 50),
  CONSTRAINT fk_place_searches_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_place_searches_created_by FOREIGN KEY(created_by) REFERENCES users (id)
);

CREATE TABLE saved_views (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  user_id UUID NOT NULL,
  table_name TEXT NOT NULL,
  name TEXT NOT NULL,
  query JSONB DEFAULT '{}' NOT NULL,
  is_shared BOOLEAN DEFAULT false NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_saved_views PRIMARY KEY (id),
  CONSTRAINT uq_saved_views_tenant_id_user_id_table_name_name UNIQUE (tenant_id, user_id, table_name, name),
  CONSTRAINT ck_saved_views_table_name_length CHECK (char_length(table_name) <= 63),
  CONSTRAINT ck_saved_views_name_length CHECK (char_length(name) <= 200),
  CONSTRAINT fk_saved_views_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_saved_views_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE stage_controls (
  stage TEXT NOT NULL,
  paused BOOLEAN DEFAULT false NOT NULL,
  reason TEXT,
  updated_by UUID,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_stage_controls PRIMARY KEY (stage),
  CONSTRAINT ck_stage_controls_stage_length CHECK (char_length(stage) <= 63),
  CONSTRAINT ck_stage_controls_reason_length CHECK (char_length(reason) <= 1024),
  CONSTRAINT fk_stage_controls_updated_by FOREIGN KEY(updated_by) REFERENCES users (id) ON DELETE SET NULL
);

CREATE TABLE suppressions (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID,
  kind TEXT NOT NULL,
  keyed_hash BYTEA NOT NULL,
  reason TEXT NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_suppressions PRIMARY KEY (id),
  CONSTRAINT ck_suppressions_kind_word CHECK (kind IN ('email', 'domain', 'phone')),
  CONSTRAINT ck_suppressions_keyed_hash_length CHECK (octet_length(keyed_hash) = 32),
  CONSTRAINT ck_suppressions_reason_length CHECK (char_length(reason) <= 500),
  CONSTRAINT fk_suppressions_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_suppressions_created_by FOREIGN KEY(created_by) REFERENCES users (id)
);

CREATE TABLE operation_changes (
  tenant_id UUID NOT NULL,
  operation_id UUID NOT NULL,
  row_id TEXT NOT NULL,
  before JSONB NOT NULL,
  CONSTRAINT pk_operation_changes PRIMARY KEY (operation_id, row_id),
  CONSTRAINT fk_operation_changes_tenant_id_operation_id FOREIGN KEY(tenant_id, operation_id) REFERENCES operations (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_operation_changes_row_id_length CHECK (char_length(row_id) <= 36)
);

CREATE TABLE places_staging (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  source TEXT DEFAULT 'google_places' NOT NULL,
  place_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT DEFAULT 'New' NOT NULL,
  business_type TEXT,
  formatted_address TEXT,
  vicinity TEXT,
  latitude DOUBLE PRECISION,
  longitude DOUBLE PRECISION,
  phone TEXT,
  website_url TEXT,
  rating DOUBLE PRECISION,
  user_ratings_total INTEGER,
  price_level SMALLINT,
  search_id UUID,
  search_query TEXT,
  search_location TEXT,
  raw_data JSONB DEFAULT '{}' NOT NULL,
  expires_at TIMESTAMP WITH TIME ZONE,
  notes TEXT,
  tags TEXT[] DEFAULT '{}' NOT NULL,
  priority SMALLINT DEFAULT 0 NOT NULL,
  revisit_at TIMESTAMP WITH TIME ZONE,
  created_by UUID,
  updated_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  deep_scan_status TEXT,
  deep_scan_error TEXT,
  deep_scan_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  deep_scan_retries INTEGER DEFAULT 0 NOT NULL,
  deep_scan_rescues SMALLINT DEFAULT 0 NOT NULL,
  deep_scan_crashes SMALLINT DEFAULT 0 NOT NULL,
  deep_scan_lease_seq INTEGER DEFAULT 0 NOT NULL,
  deep_scan_lease_until TIMESTAMP WITH TIME ZONE,
  deep_scan_worker INTEGER,
  deep_scan_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_places_staging PRIMARY KEY (id),
  CONSTRAINT ck_places_staging_deep_scan_word CHECK (deep_scan_status IN ('Queued', 'Processing', 'Completed', 'Error')),
  CONSTRAINT ck_places_staging_deep_scan_lease CHECK ((coalesce(deep_scan_status, '') = 'Processing') = (deep_scan_lease_until IS NOT NULL)),
  CONSTRAINT ck_places_staging_deep_scan_reason CHECK (coalesce(deep_scan_status, '') <> 'Error' OR deep_scan_error IS NOT NULL),
  CONSTRAINT ck_places_staging_status_word CHECK (status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT uq_places_staging_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_places_staging_place_id_source_tenant_id UNIQUE (place_id, source, tenant_id),
  CONSTRAINT fk_places_staging_tenant_id_search_id FOREIGN KEY(tenant_id, search_id) REFERENCES place_searches (tenant_id, id),
  CONSTRAINT ck_places_staging_source_length CHECK (char_length(source) <= 50),
  CONSTRAINT ck_places_staging_place_id_length CHECK (char_length(place_id) <= 300),
  CONSTRAINT ck_places_staging_name_length CHECK (char_length(name) <= 500),
  CONSTRAINT ck_places_staging_formatted_address_length CHECK (char_length(formatted_address) <= 1000),
  CONSTRAINT ck_places_staging_phone_length CHECK (char_length(phone) <= 50),
  CONSTRAINT ck_places_staging_website_url_length CHECK (char_length(website_url) <= 2048),
  CONSTRAINT ck_places_staging_notes_length CHECK (char_length(notes) <= 10000),
  CONSTRAINT ck_places_staging_expires_at_sane CHECK (expires_at >= '1970-01-01 00:00:00+00' AND expires_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT ck_places_staging_revisit_at_sane CHECK (revisit_at >= '1970-01-01 00:00:00+00' AND revisit_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT fk_places_staging_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_places_staging_created_by FOREIGN KEY(created_by) REFERENCES users (id),
  CONSTRAINT fk_places_staging_updated_by FOREIGN KEY(updated_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE local_businesses (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  place_row_id UUID,
  source TEXT DEFAULT 'google_places' NOT NULL,
  place_id TEXT NOT NULL,
  business_name TEXT NOT NULL,
  status TEXT DEFAULT 'New' NOT NULL,
  lead_source TEXT,
  full_address TEXT,
  street_address TEXT,
  city TEXT,
  state TEXT,
  zip TEXT,
  country TEXT,
  latitude NUMERIC(10, 7),
  longitude NUMERIC(10, 7),
  phone TEXT,
  website_url TEXT,
  main_category TEXT,
  extra_categories TEXT[] DEFAULT '{}' NOT NULL,
  rating NUMERIC(3, 2),
  reviews_count INTEGER,
  price_text TEXT,
  business_status TEXT,
  is_verified BOOLEAN,
  opening_hours JSONB DEFAULT '{}' NOT NULL,
  timezone TEXT,
  image_url TEXT,
  additional_json JSONB DEFAULT '{}' NOT NULL,
  expires_at TIMESTAMP WITH TIME ZONE,
  notes TEXT,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  domain_extraction_status TEXT,
  domain_extraction_error TEXT,
  domain_extraction_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  domain_extraction_retries INTEGER DEFAULT 0 NOT NULL,
  domain_extraction_rescues SMALLINT DEFAULT 0 NOT NULL,
  domain_extraction_crashes SMALLINT DEFAULT 0 NOT NULL,
  domain_extraction_lease_seq INTEGER DEFAULT 0 NOT NULL,
  domain_extraction_lease_until TIMESTAMP WITH TIME ZONE,
  domain_extraction_worker INTEGER,
  domain_extraction_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_local_businesses PRIMARY KEY (id),
  CONSTRAINT ck_local_businesses_extract_domain_word CHECK (domain_extraction_status IN ('Queued', 'Processing', 'Completed', 'Error')),
  CONSTRAINT ck_local_businesses_extract_domain_lease CHECK ((coalesce(domain_extraction_status, '') = 'Processing') = (domain_extraction_lease_until IS NOT NULL)),
  CONSTRAINT ck_local_businesses_extract_domain_reason CHECK (coalesce(domain_extraction_status, '') <> 'Error' OR domain_extraction_error IS NOT NULL),
  CONSTRAINT ck_local_businesses_status_word CHECK (status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT uq_local_businesses_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_local_businesses_place_id_source_tenant_id UNIQUE (place_id, source, tenant_id),
  CONSTRAINT fk_local_businesses_tenant_id_place_row_id FOREIGN KEY(tenant_id, place_row_id) REFERENCES places_staging (tenant_id, id),
  CONSTRAINT ck_local_businesses_source_length CHECK (char_length(source) <= 50),
  CONSTRAINT ck_local_businesses_place_id_length CHECK (char_length(place_id) <= 300),
  CONSTRAINT ck_local_businesses_business_name_length CHECK (char_length(business_name) <= 500),
  CONSTRAINT ck_local_businesses_full_address_length CHECK (char_length(full_address) <= 1000),
  CONSTRAINT ck_local_businesses_phone_length CHECK (char_length(phone) <= 50),
  CONSTRAINT ck_local_businesses_website_url_length CHECK (char_length(website_url) <= 2048),
  CONSTRAINT ck_local_businesses_notes_length CHECK (char_length(notes) <= 10000),
  CONSTRAINT ck_local_businesses_expires_at_sane CHECK (expires_at >= '1970-01-01 00:00:00+00' AND expires_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT fk_local_businesses_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_local_businesses_created_by FOREIGN KEY(created_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE domains (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  domain TEXT NOT NULL,
  host TEXT NOT NULL,
  sitemap_curation_status TEXT DEFAULT 'New' NOT NULL,
  local_business_id UUID,
  lead_source TEXT,
  country TEXT,
  title TEXT,
  description TEXT,
  language TEXT,
  favicon_url TEXT,
  logo_url TEXT,
  canonical_url TEXT,
  generator TEXT,
  is_wordpress BOOLEAN,
  wordpress_version TEXT,
  wordpress_theme TEXT,
  has_elementor BOOLEAN,
  has_divi BOOLEAN,
  has_woocommerce BOOLEAN,
  has_yoast_seo BOOLEAN,
  has_contact_form7 BOOLEAN,
  has_wpforms BOOLEAN,
  google_analytics_id TEXT,
  google_tag_manager_id TEXT,
  copyright_year SMALLINT,
  domain_metadata JSONB DEFAULT '{}' NOT NULL,
  tech_stack JSONB DEFAULT '{}' NOT NULL,
  email_addresses TEXT[] DEFAULT '{}' NOT NULL,
  phone_numbers TEXT[] DEFAULT '{}' NOT NULL,
  physical_addresses TEXT[] DEFAULT '{}' NOT NULL,
  facebook_url TEXT,
  twitter_url TEXT,
  linkedin_url TEXT,
  instagram_url TEXT,
  youtube_url TEXT,
  social_urls JSONB DEFAULT '{}' NOT NULL,
  total_sitemaps INTEGER,
  sitemap_urls INTEGER,
  last_scan_at TIMESTAMP WITH TIME ZONE,
  notes TEXT,
  tags TEXT[] DEFAULT '{}' NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  status TEXT DEFAULT 'pending',
  error TEXT,
  due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  retries INTEGER DEFAULT 0 NOT NULL,
  rescues SMALLINT DEFAULT 0 NOT NULL,
  crashes SMALLINT DEFAULT 0 NOT NULL,
  lease_seq INTEGER DEFAULT 0 NOT NULL,
  lease_until TIMESTAMP WITH TIME ZONE,
  worker INTEGER,
  finished_at TIMESTAMP WITH TIME ZONE,
  sitemap_analysis_status TEXT,
  sitemap_analysis_error TEXT,
  sitemap_analysis_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  sitemap_analysis_retries INTEGER DEFAULT 0 NOT NULL,
  sitemap_analysis_rescues SMALLINT DEFAULT 0 NOT NULL,
  sitemap_analysis_crashes SMALLINT DEFAULT 0 NOT NULL,
  sitemap_analysis_lease_seq INTEGER DEFAULT 0 NOT NULL,
  sitemap_analysis_lease_until TIMESTAMP WITH TIME ZONE,
  sitemap_analysis_worker INTEGER,
  sitemap_analysis_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_domains PRIMARY KEY (id),
  CONSTRAINT ck_domains_read_metadata_word CHECK (status IN ('pending', 'processing', 'completed', 'error')),
  CONSTRAINT ck_domains_read_metadata_lease CHECK ((coalesce(status, '') = 'processing') = (lease_until IS NOT NULL)),
  CONSTRAINT ck_domains_read_metadata_reason CHECK (coalesce(status, '') <> 'error' OR error IS NOT NULL),
  CONSTRAINT ck_domains_submit_domain_word CHECK (sitemap_analysis_status IN ('queued', 'processing', 'submitted', 'failed', 'pending')),
  CONSTRAINT ck_domains_submit_domain_lease CHECK ((coalesce(sitemap_analysis_status, '') = 'processing') = (sitemap_analysis_lease_until IS NOT NULL)),
  CONSTRAINT ck_domains_submit_domain_reason CHECK (coalesce(sitemap_analysis_status, '') <> 'failed' OR sitemap_analysis_error IS NOT NULL),
  CONSTRAINT ck_domains_sitemap_curation_status_word CHECK (sitemap_curation_status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT uq_domains_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_domains_domain_tenant_id UNIQUE (domain, tenant_id),
  CONSTRAINT fk_domains_tenant_id_local_business_id FOREIGN KEY(tenant_id, local_business_id) REFERENCES local_businesses (tenant_id, id),
  CONSTRAINT ck_domains_domain_lower CHECK (domain = lower(domain) AND domain <> ''),
  CONSTRAINT ck_domains_domain_length CHECK (char_length(domain) <= 253),
  CONSTRAINT ck_domains_host_length CHECK (char_length(host) <= 253),
  CONSTRAINT ck_domains_title_length CHECK (char_length(title) <= 1000),
  CONSTRAINT ck_domains_description_length CHECK (char_length(description) <= 5000),
  CONSTRAINT ck_domains_language_length CHECK (char_length(language) <= 35),
  CONSTRAINT ck_domains_notes_length CHECK (char_length(notes) <= 10000),
  CONSTRAINT ck_domains_last_scan_at_sane CHECK (last_scan_at >= '1970-01-01 00:00:00+00' AND last_scan_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT fk_domains_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_domains_created_by FOREIGN KEY(created_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE jobs (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY,
  job_id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  job_type TEXT NOT NULL,
  host TEXT DEFAULT '' NOT NULL,
  domain_id UUID,
  max_retries INTEGER DEFAULT 3 NOT NULL,
  progress DOUBLE PRECISION DEFAULT 0 NOT NULL,
  progress_percent SMALLINT DEFAULT 0 NOT NULL,
  progress_message TEXT,
  result_data JSONB DEFAULT '{}' NOT NULL,
  job_metadata JSONB DEFAULT '{}' NOT NULL,
  timeout_seconds INTEGER,
  is_cancel_wanted BOOLEAN DEFAULT false NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  status TEXT DEFAULT 'pending',
  error TEXT,
  next_retry_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  retry_count INTEGER DEFAULT 0 NOT NULL,
  rescues SMALLINT DEFAULT 0 NOT NULL,
  crashes SMALLINT DEFAULT 0 NOT NULL,
  lease_seq INTEGER DEFAULT 0 NOT NULL,
  lease_until TIMESTAMP WITH TIME ZONE,
  worker INTEGER,
  finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_jobs PRIMARY KEY (id),
  CONSTRAINT ck_jobs_run_job_word CHECK (status IN ('pending', 'running', 'complete', 'failed', 'cancelled')),
  CONSTRAINT ck_jobs_run_job_lease CHECK ((coalesce(status, '') = 'running') = (lease_until IS NOT NULL)),
  CONSTRAINT ck_jobs_run_job_reason CHECK (coalesce(status, '') <> 'failed' OR error IS NOT NULL),
  CONSTRAINT ck_jobs_status_given CHECK (status IS NOT NULL),
  CONSTRAINT ck_jobs_progress_range CHECK (progress BETWEEN 0 AND 1),
  CONSTRAINT ck_jobs_progress_percent_range CHECK (progress_percent BETWEEN 0 AND 100),
  CONSTRAINT uq_jobs_job_id UNIQUE (job_id),
  CONSTRAINT fk_jobs_tenant_id_domain_id FOREIGN KEY(tenant_id, domain_id) REFERENCES domains (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_jobs_job_type_length CHECK (char_length(job_type) <= 100),
  CONSTRAINT ck_jobs_host_length CHECK (char_length(host) <= 253),
  CONSTRAINT ck_jobs_progress_message_length CHECK (char_length(progress_message) <= 1000),
  CONSTRAINT fk_jobs_tenant_id FOREIGN KEY(tenant_id) REFERENCES tenants (id),
  CONSTRAINT fk_jobs_created_by FOREIGN KEY(created_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE pages (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  domain_id UUID NOT NULL,
  host TEXT NOT NULL,
  url TEXT NOT NULL,
  url_hash UUID GENERATED ALWAYS AS (md5(url)::uuid) STORED NOT NULL,
  page_curation_status TEXT DEFAULT 'New' NOT NULL,
  priority_level SMALLINT DEFAULT 3 NOT NULL,
  page_type TEXT DEFAULT 'unknown' NOT NULL,
  page_type_confidence DOUBLE PRECISION,
  path_depth SMALLINT,
  contact_scrape_status TEXT DEFAULT 'New' NOT NULL,
  scraped_content JSONB,
  credits_used INTEGER DEFAULT 0 NOT NULL,
  title TEXT,
  description TEXT,
  h1 TEXT,
  language TEXT,
  canonical_url TEXT,
  final_url TEXT,
  status_code SMALLINT,
  meta_robots TEXT,
  schema_types TEXT[],
  has_contact_form BOOLEAN,
  word_count INTEGER,
  last_modified_at TIMESTAMP WITH TIME ZONE,
  last_scan_at TIMESTAMP WITH TIME ZONE,
  lead_source TEXT DEFAULT 'sitemap_import' NOT NULL,
  additional_json JSONB,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  page_processing_status TEXT,
  page_processing_error TEXT,
  page_processing_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  page_processing_retries INTEGER DEFAULT 0 NOT NULL,
  page_processing_rescues SMALLINT DEFAULT 0 NOT NULL,
  page_processing_crashes SMALLINT DEFAULT 0 NOT NULL,
  page_processing_lease_seq INTEGER DEFAULT 0 NOT NULL,
  page_processing_lease_until TIMESTAMP WITH TIME ZONE,
  page_processing_worker INTEGER,
  page_processing_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_pages PRIMARY KEY (id),
  CONSTRAINT ck_pages_read_page_word CHECK (page_processing_status IN ('Queued', 'Processing', 'Complete', 'Error', 'Filtered')),
  CONSTRAINT ck_pages_read_page_lease CHECK ((coalesce(page_processing_status, '') = 'Processing') = (page_processing_lease_until IS NOT NULL)),
  CONSTRAINT ck_pages_read_page_reason CHECK (coalesce(page_processing_status, '') <> 'Error' OR page_processing_error IS NOT NULL),
  CONSTRAINT ck_pages_page_curation_status_word CHECK (page_curation_status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT ck_pages_contact_scrape_status_word CHECK (contact_scrape_status IN ('New', 'ContactFound', 'NoContactFound', 'Error')),
  CONSTRAINT ck_pages_priority_level_range CHECK (priority_level BETWEEN 1 AND 3),
  CONSTRAINT uq_pages_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_pages_domain_id_url_hash_tenant_id UNIQUE (domain_id, url_hash, tenant_id),
  CONSTRAINT fk_pages_tenant_id_domain_id FOREIGN KEY(tenant_id, domain_id) REFERENCES domains (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_pages_url_length CHECK (char_length(url) <= 2048),
  CONSTRAINT ck_pages_host_length CHECK (char_length(host) <= 253),
  CONSTRAINT ck_pages_page_type_length CHECK (char_length(page_type) <= 50),
  CONSTRAINT ck_pages_title_length CHECK (char_length(title) <= 1000),
  CONSTRAINT ck_pages_description_length CHECK (char_length(description) <= 5000),
  CONSTRAINT ck_pages_h1_length CHECK (char_length(h1) <= 1000),
  CONSTRAINT ck_pages_lead_source_length CHECK (char_length(lead_source) <= 50),
  CONSTRAINT ck_pages_last_modified_at_sane CHECK (last_modified_at >= '1970-01-01 00:00:00+00' AND last_modified_at < '2200-01-01 00:00:00+00')
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE sitemap_files (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  domain_id UUID NOT NULL,
  host TEXT NOT NULL,
  url TEXT NOT NULL,
  url_hash UUID GENERATED ALWAYS AS (md5(url)::uuid) STORED NOT NULL,
  sitemap_type TEXT DEFAULT 'standard' NOT NULL,
  discovery_method TEXT DEFAULT 'manual' NOT NULL,
  sitemap_curation_status TEXT DEFAULT 'New' NOT NULL,
  priority_level SMALLINT DEFAULT 2 NOT NULL,
  parent_id UUID,
  depth SMALLINT DEFAULT 0 NOT NULL,
  url_count INTEGER DEFAULT 0 NOT NULL,
  page_count INTEGER DEFAULT 0 NOT NULL,
  size_bytes BIGINT,
  status_code SMALLINT,
  response_time_ms INTEGER,
  is_gzipped BOOLEAN,
  has_lastmod BOOLEAN,
  has_priority BOOLEAN,
  has_changefreq BOOLEAN,
  last_modified_at TIMESTAMP WITH TIME ZONE,
  generator TEXT,
  lead_source TEXT,
  job_id UUID,
  tags TEXT[] DEFAULT '{}' NOT NULL,
  notes TEXT,
  additional_json JSONB DEFAULT '{}' NOT NULL,
  created_by UUID,
  updated_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  sitemap_import_status TEXT DEFAULT 'Queued',
  sitemap_import_error TEXT,
  sitemap_import_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  sitemap_import_retries INTEGER DEFAULT 0 NOT NULL,
  sitemap_import_rescues SMALLINT DEFAULT 0 NOT NULL,
  sitemap_import_crashes SMALLINT DEFAULT 0 NOT NULL,
  sitemap_import_lease_seq INTEGER DEFAULT 0 NOT NULL,
  sitemap_import_lease_until TIMESTAMP WITH TIME ZONE,
  sitemap_import_worker INTEGER,
  sitemap_import_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_sitemap_files PRIMARY KEY (id),
  CONSTRAINT ck_sitemap_files_import_sitemap_word CHECK (sitemap_import_status IN ('Queued', 'Processing', 'Complete', 'Error')),
  CONSTRAINT ck_sitemap_files_import_sitemap_lease CHECK ((coalesce(sitemap_import_status, '') = 'Processing') = (sitemap_import_lease_until IS NOT NULL)),
  CONSTRAINT ck_sitemap_files_import_sitemap_reason CHECK (coalesce(sitemap_import_status, '') <> 'Error' OR sitemap_import_error IS NOT NULL),
  CONSTRAINT ck_sitemap_files_sitemap_curation_status_word CHECK (sitemap_curation_status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT ck_sitemap_files_priority_level_range CHECK (priority_level BETWEEN 1 AND 3),
  CONSTRAINT uq_sitemap_files_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_sitemap_files_domain_id_url_hash_tenant_id UNIQUE (domain_id, url_hash, tenant_id),
  CONSTRAINT fk_sitemap_files_tenant_id_domain_id FOREIGN KEY(tenant_id, domain_id) REFERENCES domains (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_sitemap_files_tenant_id_parent_id FOREIGN KEY(tenant_id, parent_id) REFERENCES sitemap_files (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_sitemap_files_url_length CHECK (char_length(url) <= 2048),
  CONSTRAINT ck_sitemap_files_host_length CHECK (char_length(host) <= 253),
  CONSTRAINT ck_sitemap_files_sitemap_type_length CHECK (char_length(sitemap_type) <= 50),
  CONSTRAINT ck_sitemap_files_discovery_method_length CHECK (char_length(discovery_method) <= 50),
  CONSTRAINT ck_sitemap_files_generator_length CHECK (char_length(generator) <= 500),
  CONSTRAINT ck_sitemap_files_notes_length CHECK (char_length(notes) <= 10000),
  CONSTRAINT ck_sitemap_files_last_modified_at_sane CHECK (last_modified_at >= '1970-01-01 00:00:00+00' AND last_modified_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT fk_sitemap_files_created_by FOREIGN KEY(created_by) REFERENCES users (id),
  CONSTRAINT fk_sitemap_files_updated_by FOREIGN KEY(updated_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE contacts (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  domain_id UUID NOT NULL,
  page_id UUID,
  email TEXT,
  email_type TEXT,
  email_relation TEXT,
  is_email_hidden BOOLEAN DEFAULT false NOT NULL,
  phone_number TEXT,
  phone_type TEXT,
  phone_extension TEXT,
  name TEXT,
  job_title TEXT,
  address TEXT,
  country TEXT,
  social_urls JSONB DEFAULT '{}' NOT NULL,
  confidence DOUBLE PRECISION,
  source_url TEXT NOT NULL,
  lawful_basis TEXT DEFAULT 'legitimate interest' NOT NULL,
  last_seen_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  contact_curation_status TEXT DEFAULT 'New' NOT NULL,
  email_validation_result TEXT,
  email_validation_score SMALLINT,
  email_validation_reason TEXT,
  email_validation_suggestion TEXT,
  email_validated_at TIMESTAMP WITH TIME ZONE,
  enrichment JSONB DEFAULT '{}' NOT NULL,
  last_enrichment_id TEXT,
  lead_source TEXT,
  notes TEXT,
  tags TEXT[] DEFAULT '{}' NOT NULL,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  email_validation_status TEXT,
  email_validation_error TEXT,
  email_validation_due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  email_validation_retries INTEGER DEFAULT 0 NOT NULL,
  email_validation_rescues SMALLINT DEFAULT 0 NOT NULL,
  email_validation_crashes SMALLINT DEFAULT 0 NOT NULL,
  email_validation_lease_seq INTEGER DEFAULT 0 NOT NULL,
  email_validation_lease_until TIMESTAMP WITH TIME ZONE,
  email_validation_worker INTEGER,
  email_validation_finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_contacts PRIMARY KEY (id),
  CONSTRAINT ck_contacts_validate_email_word CHECK (email_validation_status IN ('Queued', 'Processing', 'Complete', 'Error')),
  CONSTRAINT ck_contacts_validate_email_lease CHECK ((coalesce(email_validation_status, '') = 'Processing') = (email_validation_lease_until IS NOT NULL)),
  CONSTRAINT ck_contacts_validate_email_reason CHECK (coalesce(email_validation_status, '') <> 'Error' OR email_validation_error IS NOT NULL),
  CONSTRAINT ck_contacts_contact_curation_status_word CHECK (contact_curation_status IN ('New', 'Selected', 'Maybe', 'Rejected', 'Archived')),
  CONSTRAINT ck_contacts_email_validation_result_word CHECK (email_validation_result IN ('valid', 'invalid', 'catch-all', 'unknown', 'disposable')),
  CONSTRAINT uq_contacts_tenant_id_id UNIQUE (tenant_id, id),
  CONSTRAINT uq_contacts_domain_id_email_tenant_id UNIQUE (domain_id, email, tenant_id),
  CONSTRAINT ck_contacts_reachable CHECK (email IS NOT NULL OR phone_number IS NOT NULL),
  CONSTRAINT ck_contacts_email_validation_score_range CHECK (email_validation_score BETWEEN 0 AND 100),
  CONSTRAINT ck_contacts_source_url_given CHECK (source_url <> ''),
  CONSTRAINT fk_contacts_tenant_id_domain_id FOREIGN KEY(tenant_id, domain_id) REFERENCES domains (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_contacts_tenant_id_page_id FOREIGN KEY(tenant_id, page_id) REFERENCES pages (tenant_id, id),
  CONSTRAINT ck_contacts_email_length CHECK (char_length(email) <= 254),
  CONSTRAINT ck_contacts_phone_number_length CHECK (char_length(phone_number) <= 50),
  CONSTRAINT ck_contacts_name_length CHECK (char_length(name) <= 300),
  CONSTRAINT ck_contacts_job_title_length CHECK (char_length(job_title) <= 300),
  CONSTRAINT ck_contacts_address_length CHECK (char_length(address) <= 1000),
  CONSTRAINT ck_contacts_source_url_length CHECK (char_length(source_url) <= 2048),
  CONSTRAINT ck_contacts_notes_length CHECK (char_length(notes) <= 10000),
  CONSTRAINT ck_contacts_email_validated_at_sane CHECK (email_validated_at >= '1970-01-01 00:00:00+00' AND email_validated_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT ck_contacts_last_seen_at_sane CHECK (last_seen_at >= '1970-01-01 00:00:00+00' AND last_seen_at < '2200-01-01 00:00:00+00'),
  CONSTRAINT fk_contacts_created_by FOREIGN KEY(created_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE page_bodies (
  tenant_id UUID NOT NULL,
  page_id UUID NOT NULL,
  body BYTEA NOT NULL,
  compression TEXT DEFAULT 'zstd' NOT NULL,
  content_hash BYTEA NOT NULL,
  content_type TEXT,
  charset TEXT,
  final_url TEXT NOT NULL,
  status_code SMALLINT NOT NULL,
  size_bytes INTEGER NOT NULL,
  fetched_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  expires_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_page_bodies PRIMARY KEY (page_id),
  CONSTRAINT fk_page_bodies_tenant_id_page_id FOREIGN KEY(tenant_id, page_id) REFERENCES pages (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_page_bodies_content_hash_length CHECK (octet_length(content_hash) = 32),
  CONSTRAINT ck_page_bodies_compression_length CHECK (char_length(compression) <= 20),
  CONSTRAINT ck_page_bodies_content_type_length CHECK (char_length(content_type) <= 300),
  CONSTRAINT ck_page_bodies_charset_length CHECK (char_length(charset) <= 50),
  CONSTRAINT ck_page_bodies_final_url_length CHECK (char_length(final_url) <= 2048)
);

CREATE TABLE page_sitemaps (
  tenant_id UUID NOT NULL,
  page_id UUID NOT NULL,
  sitemap_file_id UUID NOT NULL,
  last_modified_at TIMESTAMP WITH TIME ZONE,
  change_frequency TEXT,
  priority_value DOUBLE PRECISION,
  CONSTRAINT pk_page_sitemaps PRIMARY KEY (page_id, sitemap_file_id),
  CONSTRAINT fk_page_sitemaps_tenant_id_page_id FOREIGN KEY(tenant_id, page_id) REFERENCES pages (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_page_sitemaps_tenant_id_sitemap_file_id FOREIGN KEY(tenant_id, sitemap_file_id) REFERENCES sitemap_files (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_page_sitemaps_change_frequency_length CHECK (char_length(change_frequency) <= 20),
  CONSTRAINT ck_page_sitemaps_last_modified_at_sane CHECK (last_modified_at >= '1970-01-01 00:00:00+00' AND last_modified_at < '2200-01-01 00:00:00+00')
);

CREATE TABLE deliveries (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  contact_id UUID NOT NULL,
  destination_id UUID NOT NULL,
  external_id TEXT,
  answer JSONB DEFAULT '{}' NOT NULL,
  delivered_at TIMESTAMP WITH TIME ZONE,
  created_by UUID,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  status TEXT DEFAULT 'Queued',
  error TEXT,
  due_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  retries INTEGER DEFAULT 0 NOT NULL,
  rescues SMALLINT DEFAULT 0 NOT NULL,
  crashes SMALLINT DEFAULT 0 NOT NULL,
  lease_seq INTEGER DEFAULT 0 NOT NULL,
  lease_until TIMESTAMP WITH TIME ZONE,
  worker INTEGER,
  finished_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_deliveries PRIMARY KEY (id),
  CONSTRAINT ck_deliveries_deliver_word CHECK (status IN ('Queued', 'Processing', 'Complete', 'Error')),
  CONSTRAINT ck_deliveries_deliver_lease CHECK ((coalesce(status, '') = 'Processing') = (lease_until IS NOT NULL)),
  CONSTRAINT ck_deliveries_deliver_reason CHECK (coalesce(status, '') <> 'Error' OR error IS NOT NULL),
  CONSTRAINT uq_deliveries_contact_id_destination_id_tenant_id UNIQUE (contact_id, destination_id, tenant_id),
  CONSTRAINT fk_deliveries_tenant_id_contact_id FOREIGN KEY(tenant_id, contact_id) REFERENCES contacts (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_deliveries_tenant_id_destination_id FOREIGN KEY(tenant_id, destination_id) REFERENCES destinations (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_deliveries_external_id_length CHECK (char_length(external_id) <= 500),
  CONSTRAINT fk_deliveries_created_by FOREIGN KEY(created_by) REFERENCES users (id)
)
 WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 50);

CREATE TABLE sightings (
  id UUID DEFAULT scrapersky_uuid7() NOT NULL,
  tenant_id UUID NOT NULL,
  contact_id UUID NOT NULL,
  page_id UUID NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  method TEXT NOT NULL,
  quote TEXT NOT NULL,
  place TEXT DEFAULT 'text' NOT NULL,
  start INTEGER DEFAULT -1 NOT NULL,
  confidence DOUBLE PRECISION,
  extractor_version TEXT NOT NULL,
  first_seen_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  last_seen_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_sightings PRIMARY KEY (id),
  CONSTRAINT ck_sightings_place_word CHECK (place IN ('text', 'html')),
  CONSTRAINT uq_sightings_contact_id_page_id_field_method_tenant_id UNIQUE (contact_id, page_id, field, method, tenant_id),
  CONSTRAINT fk_sightings_tenant_id_contact_id FOREIGN KEY(tenant_id, contact_id) REFERENCES contacts (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT fk_sightings_tenant_id_page_id FOREIGN KEY(tenant_id, page_id) REFERENCES pages (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT ck_sightings_field_length CHECK (char_length(field) <= 30),
  CONSTRAINT ck_sightings_value_length CHECK (char_length(value) <= 1000),
  CONSTRAINT ck_sightings_method_length CHECK (char_length(method) <= 50),
  CONSTRAINT ck_sightings_quote_length CHECK (char_length(quote) <= 300),
  CONSTRAINT ck_sightings_extractor_version_length CHECK (char_length(extractor_version) <= 50)
);

CREATE INDEX ix_alerts_created_at ON alerts (created_at);

CREATE UNIQUE INDEX uq_alerts_open ON alerts (kind, subject) WHERE over_at IS NULL;

CREATE INDEX ix_hosts_awaits_discover_sitemaps ON hosts (GREATEST(next_allowed_at, awaits_discover_sitemaps)) WHERE awaits_discover_sitemaps IS NOT NULL;

CREATE INDEX ix_hosts_awaits_import_sitemap ON hosts (GREATEST(next_allowed_at, awaits_import_sitemap)) WHERE awaits_import_sitemap IS NOT NULL;

CREATE INDEX ix_hosts_awaits_read_metadata ON hosts (GREATEST(next_allowed_at, awaits_read_metadata)) WHERE awaits_read_metadata IS NOT NULL;

CREATE INDEX ix_hosts_awaits_read_page ON hosts (GREATEST(next_allowed_at, awaits_read_page)) WHERE awaits_read_page IS NOT NULL;

CREATE INDEX ix_stage_stats_minute ON stage_stats (minute);

CREATE INDEX ix_zombies_created_at ON zombies (created_at);

CREATE INDEX ix_zombies_stage_row_id ON zombies (stage, row_id);

CREATE INDEX ix_audit_log_row_id ON audit_log (row_id);

CREATE INDEX ix_audit_log_tenant_id_created_at ON audit_log (tenant_id, created_at);

CREATE INDEX ix_api_keys_user_id ON api_keys (user_id);

CREATE INDEX ix_operations_created_at ON operations (created_at);

CREATE INDEX ix_search_places_dead ON place_searches (tenant_id, finished_at) WHERE status = 'failed';

CREATE INDEX ix_search_places_lease ON place_searches (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX ix_search_places_queue ON place_searches (tenant_id, due_at) WHERE status = 'pending';

CREATE INDEX ix_saved_views_user_id ON saved_views (user_id);

CREATE UNIQUE INDEX uq_suppressions_all ON suppressions (kind, keyed_hash) WHERE tenant_id IS NULL;

CREATE UNIQUE INDEX uq_suppressions_tenant ON suppressions (tenant_id, kind, keyed_hash) WHERE tenant_id IS NOT NULL;

CREATE INDEX ix_deep_scan_dead ON places_staging (tenant_id, deep_scan_finished_at) WHERE deep_scan_status = 'Error';

CREATE INDEX ix_deep_scan_lease ON places_staging (deep_scan_lease_until) WHERE deep_scan_lease_until IS NOT NULL;

CREATE INDEX ix_deep_scan_queue ON places_staging (tenant_id, deep_scan_due_at) WHERE deep_scan_status = 'Queued' AND status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_places_staging_expires_at ON places_staging (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX ix_places_staging_search_id ON places_staging (search_id);

CREATE INDEX ix_extract_domain_dead ON local_businesses (tenant_id, domain_extraction_finished_at) WHERE domain_extraction_status = 'Error';

CREATE INDEX ix_extract_domain_lease ON local_businesses (domain_extraction_lease_until) WHERE domain_extraction_lease_until IS NOT NULL;

CREATE INDEX ix_extract_domain_queue ON local_businesses (tenant_id, domain_extraction_due_at) WHERE domain_extraction_status = 'Queued' AND status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_local_businesses_expires_at ON local_businesses (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX ix_local_businesses_place_row_id ON local_businesses (place_row_id);

CREATE INDEX idx_domains_curation_analysis ON domains (sitemap_curation_status, sitemap_analysis_status);

CREATE INDEX ix_domains_local_business_id ON domains (local_business_id);

CREATE INDEX ix_read_metadata_dead ON domains (tenant_id, finished_at) WHERE status = 'error';

CREATE INDEX ix_read_metadata_host ON domains (host, due_at) WHERE status = 'pending' AND sitemap_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_read_metadata_lease ON domains (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX ix_read_metadata_queue ON domains (tenant_id, due_at) WHERE status = 'pending' AND sitemap_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_submit_domain_dead ON domains (tenant_id, sitemap_analysis_finished_at) WHERE sitemap_analysis_status = 'failed';

CREATE INDEX ix_submit_domain_lease ON domains (sitemap_analysis_lease_until) WHERE sitemap_analysis_lease_until IS NOT NULL;

CREATE INDEX ix_submit_domain_queue ON domains (tenant_id, sitemap_analysis_due_at) WHERE sitemap_analysis_status = 'queued' AND sitemap_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_discover_sitemaps_dead ON jobs (tenant_id, finished_at) WHERE status = 'failed' AND job_type = 'sitemap';

CREATE INDEX ix_discover_sitemaps_host ON jobs (host, next_retry_at) WHERE status = 'pending' AND job_type = 'sitemap';

CREATE INDEX ix_discover_sitemaps_lease ON jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX ix_discover_sitemaps_queue ON jobs (tenant_id, next_retry_at) WHERE status = 'pending' AND job_type = 'sitemap';

CREATE INDEX ix_jobs_created_at ON jobs (created_at);

CREATE INDEX ix_jobs_domain_id ON jobs (domain_id) WHERE domain_id IS NOT NULL;

CREATE INDEX ix_run_job_dead ON jobs (tenant_id, finished_at) WHERE status = 'failed' AND job_type <> 'sitemap';

CREATE INDEX ix_run_job_lease ON jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX ix_run_job_queue ON jobs (tenant_id, next_retry_at) WHERE status = 'pending' AND job_type <> 'sitemap';

CREATE INDEX idx_pages_curation_processing ON pages (page_curation_status, page_processing_status);

CREATE INDEX idx_pages_url_trgm ON pages USING gin (url gin_trgm_ops);

CREATE INDEX ix_pages_promising ON pages (tenant_id, priority_level, id DESC) WHERE priority_level < 3;

CREATE INDEX ix_pages_read ON pages (tenant_id, domain_id, page_processing_finished_at) WHERE page_processing_status = 'Complete';

CREATE INDEX ix_read_page_dead ON pages (tenant_id, page_processing_finished_at) WHERE page_processing_status = 'Error';

CREATE INDEX ix_read_page_host ON pages (host, priority_level, page_processing_due_at) WHERE page_processing_status = 'Queued' AND page_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_read_page_lease ON pages (page_processing_lease_until) WHERE page_processing_lease_until IS NOT NULL;

CREATE INDEX ix_read_page_queue ON pages (tenant_id, priority_level, page_processing_due_at) WHERE page_processing_status = 'Queued' AND page_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX idx_sitemap_files_curation_status ON sitemap_files (sitemap_curation_status);

CREATE INDEX idx_sitemap_files_domain_status ON sitemap_files (domain_id, sitemap_import_status);

CREATE INDEX ix_import_sitemap_dead ON sitemap_files (tenant_id, sitemap_import_finished_at) WHERE sitemap_import_status = 'Error';

CREATE INDEX ix_import_sitemap_host ON sitemap_files (host, priority_level, sitemap_import_due_at) WHERE sitemap_import_status = 'Queued' AND sitemap_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_import_sitemap_lease ON sitemap_files (sitemap_import_lease_until) WHERE sitemap_import_lease_until IS NOT NULL;

CREATE INDEX ix_import_sitemap_queue ON sitemap_files (tenant_id, priority_level, sitemap_import_due_at) WHERE sitemap_import_status = 'Queued' AND sitemap_curation_status NOT IN ('Rejected', 'Archived');

CREATE INDEX ix_sitemap_files_job_id ON sitemap_files (job_id) WHERE job_id IS NOT NULL;

CREATE INDEX ix_sitemap_files_parent_id ON sitemap_files (parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX idx_contacts_email_trgm ON contacts USING gin (email gin_trgm_ops);

CREATE INDEX ix_contacts_email ON contacts (email, tenant_id);

CREATE INDEX ix_contacts_page_id ON contacts (page_id);

CREATE INDEX ix_contacts_phone_number ON contacts (phone_number, tenant_id);

CREATE INDEX ix_validate_email_dead ON contacts (tenant_id, email_validation_finished_at) WHERE email_validation_status = 'Error';

CREATE INDEX ix_validate_email_lease ON contacts (email_validation_lease_until) WHERE email_validation_lease_until IS NOT NULL;

CREATE INDEX ix_validate_email_queue ON contacts (tenant_id, email_validation_due_at) WHERE email_validation_status = 'Queued' AND contact_curation_status NOT IN ('Rejected', 'Archived');

CREATE UNIQUE INDEX uq_contacts_phone_only ON contacts (domain_id, phone_number, tenant_id) WHERE email IS NULL;

CREATE INDEX ix_page_bodies_expires_at ON page_bodies (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX ix_page_sitemaps_sitemap_file_id ON page_sitemaps (sitemap_file_id);

CREATE INDEX ix_deliver_dead ON deliveries (tenant_id, finished_at) WHERE status = 'Error';

CREATE INDEX ix_deliver_lease ON deliveries (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX ix_deliver_queue ON deliveries (tenant_id, due_at) WHERE status = 'Queued';

CREATE INDEX ix_deliveries_contact_id ON deliveries (contact_id);

CREATE INDEX ix_sightings_page_id ON sightings (page_id);

ALTER TABLE page_bodies ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TRIGGER domains_0_host BEFORE INSERT ON domains FOR EACH ROW WHEN (NEW.host IS NULL) EXECUTE FUNCTION domains_host();

CREATE TRIGGER sitemap_files_0_host BEFORE INSERT ON sitemap_files FOR EACH ROW WHEN (NEW.host IS NULL) EXECUTE FUNCTION scrapersky_host();

CREATE TRIGGER pages_0_host BEFORE INSERT ON pages FOR EACH ROW WHEN (NEW.host IS NULL) EXECUTE FUNCTION scrapersky_host();

CREATE TRIGGER jobs_0_host BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.host = '' AND NEW.domain_id IS NOT NULL) EXECUTE FUNCTION scrapersky_host();

CREATE TRIGGER audit_log_guard BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_guard();

CREATE TRIGGER audit_log_guard_all BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_guard();

CREATE TRIGGER alerts_touch BEFORE UPDATE ON alerts FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER tenants_touch BEFORE UPDATE ON tenants FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER users_touch BEFORE UPDATE ON users FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER api_keys_touch BEFORE UPDATE ON api_keys FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER destinations_touch BEFORE UPDATE ON destinations FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER operations_touch BEFORE UPDATE ON operations FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER place_searches_touch BEFORE UPDATE ON place_searches FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.status = OLD.status AND NEW.lease_until > OLD.lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER saved_views_touch BEFORE UPDATE ON saved_views FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER stage_controls_touch BEFORE UPDATE ON stage_controls FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER suppressions_touch BEFORE UPDATE ON suppressions FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER places_staging_touch BEFORE UPDATE ON places_staging FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.deep_scan_status = OLD.deep_scan_status AND NEW.deep_scan_lease_until > OLD.deep_scan_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER local_businesses_touch BEFORE UPDATE ON local_businesses FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.domain_extraction_status = OLD.domain_extraction_status AND NEW.domain_extraction_lease_until > OLD.domain_extraction_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER domains_touch BEFORE UPDATE ON domains FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.status = OLD.status AND NEW.lease_until > OLD.lease_until) OR (NEW.sitemap_analysis_status = OLD.sitemap_analysis_status AND NEW.sitemap_analysis_lease_until > OLD.sitemap_analysis_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER jobs_touch BEFORE UPDATE ON jobs FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.status = OLD.status AND NEW.lease_until > OLD.lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER pages_touch BEFORE UPDATE ON pages FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.page_processing_status = OLD.page_processing_status AND NEW.page_processing_lease_until > OLD.page_processing_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER sitemap_files_touch BEFORE UPDATE ON sitemap_files FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.sitemap_import_status = OLD.sitemap_import_status AND NEW.sitemap_import_lease_until > OLD.sitemap_import_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER contacts_touch BEFORE UPDATE ON contacts FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.email_validation_status = OLD.email_validation_status AND NEW.email_validation_lease_until > OLD.email_validation_lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER deliveries_touch BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at AND NOT coalesce((NEW.status = OLD.status AND NEW.lease_until > OLD.lease_until), false)) EXECUTE FUNCTION scrapersky_touch();

CREATE TRIGGER sightings_touch BEFORE UPDATE ON sightings FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION scrapersky_touch();

CREATE FUNCTION search_places_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'place_searches.status cannot change from % to %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER search_places_1_refuse BEFORE UPDATE ON place_searches FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT coalesce((NEW.status = 'pending') OR (OLD.status = 'pending' AND (NEW.status IS NULL OR NEW.status IN ('processing'))) OR (OLD.status = 'processing' AND NEW.status IN ('complete', 'failed')) OR ((OLD.status IS NULL OR OLD.status IN ('complete', 'failed')) AND (NEW.status IS NULL)), false)) EXECUTE FUNCTION search_places_refuse();

CREATE FUNCTION search_places_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.status IS DISTINCT FROM 'processing' THEN
    NEW.retries := 0; NEW.error := NULL;
    NEW.rescues := 0; NEW.crashes := 0;
    IF NEW.due_at = OLD.due_at THEN NEW.due_at := now(); END IF;
  END IF;
  NEW.lease_until := NULL; NEW.worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER search_places_2_requeue BEFORE UPDATE ON place_searches FOR EACH ROW
  WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION search_places_requeue();

CREATE FUNCTION search_places_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'search_places' THEN
    PERFORM pg_notify('scrapersky', 'search_places');
    IF NEW.due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'search_places', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER search_places_wake_new AFTER INSERT ON place_searches FOR EACH ROW
  WHEN (NEW.status = 'pending') EXECUTE FUNCTION search_places_wake();

CREATE TRIGGER search_places_wake_again AFTER UPDATE ON place_searches FOR EACH ROW
  WHEN (NOT coalesce(OLD.status = 'pending', false) AND NEW.status = 'pending') EXECUTE FUNCTION search_places_wake();

CREATE FUNCTION deep_scan_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'places_staging.deep_scan_status cannot change from % to %', OLD.deep_scan_status, NEW.deep_scan_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER deep_scan_1_refuse BEFORE UPDATE ON places_staging FOR EACH ROW
  WHEN (OLD.deep_scan_status IS DISTINCT FROM NEW.deep_scan_status AND NOT coalesce((NEW.deep_scan_status = 'Queued') OR (OLD.deep_scan_status = 'Queued' AND (NEW.deep_scan_status IS NULL OR NEW.deep_scan_status IN ('Processing'))) OR (OLD.deep_scan_status = 'Processing' AND NEW.deep_scan_status IN ('Completed', 'Error')) OR ((OLD.deep_scan_status IS NULL OR OLD.deep_scan_status IN ('Completed', 'Error')) AND (NEW.deep_scan_status IS NULL)), false)) EXECUTE FUNCTION deep_scan_refuse();

CREATE FUNCTION deep_scan_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.deep_scan_status IS DISTINCT FROM 'Processing' THEN
    NEW.deep_scan_retries := 0; NEW.deep_scan_error := NULL;
    NEW.deep_scan_rescues := 0; NEW.deep_scan_crashes := 0;
    IF NEW.deep_scan_due_at = OLD.deep_scan_due_at THEN NEW.deep_scan_due_at := now(); END IF;
  END IF;
  NEW.deep_scan_lease_until := NULL; NEW.deep_scan_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER deep_scan_2_requeue BEFORE UPDATE ON places_staging FOR EACH ROW
  WHEN (NEW.deep_scan_status = 'Queued' AND OLD.deep_scan_status IS DISTINCT FROM NEW.deep_scan_status) EXECUTE FUNCTION deep_scan_requeue();

CREATE FUNCTION deep_scan_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'deep_scan' THEN
    PERFORM pg_notify('scrapersky', 'deep_scan');
    IF NEW.deep_scan_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'deep_scan', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER deep_scan_wake_new AFTER INSERT ON places_staging FOR EACH ROW
  WHEN (NEW.deep_scan_status = 'Queued' AND NEW.status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION deep_scan_wake();

CREATE TRIGGER deep_scan_wake_again AFTER UPDATE ON places_staging FOR EACH ROW
  WHEN (NOT coalesce(OLD.deep_scan_status = 'Queued' AND OLD.status NOT IN ('Rejected', 'Archived'), false) AND NEW.deep_scan_status = 'Queued' AND NEW.status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION deep_scan_wake();

CREATE FUNCTION extract_domain_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'local_businesses.domain_extraction_status cannot change from % to %', OLD.domain_extraction_status, NEW.domain_extraction_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER extract_domain_1_refuse BEFORE UPDATE ON local_businesses FOR EACH ROW
  WHEN (OLD.domain_extraction_status IS DISTINCT FROM NEW.domain_extraction_status AND NOT coalesce((NEW.domain_extraction_status = 'Queued') OR (OLD.domain_extraction_status = 'Queued' AND (NEW.domain_extraction_status IS NULL OR NEW.domain_extraction_status IN ('Processing'))) OR (OLD.domain_extraction_status = 'Processing' AND NEW.domain_extraction_status IN ('Completed', 'Error')) OR ((OLD.domain_extraction_status IS NULL OR OLD.domain_extraction_status IN ('Completed', 'Error')) AND (NEW.domain_extraction_status IS NULL)), false)) EXECUTE FUNCTION extract_domain_refuse();

CREATE FUNCTION extract_domain_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.domain_extraction_status IS DISTINCT FROM 'Processing' THEN
    NEW.domain_extraction_retries := 0; NEW.domain_extraction_error := NULL;
    NEW.domain_extraction_rescues := 0; NEW.domain_extraction_crashes := 0;
    IF NEW.domain_extraction_due_at = OLD.domain_extraction_due_at THEN NEW.domain_extraction_due_at := now(); END IF;
  END IF;
  NEW.domain_extraction_lease_until := NULL; NEW.domain_extraction_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER extract_domain_2_requeue BEFORE UPDATE ON local_businesses FOR EACH ROW
  WHEN (NEW.domain_extraction_status = 'Queued' AND OLD.domain_extraction_status IS DISTINCT FROM NEW.domain_extraction_status) EXECUTE FUNCTION extract_domain_requeue();

CREATE FUNCTION extract_domain_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'extract_domain' THEN
    PERFORM pg_notify('scrapersky', 'extract_domain');
    IF NEW.domain_extraction_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'extract_domain', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER extract_domain_wake_new AFTER INSERT ON local_businesses FOR EACH ROW
  WHEN (NEW.domain_extraction_status = 'Queued' AND NEW.status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION extract_domain_wake();

CREATE TRIGGER extract_domain_wake_again AFTER UPDATE ON local_businesses FOR EACH ROW
  WHEN (NOT coalesce(OLD.domain_extraction_status = 'Queued' AND OLD.status NOT IN ('Rejected', 'Archived'), false) AND NEW.domain_extraction_status = 'Queued' AND NEW.status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION extract_domain_wake();

CREATE FUNCTION read_metadata_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'domains.status cannot change from % to %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER read_metadata_1_refuse BEFORE UPDATE ON domains FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT coalesce((NEW.status = 'pending') OR (OLD.status = 'pending' AND (NEW.status IS NULL OR NEW.status IN ('processing'))) OR (OLD.status = 'processing' AND NEW.status IN ('completed', 'error')) OR ((OLD.status IS NULL OR OLD.status IN ('completed', 'error')) AND (NEW.status IS NULL)), false)) EXECUTE FUNCTION read_metadata_refuse();

CREATE FUNCTION read_metadata_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.status IS DISTINCT FROM 'processing' THEN
    NEW.retries := 0; NEW.error := NULL;
    NEW.rescues := 0; NEW.crashes := 0;
    IF NEW.due_at = OLD.due_at THEN NEW.due_at := now(); END IF;
  END IF;
  NEW.lease_until := NULL; NEW.worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER read_metadata_2_requeue BEFORE UPDATE ON domains FOR EACH ROW
  WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION read_metadata_requeue();

CREATE FUNCTION read_metadata_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'read_metadata' || NEW.host THEN
    INSERT INTO hosts (host, awaits_read_metadata) VALUES (NEW.host, NEW.due_at)
      ON CONFLICT (host) DO UPDATE SET awaits_read_metadata = least(hosts.awaits_read_metadata, excluded.awaits_read_metadata);
    PERFORM pg_notify('scrapersky', 'read_metadata');
    IF NEW.due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'read_metadata' || NEW.host, true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER read_metadata_wake_new AFTER INSERT ON domains FOR EACH ROW
  WHEN (NEW.status = 'pending' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION read_metadata_wake();

CREATE TRIGGER read_metadata_wake_again AFTER UPDATE ON domains FOR EACH ROW
  WHEN (NOT coalesce(OLD.status = 'pending' AND OLD.sitemap_curation_status NOT IN ('Rejected', 'Archived'), false) AND NEW.status = 'pending' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION read_metadata_wake();

CREATE FUNCTION submit_domain_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'domains.sitemap_analysis_status cannot change from % to %', OLD.sitemap_analysis_status, NEW.sitemap_analysis_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER submit_domain_1_refuse BEFORE UPDATE ON domains FOR EACH ROW
  WHEN (OLD.sitemap_analysis_status IS DISTINCT FROM NEW.sitemap_analysis_status AND NOT coalesce((NEW.sitemap_analysis_status = 'queued') OR (OLD.sitemap_analysis_status = 'queued' AND (NEW.sitemap_analysis_status IS NULL OR NEW.sitemap_analysis_status IN ('processing', 'pending'))) OR (OLD.sitemap_analysis_status = 'processing' AND NEW.sitemap_analysis_status IN ('submitted', 'failed', 'pending')) OR ((OLD.sitemap_analysis_status IS NULL OR OLD.sitemap_analysis_status IN ('submitted', 'failed', 'pending')) AND (NEW.sitemap_analysis_status IS NULL OR NEW.sitemap_analysis_status IN ('pending'))), false)) EXECUTE FUNCTION submit_domain_refuse();

CREATE FUNCTION submit_domain_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.sitemap_analysis_status IS DISTINCT FROM 'processing' THEN
    NEW.sitemap_analysis_retries := 0; NEW.sitemap_analysis_error := NULL;
    NEW.sitemap_analysis_rescues := 0; NEW.sitemap_analysis_crashes := 0;
    IF NEW.sitemap_analysis_due_at = OLD.sitemap_analysis_due_at THEN NEW.sitemap_analysis_due_at := now(); END IF;
  END IF;
  NEW.sitemap_analysis_lease_until := NULL; NEW.sitemap_analysis_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER submit_domain_2_requeue BEFORE UPDATE ON domains FOR EACH ROW
  WHEN (NEW.sitemap_analysis_status = 'queued' AND OLD.sitemap_analysis_status IS DISTINCT FROM NEW.sitemap_analysis_status) EXECUTE FUNCTION submit_domain_requeue();

CREATE FUNCTION submit_domain_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'submit_domain' THEN
    PERFORM pg_notify('scrapersky', 'submit_domain');
    IF NEW.sitemap_analysis_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'submit_domain', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER submit_domain_wake_new AFTER INSERT ON domains FOR EACH ROW
  WHEN (NEW.sitemap_analysis_status = 'queued' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION submit_domain_wake();

CREATE TRIGGER submit_domain_wake_again AFTER UPDATE ON domains FOR EACH ROW
  WHEN (NOT coalesce(OLD.sitemap_analysis_status = 'queued' AND OLD.sitemap_curation_status NOT IN ('Rejected', 'Archived'), false) AND NEW.sitemap_analysis_status = 'queued' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION submit_domain_wake();

CREATE FUNCTION discover_sitemaps_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'discover_sitemaps' || NEW.host THEN
    INSERT INTO hosts (host, awaits_discover_sitemaps) VALUES (NEW.host, NEW.next_retry_at)
      ON CONFLICT (host) DO UPDATE SET awaits_discover_sitemaps = least(hosts.awaits_discover_sitemaps, excluded.awaits_discover_sitemaps);
    PERFORM pg_notify('scrapersky', 'discover_sitemaps');
    IF NEW.next_retry_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'discover_sitemaps' || NEW.host, true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER discover_sitemaps_wake_new AFTER INSERT ON jobs FOR EACH ROW
  WHEN (NEW.status = 'pending' AND NEW.job_type = 'sitemap') EXECUTE FUNCTION discover_sitemaps_wake();

CREATE TRIGGER discover_sitemaps_wake_again AFTER UPDATE ON jobs FOR EACH ROW
  WHEN (NOT coalesce(OLD.status = 'pending' AND OLD.job_type = 'sitemap', false) AND NEW.status = 'pending' AND NEW.job_type = 'sitemap') EXECUTE FUNCTION discover_sitemaps_wake();

CREATE FUNCTION run_job_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'jobs.status cannot change from % to %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER run_job_1_refuse BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT coalesce((NEW.status = 'pending') OR (OLD.status = 'pending' AND (NEW.status IS NULL OR NEW.status IN ('running', 'cancelled'))) OR (OLD.status = 'running' AND NEW.status IN ('complete', 'failed', 'cancelled')) OR ((OLD.status IS NULL OR OLD.status IN ('complete', 'failed', 'cancelled')) AND (NEW.status IS NULL OR NEW.status IN ('cancelled'))), false)) EXECUTE FUNCTION run_job_refuse();

CREATE FUNCTION run_job_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.status IS DISTINCT FROM 'running' THEN
    NEW.retry_count := 0; NEW.error := NULL;
    NEW.rescues := 0; NEW.crashes := 0;
    IF NEW.next_retry_at = OLD.next_retry_at THEN NEW.next_retry_at := now(); END IF;
  END IF;
  NEW.lease_until := NULL; NEW.worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER run_job_2_requeue BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION run_job_requeue();

CREATE FUNCTION run_job_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'run_job' THEN
    PERFORM pg_notify('scrapersky', 'run_job');
    IF NEW.next_retry_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'run_job', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER run_job_wake_new AFTER INSERT ON jobs FOR EACH ROW
  WHEN (NEW.status = 'pending' AND NEW.job_type <> 'sitemap') EXECUTE FUNCTION run_job_wake();

CREATE TRIGGER run_job_wake_again AFTER UPDATE ON jobs FOR EACH ROW
  WHEN (NOT coalesce(OLD.status = 'pending' AND OLD.job_type <> 'sitemap', false) AND NEW.status = 'pending' AND NEW.job_type <> 'sitemap') EXECUTE FUNCTION run_job_wake();

CREATE FUNCTION import_sitemap_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'sitemap_files.sitemap_import_status cannot change from % to %', OLD.sitemap_import_status, NEW.sitemap_import_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER import_sitemap_1_refuse BEFORE UPDATE ON sitemap_files FOR EACH ROW
  WHEN (OLD.sitemap_import_status IS DISTINCT FROM NEW.sitemap_import_status AND NOT coalesce((NEW.sitemap_import_status = 'Queued') OR (OLD.sitemap_import_status = 'Queued' AND (NEW.sitemap_import_status IS NULL OR NEW.sitemap_import_status IN ('Processing'))) OR (OLD.sitemap_import_status = 'Processing' AND NEW.sitemap_import_status IN ('Complete', 'Error')) OR ((OLD.sitemap_import_status IS NULL OR OLD.sitemap_import_status IN ('Complete', 'Error')) AND (NEW.sitemap_import_status IS NULL)), false)) EXECUTE FUNCTION import_sitemap_refuse();

CREATE FUNCTION import_sitemap_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.sitemap_import_status IS DISTINCT FROM 'Processing' THEN
    NEW.sitemap_import_retries := 0; NEW.sitemap_import_error := NULL;
    NEW.sitemap_import_rescues := 0; NEW.sitemap_import_crashes := 0;
    IF NEW.sitemap_import_due_at = OLD.sitemap_import_due_at THEN NEW.sitemap_import_due_at := now(); END IF;
  END IF;
  NEW.sitemap_import_lease_until := NULL; NEW.sitemap_import_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER import_sitemap_2_requeue BEFORE UPDATE ON sitemap_files FOR EACH ROW
  WHEN (NEW.sitemap_import_status = 'Queued' AND OLD.sitemap_import_status IS DISTINCT FROM NEW.sitemap_import_status) EXECUTE FUNCTION import_sitemap_requeue();

CREATE FUNCTION import_sitemap_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'import_sitemap' || NEW.host THEN
    INSERT INTO hosts (host, awaits_import_sitemap) VALUES (NEW.host, NEW.sitemap_import_due_at)
      ON CONFLICT (host) DO UPDATE SET awaits_import_sitemap = least(hosts.awaits_import_sitemap, excluded.awaits_import_sitemap);
    PERFORM pg_notify('scrapersky', 'import_sitemap');
    IF NEW.sitemap_import_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'import_sitemap' || NEW.host, true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER import_sitemap_wake_new AFTER INSERT ON sitemap_files FOR EACH ROW
  WHEN (NEW.sitemap_import_status = 'Queued' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION import_sitemap_wake();

CREATE TRIGGER import_sitemap_wake_again AFTER UPDATE ON sitemap_files FOR EACH ROW
  WHEN (NOT coalesce(OLD.sitemap_import_status = 'Queued' AND OLD.sitemap_curation_status NOT IN ('Rejected', 'Archived'), false) AND NEW.sitemap_import_status = 'Queued' AND NEW.sitemap_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION import_sitemap_wake();

CREATE FUNCTION read_page_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'pages.page_processing_status cannot change from % to %', OLD.page_processing_status, NEW.page_processing_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER read_page_1_refuse BEFORE UPDATE ON pages FOR EACH ROW
  WHEN (OLD.page_processing_status IS DISTINCT FROM NEW.page_processing_status AND NOT coalesce((NEW.page_processing_status = 'Queued') OR (OLD.page_processing_status = 'Queued' AND (NEW.page_processing_status IS NULL OR NEW.page_processing_status IN ('Processing', 'Filtered'))) OR (OLD.page_processing_status = 'Processing' AND NEW.page_processing_status IN ('Complete', 'Error', 'Filtered')) OR ((OLD.page_processing_status IS NULL OR OLD.page_processing_status IN ('Complete', 'Error', 'Filtered')) AND (NEW.page_processing_status IS NULL OR NEW.page_processing_status IN ('Filtered'))), false)) EXECUTE FUNCTION read_page_refuse();

CREATE FUNCTION read_page_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.page_processing_status IS DISTINCT FROM 'Processing' THEN
    NEW.page_processing_retries := 0; NEW.page_processing_error := NULL;
    NEW.page_processing_rescues := 0; NEW.page_processing_crashes := 0;
    IF NEW.page_processing_due_at = OLD.page_processing_due_at THEN NEW.page_processing_due_at := now(); END IF;
  END IF;
  NEW.page_processing_lease_until := NULL; NEW.page_processing_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER read_page_2_requeue BEFORE UPDATE ON pages FOR EACH ROW
  WHEN (NEW.page_processing_status = 'Queued' AND OLD.page_processing_status IS DISTINCT FROM NEW.page_processing_status) EXECUTE FUNCTION read_page_requeue();

CREATE FUNCTION read_page_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'read_page' || NEW.host THEN
    INSERT INTO hosts (host, awaits_read_page) VALUES (NEW.host, NEW.page_processing_due_at)
      ON CONFLICT (host) DO UPDATE SET awaits_read_page = least(hosts.awaits_read_page, excluded.awaits_read_page);
    PERFORM pg_notify('scrapersky', 'read_page');
    IF NEW.page_processing_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'read_page' || NEW.host, true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER read_page_wake_new AFTER INSERT ON pages FOR EACH ROW
  WHEN (NEW.page_processing_status = 'Queued' AND NEW.page_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION read_page_wake();

CREATE TRIGGER read_page_wake_again AFTER UPDATE ON pages FOR EACH ROW
  WHEN (NOT coalesce(OLD.page_processing_status = 'Queued' AND OLD.page_curation_status NOT IN ('Rejected', 'Archived'), false) AND NEW.page_processing_status = 'Queued' AND NEW.page_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION read_page_wake();

CREATE FUNCTION validate_email_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'contacts.email_validation_status cannot change from % to %', OLD.email_validation_status, NEW.email_validation_status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER validate_email_1_refuse BEFORE UPDATE ON contacts FOR EACH ROW
  WHEN (OLD.email_validation_status IS DISTINCT FROM NEW.email_validation_status AND NOT coalesce((NEW.email_validation_status = 'Queued') OR (OLD.email_validation_status = 'Queued' AND (NEW.email_validation_status IS NULL OR NEW.email_validation_status IN ('Processing'))) OR (OLD.email_validation_status = 'Processing' AND NEW.email_validation_status IN ('Complete', 'Error')) OR ((OLD.email_validation_status IS NULL OR OLD.email_validation_status IN ('Complete', 'Error')) AND (NEW.email_validation_status IS NULL)), false)) EXECUTE FUNCTION validate_email_refuse();

CREATE FUNCTION validate_email_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.email_validation_status IS DISTINCT FROM 'Processing' THEN
    NEW.email_validation_retries := 0; NEW.email_validation_error := NULL;
    NEW.email_validation_rescues := 0; NEW.email_validation_crashes := 0;
    IF NEW.email_validation_due_at = OLD.email_validation_due_at THEN NEW.email_validation_due_at := now(); END IF;
  END IF;
  NEW.email_validation_lease_until := NULL; NEW.email_validation_worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER validate_email_2_requeue BEFORE UPDATE ON contacts FOR EACH ROW
  WHEN (NEW.email_validation_status = 'Queued' AND OLD.email_validation_status IS DISTINCT FROM NEW.email_validation_status) EXECUTE FUNCTION validate_email_requeue();

CREATE FUNCTION validate_email_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'validate_email' THEN
    PERFORM pg_notify('scrapersky', 'validate_email');
    IF NEW.email_validation_due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'validate_email', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER validate_email_wake_new AFTER INSERT ON contacts FOR EACH ROW
  WHEN (NEW.email_validation_status = 'Queued' AND NEW.contact_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION validate_email_wake();

CREATE TRIGGER validate_email_wake_again AFTER UPDATE ON contacts FOR EACH ROW
  WHEN (NOT coalesce(OLD.email_validation_status = 'Queued' AND OLD.contact_curation_status NOT IN ('Rejected', 'Archived'), false) AND NEW.email_validation_status = 'Queued' AND NEW.contact_curation_status NOT IN ('Rejected', 'Archived')) EXECUTE FUNCTION validate_email_wake();

CREATE FUNCTION deliver_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'deliveries.status cannot change from % to %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER deliver_1_refuse BEFORE UPDATE ON deliveries FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT coalesce((NEW.status = 'Queued') OR (OLD.status = 'Queued' AND (NEW.status IS NULL OR NEW.status IN ('Processing'))) OR (OLD.status = 'Processing' AND NEW.status IN ('Complete', 'Error')) OR ((OLD.status IS NULL OR OLD.status IN ('Complete', 'Error')) AND (NEW.status IS NULL)), false)) EXECUTE FUNCTION deliver_refuse();

CREATE FUNCTION deliver_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.status IS DISTINCT FROM 'Processing' THEN
    NEW.retries := 0; NEW.error := NULL;
    NEW.rescues := 0; NEW.crashes := 0;
    IF NEW.due_at = OLD.due_at THEN NEW.due_at := now(); END IF;
  END IF;
  NEW.lease_until := NULL; NEW.worker := NULL; RETURN NEW;
END $$;

CREATE TRIGGER deliver_2_requeue BEFORE UPDATE ON deliveries FOR EACH ROW
  WHEN (NEW.status = 'Queued' AND OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION deliver_requeue();

CREATE FUNCTION deliver_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM 'deliver' THEN
    PERFORM pg_notify('scrapersky', 'deliver');
    IF NEW.due_at <= now() THEN
      PERFORM set_config('scrapersky.woken', 'deliver', true);
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER deliver_wake_new AFTER INSERT ON deliveries FOR EACH ROW
  WHEN (NEW.status = 'Queued') EXECUTE FUNCTION deliver_wake();

CREATE TRIGGER deliver_wake_again AFTER UPDATE ON deliveries FOR EACH ROW
  WHEN (NOT coalesce(OLD.status = 'Queued', false) AND NEW.status = 'Queued') EXECUTE FUNCTION deliver_wake();

CREATE FUNCTION place_searches_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'place_searches', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION place_searches_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'place_searches', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, source::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION place_searches_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'place_searches', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, source::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION place_searches_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'place_searches';
  DELETE FROM row_count_changes WHERE table_name = 'place_searches';
  RETURN NULL;
END $$;

CREATE TRIGGER place_searches_count_insert AFTER INSERT ON place_searches REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION place_searches_count_insert();

CREATE TRIGGER place_searches_count_update AFTER UPDATE ON place_searches REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION place_searches_count_update();

CREATE TRIGGER place_searches_count_delete AFTER DELETE ON place_searches REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION place_searches_count_delete();

CREATE TRIGGER place_searches_count_truncate AFTER TRUNCATE ON place_searches FOR EACH STATEMENT EXECUTE FUNCTION place_searches_count_truncate();

CREATE FUNCTION places_staging_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'places_staging', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, deep_scan_status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION places_staging_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'places_staging', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, deep_scan_status::text, source::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[status::text, deep_scan_status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION places_staging_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'places_staging', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, deep_scan_status::text, source::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION places_staging_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'places_staging';
  DELETE FROM row_count_changes WHERE table_name = 'places_staging';
  RETURN NULL;
END $$;

CREATE TRIGGER places_staging_count_insert AFTER INSERT ON places_staging REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION places_staging_count_insert();

CREATE TRIGGER places_staging_count_update AFTER UPDATE ON places_staging REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION places_staging_count_update();

CREATE TRIGGER places_staging_count_delete AFTER DELETE ON places_staging REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION places_staging_count_delete();

CREATE TRIGGER places_staging_count_truncate AFTER TRUNCATE ON places_staging FOR EACH STATEMENT EXECUTE FUNCTION places_staging_count_truncate();

CREATE FUNCTION local_businesses_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'local_businesses', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, domain_extraction_status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION local_businesses_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'local_businesses', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, domain_extraction_status::text, source::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[status::text, domain_extraction_status::text, source::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION local_businesses_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'local_businesses', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text, domain_extraction_status::text, source::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION local_businesses_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'local_businesses';
  DELETE FROM row_count_changes WHERE table_name = 'local_businesses';
  RETURN NULL;
END $$;

CREATE TRIGGER local_businesses_count_insert AFTER INSERT ON local_businesses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION local_businesses_count_insert();

CREATE TRIGGER local_businesses_count_update AFTER UPDATE ON local_businesses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION local_businesses_count_update();

CREATE TRIGGER local_businesses_count_delete AFTER DELETE ON local_businesses REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION local_businesses_count_delete();

CREATE TRIGGER local_businesses_count_truncate AFTER TRUNCATE ON local_businesses FOR EACH STATEMENT EXECUTE FUNCTION local_businesses_count_truncate();

CREATE FUNCTION domains_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'domains', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, status::text, sitemap_analysis_status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION domains_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'domains', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, status::text, sitemap_analysis_status::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[sitemap_curation_status::text, status::text, sitemap_analysis_status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION domains_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'domains', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, status::text, sitemap_analysis_status::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION domains_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'domains';
  DELETE FROM row_count_changes WHERE table_name = 'domains';
  RETURN NULL;
END $$;

CREATE TRIGGER domains_count_insert AFTER INSERT ON domains REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION domains_count_insert();

CREATE TRIGGER domains_count_update AFTER UPDATE ON domains REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION domains_count_update();

CREATE TRIGGER domains_count_delete AFTER DELETE ON domains REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION domains_count_delete();

CREATE TRIGGER domains_count_truncate AFTER TRUNCATE ON domains FOR EACH STATEMENT EXECUTE FUNCTION domains_count_truncate();

CREATE FUNCTION jobs_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'jobs', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[job_type::text, status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION jobs_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'jobs', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[job_type::text, status::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[job_type::text, status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION jobs_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'jobs', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[job_type::text, status::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION jobs_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'jobs';
  DELETE FROM row_count_changes WHERE table_name = 'jobs';
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_count_insert AFTER INSERT ON jobs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION jobs_count_insert();

CREATE TRIGGER jobs_count_update AFTER UPDATE ON jobs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION jobs_count_update();

CREATE TRIGGER jobs_count_delete AFTER DELETE ON jobs REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION jobs_count_delete();

CREATE TRIGGER jobs_count_truncate AFTER TRUNCATE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION jobs_count_truncate();

CREATE FUNCTION sitemap_files_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'sitemap_files', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, sitemap_import_status::text, sitemap_type::text, discovery_method::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION sitemap_files_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'sitemap_files', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, sitemap_import_status::text, sitemap_type::text, discovery_method::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[sitemap_curation_status::text, sitemap_import_status::text, sitemap_type::text, discovery_method::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION sitemap_files_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'sitemap_files', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[sitemap_curation_status::text, sitemap_import_status::text, sitemap_type::text, discovery_method::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION sitemap_files_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'sitemap_files';
  DELETE FROM row_count_changes WHERE table_name = 'sitemap_files';
  RETURN NULL;
END $$;

CREATE TRIGGER sitemap_files_count_insert AFTER INSERT ON sitemap_files REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION sitemap_files_count_insert();

CREATE TRIGGER sitemap_files_count_update AFTER UPDATE ON sitemap_files REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION sitemap_files_count_update();

CREATE TRIGGER sitemap_files_count_delete AFTER DELETE ON sitemap_files REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION sitemap_files_count_delete();

CREATE TRIGGER sitemap_files_count_truncate AFTER TRUNCATE ON sitemap_files FOR EACH STATEMENT EXECUTE FUNCTION sitemap_files_count_truncate();

CREATE FUNCTION pages_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'pages', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[page_curation_status::text, page_processing_status::text, contact_scrape_status::text, page_type::text, priority_level::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION pages_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'pages', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[page_curation_status::text, page_processing_status::text, contact_scrape_status::text, page_type::text, priority_level::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[page_curation_status::text, page_processing_status::text, contact_scrape_status::text, page_type::text, priority_level::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION pages_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'pages', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[page_curation_status::text, page_processing_status::text, contact_scrape_status::text, page_type::text, priority_level::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION pages_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'pages';
  DELETE FROM row_count_changes WHERE table_name = 'pages';
  RETURN NULL;
END $$;

CREATE TRIGGER pages_count_insert AFTER INSERT ON pages REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION pages_count_insert();

CREATE TRIGGER pages_count_update AFTER UPDATE ON pages REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION pages_count_update();

CREATE TRIGGER pages_count_delete AFTER DELETE ON pages REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION pages_count_delete();

CREATE TRIGGER pages_count_truncate AFTER TRUNCATE ON pages FOR EACH STATEMENT EXECUTE FUNCTION pages_count_truncate();

CREATE FUNCTION contacts_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'contacts', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[contact_curation_status::text, email_validation_status::text, email_validation_result::text, email_type::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION contacts_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'contacts', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[contact_curation_status::text, email_validation_status::text, email_validation_result::text, email_type::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[contact_curation_status::text, email_validation_status::text, email_validation_result::text, email_type::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION contacts_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'contacts', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[contact_curation_status::text, email_validation_status::text, email_validation_result::text, email_type::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION contacts_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'contacts';
  DELETE FROM row_count_changes WHERE table_name = 'contacts';
  RETURN NULL;
END $$;

CREATE TRIGGER contacts_count_insert AFTER INSERT ON contacts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION contacts_count_insert();

CREATE TRIGGER contacts_count_update AFTER UPDATE ON contacts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION contacts_count_update();

CREATE TRIGGER contacts_count_delete AFTER DELETE ON contacts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION contacts_count_delete();

CREATE TRIGGER contacts_count_truncate AFTER TRUNCATE ON contacts FOR EACH STATEMENT EXECUTE FUNCTION contacts_count_truncate();

CREATE FUNCTION deliveries_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'deliveries', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION deliveries_count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'deliveries', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text] AS facets, -1 AS number FROM old_rows UNION ALL SELECT tenant_id, ARRAY[status::text] AS facets, 1 AS number FROM new_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION deliveries_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT 'deliveries', tenant_id, facets, sum(number) FROM (SELECT tenant_id, ARRAY[status::text] AS facets, -1 AS number FROM old_rows) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION deliveries_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = 'deliveries';
  DELETE FROM row_count_changes WHERE table_name = 'deliveries';
  RETURN NULL;
END $$;

CREATE TRIGGER deliveries_count_insert AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_count_insert();

CREATE TRIGGER deliveries_count_update AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_count_update();

CREATE TRIGGER deliveries_count_delete AFTER DELETE ON deliveries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_count_delete();

CREATE TRIGGER deliveries_count_truncate AFTER TRUNCATE ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION deliveries_count_truncate();
