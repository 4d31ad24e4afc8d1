# ruff: noqa: E501
"""An original ScraperSky database for tests: its tables, enum types, NULLs, duplicates and odd values."""

from __future__ import annotations

import asyncpg

SCHEMA = """
CREATE TYPE place_status_enum AS ENUM ('New', 'Selected', 'Maybe', 'Not a Fit', 'Archived');
CREATE TYPE gcp_api_deep_scan_status_enum AS ENUM ('Queued', 'Processing', 'Completed', 'Error');
CREATE TYPE domain_extraction_status_enum AS ENUM ('Queued', 'Processing', 'Completed', 'Error');
CREATE TYPE sitemap_curation_enum AS ENUM ('New', 'Selected', 'Maybe', 'Not a Fit', 'Archived', 'Completed');
CREATE TYPE sitemap_analysis_enum AS ENUM ('pending', 'queued', 'processing', 'submitted', 'failed');
CREATE TYPE sitemap_import_enum AS ENUM ('Queued', 'Processing', 'Complete', 'Error');
CREATE TYPE sitemap_file_enum AS ENUM ('Pending', 'Processing', 'Completed', 'Error');
CREATE TYPE page_curation_enum AS ENUM ('New', 'Selected', 'Queued', 'Processing', 'Complete', 'Error', 'Skipped');
CREATE TYPE page_processing_enum AS ENUM ('Queued', 'Processing', 'Complete', 'Error', 'Filtered');
CREATE TYPE page_type_enum AS ENUM ('contact_root', 'career_contact', 'legal_root', 'wp_prospect', 'unknown');
CREATE TYPE contact_scrape_enum AS ENUM ('New', 'ContactFound', 'NoContactFound', 'Error', 'NotAFit');
CREATE TYPE contact_curation_enum AS ENUM ('New', 'Queued', 'Processing', 'Complete', 'Error', 'Skipped');
CREATE TYPE contact_email_type_enum AS ENUM ('SERVICE', 'CORPORATE', 'FREE', 'UNKNOWN');
CREATE TYPE crm_sync_enum AS ENUM ('New', 'Selected', 'Queued', 'Processing', 'Complete', 'Error', 'Skipped');

CREATE TABLE tenants (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL,
  description text, is_active boolean DEFAULT true, created_at timestamptz, updated_at timestamptz);
CREATE TABLE place_searches (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id uuid, user_id uuid,
  location varchar(255) NOT NULL, business_type varchar(100) NOT NULL, params json,
  status varchar(50) DEFAULT 'pending', created_at timestamp DEFAULT now(), updated_at timestamp DEFAULT now());
CREATE TABLE places_staging (id serial PRIMARY KEY, place_id varchar(255) UNIQUE NOT NULL,
  name varchar(255) NOT NULL, formatted_address text, business_type varchar(100), latitude float,
  longitude float, vicinity text, rating float, user_ratings_total integer, price_level integer,
  status place_status_enum, tenant_id uuid, created_by uuid, user_id uuid, user_name text,
  search_job_id uuid, search_query text, search_location text, raw_data jsonb, search_time timestamp,
  notes text, priority integer DEFAULT 0, tags text[], revisit_date timestamp, processed boolean DEFAULT false,
  processed_time timestamp, updated_by uuid, updated_at timestamp, deep_scan_status gcp_api_deep_scan_status_enum,
  deep_scan_error text);
CREATE TABLE local_businesses (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id uuid,
  place_id text UNIQUE, lead_source text, business_name text, full_address text, street_address text, city text,
  state text, zip text, country text, phone text, main_category text, extra_categories text[],
  rating numeric(3,2), reviews_count integer, price_text text, website_url text, business_verified boolean,
  monday_hours text, sunday_hours text, timezone text, image_url text, latitude numeric(10,7),
  longitude numeric(10,7), food_featured text, service_options text[], additional_json jsonb DEFAULT '{}',
  status place_status_enum, domain_extraction_status domain_extraction_status_enum,
  domain_extraction_error text, created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE batch_jobs (id serial PRIMARY KEY, id_uuid uuid, batch_id uuid UNIQUE NOT NULL, tenant_id uuid,
  processor_type text, status text, created_by uuid, total_domains integer, completed_domains integer,
  failed_domains integer, progress float, batch_metadata jsonb, options jsonb, start_time timestamptz,
  end_time timestamptz, processing_time float, error text, created_at timestamptz, updated_at timestamptz);
CREATE TABLE domains (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), domain varchar(255) UNIQUE NOT NULL,
  tenant_id uuid, created_by uuid, status text DEFAULT 'active', meta_json jsonb, notes text, title text,
  description text, favicon_url text, logo_url text, language text, is_wordpress boolean,
  wordpress_version text, has_elementor boolean, tech_stack jsonb, email_addresses text[],
  phone_numbers text[], facebook_url text, twitter_url text, linkedin_url text, instagram_url text,
  youtube_url text, last_scan timestamptz, sitemap_urls integer, total_sitemaps integer,
  batch_id uuid REFERENCES batch_jobs (batch_id), local_business_id uuid REFERENCES local_businesses (id),
  sitemap_analysis_status sitemap_analysis_enum, sitemap_analysis_error text,
  sitemap_curation_status sitemap_curation_enum, last_error text, ssl_issuer text,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE jobs (id serial PRIMARY KEY, job_id uuid UNIQUE DEFAULT gen_random_uuid(), job_type text NOT NULL,
  tenant_id text, tenant_id_uuid uuid, created_by uuid, status text, domain_id uuid REFERENCES domains (id),
  progress float DEFAULT 0, result_data jsonb, error text, job_metadata jsonb, batch_id uuid,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE sitemap_files (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), domain_id uuid NOT NULL,
  url text NOT NULL, sitemap_type text NOT NULL, discovery_method text, page_count integer, size_bytes integer,
  response_time_ms integer, status_code integer, error_message text, is_gzipped boolean, has_lastmod boolean,
  has_priority boolean, has_changefreq boolean, last_modified timestamptz, url_count integer DEFAULT 0,
  priority integer DEFAULT 5, generator text, lead_source text, tenant_id uuid, created_by uuid, updated_by uuid,
  user_id uuid, user_name text, job_id uuid, status sitemap_file_enum, is_active boolean DEFAULT true,
  process_after timestamptz, last_processed_at timestamptz, deep_scrape_curation_status sitemap_curation_enum,
  sitemap_import_status sitemap_import_enum, sitemap_import_error text, tags jsonb, notes text,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE sitemap_urls (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  sitemap_id uuid REFERENCES sitemap_files (id) ON DELETE CASCADE, domain_id uuid, url text NOT NULL,
  loc_text text, page_type text, status text, priority integer DEFAULT 5, lastmod timestamptz,
  changefreq text, priority_value float, lead_source text, tenant_id uuid, discovered_at timestamptz,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE pages (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id uuid,
  domain_id uuid NOT NULL REFERENCES domains (id), url text NOT NULL, title text, description text, h1 text,
  canonical_url text, meta_robots text, has_schema_markup boolean, schema_types text[], has_contact_form boolean,
  has_comments boolean, word_count integer, inbound_links text[], outbound_links text[],
  last_modified timestamptz, last_scan timestamptz, page_type page_type_enum, lead_source text,
  additional_json jsonb DEFAULT '{}', sitemap_file_id uuid, page_curation_status page_curation_enum,
  page_processing_status page_processing_enum, page_processing_error text, honeybee_json jsonb DEFAULT '{}',
  priority_level integer, path_depth integer, contact_scrape_status contact_scrape_enum,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(), UNIQUE (domain_id, url));
CREATE TABLE contacts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), domain_id uuid NOT NULL, page_id uuid NOT NULL,
  email text NOT NULL, email_type contact_email_type_enum, has_gmail boolean, context text, source_url text,
  source_job_id uuid, name text, phone_number text, contact_curation_status contact_curation_enum,
  contact_processing_status text, contact_processing_error text, hubspot_sync_status crm_sync_enum,
  hubspot_contact_id text, brevo_contact_id text, retry_count integer DEFAULT 0,
  debounce_validation_status crm_sync_enum, debounce_processing_status text, debounce_result text,
  debounce_score integer, debounce_reason varchar(500), debounce_suggestion text,
  debounce_processing_error text, debounce_validated_at timestamptz, enrichment_status varchar(20),
  enriched_phone varchar(50), enriched_company jsonb, last_enrichment_id varchar(255),
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(), UNIQUE (domain_id, email));
"""

# Ids end in a number that the tests name.
ROWS = """
INSERT INTO tenants (name) VALUES ('the only one');
INSERT INTO place_searches (id, location, business_type, params, status) VALUES
  ('00000000-0000-4000-8000-000000000101', 'Houston, TX', 'dentist', '{"radius_km": 10}', 'complete'),
  ('00000000-0000-4000-8000-000000000102', 'Waco, TX', 'bakery', NULL, NULL),
  ('00000000-0000-4000-8000-000000000103', 'Waco, TX', 'bakery', '{}', 'processing');
INSERT INTO places_staging (place_id, name, status, search_job_id, deep_scan_status, deep_scan_error, latitude,
    raw_data, tags, updated_at) VALUES
  ('gp-1', 'Bright Teeth', 'Selected', '00000000-0000-4000-8000-000000000101', 'Completed', NULL, 29.7, '{"a": 1}',
   '{vip}', '2025-05-01 10:00'),
  ('gp-2', 'Not for us', 'Not a Fit', NULL, NULL, NULL, 29.7, NULL, NULL, NULL),
  ('gp-3', 'Stuck', 'Selected', '00000000-0000-4000-8000-00000000dead', 'Processing', NULL, 29.7, NULL, NULL, NULL),
  ('gp-4', 'Broken', NULL, NULL, 'Error', NULL, 999, NULL, NULL, NULL);
INSERT INTO local_businesses (id, place_id, business_name, website_url, status, domain_extraction_status,
    monday_hours, service_options) VALUES
  ('00000000-0000-4000-8000-000000000201', 'gp-1', 'Bright Teeth', 'https://brightteeth.com', 'Selected',
   'Completed', '9-17', '{Delivery}'),
  ('00000000-0000-4000-8000-000000000202', NULL, 'By hand', NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000203', 'gp-9', NULL, 'https://facebook.com/x', 'Maybe', 'Queued', NULL, NULL);
INSERT INTO batch_jobs (batch_id, processor_type, status, options) VALUES
  ('00000000-0000-4000-8000-000000000901', 'sitemap', 'partial', '{"max_pages": 5}');
INSERT INTO domains (id, domain, status, title, local_business_id, sitemap_analysis_status,
    sitemap_curation_status, meta_json, ssl_issuer, last_error) VALUES
  ('00000000-0000-4000-8000-000000000301', 'brightteeth.com', 'completed', NULL,
   '00000000-0000-4000-8000-000000000201', 'submitted', 'Completed', '{"generator": "x"}', 'Any CA', NULL),
  ('00000000-0000-4000-8000-000000000302', 'https://www.BrightTeeth.com', 'active', 'Bright', NULL, NULL, NULL, NULL,
   NULL, NULL),
  ('00000000-0000-4000-8000-000000000303', 'facebook.com', 'active', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000304', 'never-read.com', 'active', NULL, NULL, 'processing', 'Not a Fit', NULL,
   NULL, NULL),
  ('00000000-0000-4000-8000-000000000305', 'odd.com', 'weird', NULL, NULL, 'failed', 'New', NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000306', 'null.com', NULL, NULL, NULL, 'queued', NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000307', 'failed.com', 'error', NULL, NULL, NULL, 'Archived', NULL, NULL,
   'timeout'),
  ('00000000-0000-4000-8000-000000000308', 'not a domain', 'active', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO jobs (job_id, job_type, status, domain_id, progress, result_data, error) VALUES
  ('00000000-0000-4000-8000-000000000401', 'sitemap', 'complete', '00000000-0000-4000-8000-000000000301', 1,
   '{"domain": "brightteeth.com", "sitemaps": []}', NULL),
  ('00000000-0000-4000-8000-000000000402', 'sitemap', 'pending', '00000000-0000-4000-8000-000000000306', 0,
   '{"domain": "null.com", "max_pages": 1000}', NULL),
  ('00000000-0000-4000-8000-000000000403', 'places_deep_scan', 'running', NULL, 0.2, NULL, NULL),
  ('00000000-0000-4000-8000-000000000404', 'website_scan', 'Error', NULL, 7, '[1]', NULL),
  (NULL, 'sitemap_scan', 'Completed', NULL, 1, NULL, NULL);
INSERT INTO sitemap_files (id, domain_id, url, sitemap_type, discovery_method, deep_scrape_curation_status,
    sitemap_import_status, sitemap_import_error, tags, priority) VALUES
  ('00000000-0000-4000-8000-000000000501', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/sitemap.xml', 'standard', 'robots_txt', 'Selected', 'Complete', NULL, '["a"]', 5),
  ('00000000-0000-4000-8000-000000000502', '00000000-0000-4000-8000-000000000302',
   'https://brightteeth.com/sitemap.xml', 'STANDARD', 'manual_test', NULL, NULL, NULL, NULL, 5),
  ('00000000-0000-4000-8000-000000000503', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/post-sitemap.xml', 'standard', NULL, NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000504', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/bad.xml', 'index', 'common_path', 'Not a Fit', 'Error', 'HTTP Error: 404', NULL, 5),
  ('00000000-0000-4000-8000-000000000505', '00000000-0000-4000-8000-00000000dead',
   'https://gone.com/sitemap.xml', 'standard', 'robots_txt', NULL, 'Processing', NULL, NULL, 5);
INSERT INTO pages (id, domain_id, url, page_type, page_curation_status, page_processing_status,
    page_processing_error, contact_scrape_status, priority_level, honeybee_json, sitemap_file_id) VALUES
  ('00000000-0000-4000-8000-000000000601', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/contact', 'contact_root', 'Selected', 'Complete', NULL, 'ContactFound', 1,
   '{"v": 1, "decision": {"category": "contact_root", "confidence": 0.9}}', '00000000-0000-4000-8000-000000000501'),
  ('00000000-0000-4000-8000-000000000602', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/blog', 'unknown', 'New', 'Complete', NULL, 'New', 5, '{}',
   '00000000-0000-4000-8000-000000000501'),
  ('00000000-0000-4000-8000-000000000603', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/x.pdf', NULL, NULL, 'Filtered', NULL, NULL, NULL, '{}', NULL),
  ('00000000-0000-4000-8000-000000000604', '00000000-0000-4000-8000-000000000301',
   'https://brightteeth.com/team', 'unknown', 'Skipped', 'Error', NULL, 'Error', 3, '{}', NULL),
  ('00000000-0000-4000-8000-000000000605', '00000000-0000-4000-8000-000000000302',
   'https://BRIGHTTEETH.com/contact#map', 'contact_root', 'Queued', 'Processing', NULL, NULL, 1, '{}', NULL),
  ('00000000-0000-4000-8000-000000000606', '00000000-0000-4000-8000-000000000301',
   'mailto:x@brightteeth.com', NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL);
INSERT INTO sitemap_urls (id, sitemap_id, url, lastmod) VALUES
  ('00000000-0000-4000-8000-000000000801', '00000000-0000-4000-8000-000000000501',
   'https://brightteeth.com/contact', '2025-01-01'),
  ('00000000-0000-4000-8000-000000000802', '00000000-0000-4000-8000-000000000501',
   'https://brightteeth.com/imprint', NULL);
INSERT INTO contacts (id, domain_id, page_id, email, email_type, name, phone_number, contact_curation_status,
    debounce_result, debounce_score, debounce_processing_status, debounce_validated_at, hubspot_contact_id,
    source_url) VALUES
  ('00000000-0000-4000-8000-000000000701', '00000000-0000-4000-8000-000000000301',
   '00000000-0000-4000-8000-000000000601', 'Info@brightteeth.com', 'SERVICE', 'Contact at brightteeth.com',
   'Phone not found', 'Queued', 'valid', 100, 'Complete', '2025-10-01', 'hs-1', NULL),
  ('00000000-0000-4000-8000-000000000702', '00000000-0000-4000-8000-000000000302',
   '00000000-0000-4000-8000-000000000605', 'info@brightteeth.com', 'SERVICE', 'Ann Lee', '(713) 222-4567', NULL,
   NULL, NULL, NULL, NULL, NULL, 'https://brightteeth.com/contact'),
  ('00000000-0000-4000-8000-000000000703', '00000000-0000-4000-8000-000000000301',
   '00000000-0000-4000-8000-000000000601', 'logo@2x.png', 'UNKNOWN', NULL, NULL, 'New', NULL, NULL, NULL, NULL,
   NULL, NULL),
  ('00000000-0000-4000-8000-000000000704', '00000000-0000-4000-8000-000000000301',
   '00000000-0000-4000-8000-000000000602', 'ann.lee@brightteeth.com', 'CORPORATE', 'Ann Lee', '1748983646',
   'Skipped', NULL, NULL, 'Queued', NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000705', '00000000-0000-4000-8000-00000000dead',
   '00000000-0000-4000-8000-000000000602', 'lost@brightteeth.com', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL);
"""

MANY = """
INSERT INTO domains (domain, status) SELECT 'shop' || n || '.com', 'completed' FROM generate_series(1, 1200) n;
"""
MANY_PAGES = """
INSERT INTO pages (domain_id, url, page_processing_status)
SELECT d.id, 'https://' || d.domain || '/page-' || n, 'Filtered'
FROM domains d CROSS JOIN generate_series(1, 10) n WHERE d.domain LIKE 'shop%'
"""


async def make_legacy_database(url: str) -> None:
    """Fill an empty database."""
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    try:
        await connection.execute(SCHEMA)
        await connection.execute(ROWS)
    finally:
        await connection.close()
