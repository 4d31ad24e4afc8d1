"""The lists of the console, each declared once: columns, filters, actions and the words of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapersky.api.routes.exports import PATHS
from scrapersky.declarations import statuses
from scrapersky.queries.rows.entities import LISTS as ENTITIES
from scrapersky.queries.rows.entities import Entity
from scrapersky.web.console.navigation import LISTS as LIST_PATHS

# The key of each decision in a list, its verb and its icon.
DECISIONS = (
    (statuses.SELECTED, "s", "Select", "check"),
    (statuses.MAYBE, "m", "Maybe", "circle-help"),
    (statuses.REJECTED, "r", "Reject", "x"),
    (statuses.ARCHIVED, "e", "Archive", "archive"),
    (statuses.NEW, "", "Put back", "undo-2"),
)

# Cells whose values do not say what they are.
LABELLED = ("text", "time", "day", "destination")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: `cell` names how it is rendered, `sort` the order that its header offers."""

    header: str
    cell: str
    name: str = ""
    sort: str = ""
    is_number: bool = False

    @property
    def has_label(self) -> bool:
        """Whether its values need their header beside them on a narrow screen, where a row is a card."""
        return self.is_number or self.cell in LABELLED


@dataclass(frozen=True, slots=True)
class FirstStep:
    """What to do while a list has never had a row."""

    text: str
    label: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A list as people see it.

    `drop_downs` are facets with one choice at a time; `following` is the list to look at when all is decided;
    `website` is the column that `o` opens; `run` is the verb of the button that queues rows at once.
    """

    entity: Entity
    title: str
    purpose: str
    noun: str
    nouns: str
    columns: tuple[Column, ...]
    facets: Mapping[str, str]
    texts: Mapping[str, str]
    search: str
    first_step: FirstStep
    effect: str = ""
    drop_downs: tuple[str, ...] = ()
    has_batch_area: bool = False
    has_triage: bool = False
    has_contacts: bool = False
    following: str = ""
    website: str = ""
    run: str = ""
    id_labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.entity.name

    @property
    def path(self) -> str:
        return LIST_PATHS[self.entity.name]

    @property
    def api_path(self) -> str:
        return PATHS[self.entity.name]

    @property
    def curation(self) -> str:
        """The column of decisions; nothing for a list about which nobody decides."""
        return self.entity.curation_column if self.entity.is_curated else ""

    def label(self, name: str) -> str:
        """A filter in plain words."""
        known = {"q": "Search", **self.facets, **self.texts, **self.id_labels}
        return known.get(name, name.replace("_", " ").capitalize())

    def count(self, number: int) -> str:
        return self.noun if number == 1 else self.nouns

    def target(self, row: Mapping[str, Any]) -> str:
        """Where Enter leads: the dossier, the contact, the sitemap, or the rows that came of this one."""
        row_id = row["id"]
        if self.name in ("search", "place", "business"):
            below = {
                "search": f"/places?search_id={row_id}",
                "place": f"/businesses?place_row_id={row_id}",
                "business": f"/domains?local_business_id={row_id}",
            }
            return below[self.name]
        if self.name in ("contact", "sitemap"):
            return f"{self.path}/{row_id}"
        if self.name == "delivery":
            # A deletion has outlived its contact.
            return f"/contacts/{row['contact_id']}" if row["contact_id"] else ""
        return f"/domains/{row['domain']}"


_CREATED = Column("Created", "time", "created_at", sort="created_at")
_UPDATED = Column("Updated", "time", "updated_at", sort="updated_at")
_DOMAIN, _ERROR = {"domain": "Domain contains"}, {"error": "Error contains"}
_FIND = "Add domains or start a search; rows appear here as they are found."
_ADD = FirstStep(_FIND, "Add domains", "/add")

VIEWS: dict[str, ListView] = {
    view.entity.name: view
    for view in (
        ListView(
            entity=ENTITIES["search"],
            title="Searches",
            purpose="What was searched for, where, and what it found.",
            noun="search",
            nouns="searches",
            columns=(
                Column("Search", "search"),
                Column("Where", "text", "location"),
                Column("Source", "text", "source"),
                Column("Status", "pill", "status"),
                Column("Places", "places", "places_found", is_number=True),
                Column("Coverage", "coverage"),
                _CREATED,
            ),
            facets={"status": "Status", "source": "Source"},
            texts=_ERROR,
            search="Kind of business or place",
            first_step=FirstStep("A search finds places of one kind.", "Start a search", "/add/search"),
        ),
        ListView(
            entity=ENTITIES["place"],
            title="Places",
            purpose="Decide which of the found places become leads.",
            noun="place",
            nouns="places",
            columns=(
                Column("Place", "place", "name"),
                Column("Kind", "text", "business_type"),
                Column("Website", "website", "website_url"),
                Column("Source", "text", "source"),
                Column("Curation", "curation"),
                Column("Details", "pill", "deep_scan_status"),
                Column("Found", "time", "created_at", sort="created_at"),
            ),
            facets={"status": "Curation", "deep_scan_status": "Details", "source": "Source"},
            texts={"name_contains": "Name contains", **_DOMAIN, **_ERROR},
            search="Name, address or website",
            first_step=FirstStep("Places come from searches.", "Start a search", "/add/search"),
            effect="and queued for their details",
            has_triage=True,
            following="business",
            website="website_url",
            run="Read details now",
            id_labels={"search_id": "Search"},
        ),
        ListView(
            entity=ENTITIES["business"],
            title="Businesses",
            purpose="Keep the businesses that fit; their websites become domains.",
            noun="business",
            nouns="businesses",
            columns=(
                Column("Business", "business", "business_name"),
                Column("Phone", "phone", "phone"),
                Column("Website", "website", "website_url"),
                Column("Curation", "curation"),
                Column("Domain", "pill", "domain_extraction_status"),
                _UPDATED,
            ),
            facets={"status": "Curation", "domain_extraction_status": "Domain", "source": "Source"},
            texts={"name_contains": "Name contains", **_DOMAIN, **_ERROR},
            search="Name, address or website",
            first_step=_ADD,
            effect="and queued for their domain",
            has_triage=True,
            following="domain",
            website="website_url",
            run="Find domain now",
            id_labels={"place_row_id": "Place"},
        ),
        ListView(
            entity=ENTITIES["domain"],
            title="Domains",
            purpose="Decide which websites to read. Selected domains are scanned for sitemaps.",
            noun="domain",
            nouns="domains",
            columns=(
                Column("Domain", "domain", "domain", sort="domain"),
                Column("Sitemaps", "sitemaps", "total_sitemaps", is_number=True),
                Column("Curation", "curation"),
                Column("Home page", "pill", "status"),
                Column("Sitemap scan", "pill", "sitemap_analysis_status"),
                _UPDATED,
            ),
            facets={
                "sitemap_curation_status": "Curation",
                "status": "Home page",
                "sitemap_analysis_status": "Sitemap scan",
            },
            texts={**_DOMAIN, **_ERROR},
            search="Domain",
            first_step=_ADD,
            effect="and queued for a scan of their sitemaps",
            has_batch_area=True,
            has_triage=True,
            following="sitemap",
            website="domain",
            run="Read now",
            id_labels={"local_business_id": "Business"},
        ),
        ListView(
            entity=ENTITIES["sitemap"],
            title="Sitemaps",
            purpose="Decide which sitemaps to import. Selected sitemaps go to the import queue.",
            noun="sitemap",
            nouns="sitemaps",
            columns=(
                Column("URL", "url", "url"),
                Column("Domain", "domain_link", "domain"),
                Column("Import status", "pill", "sitemap_import_status"),
                Column("Curation status", "curation"),
                Column("Created", "day", "created_at", sort="created_at"),
            ),
            facets={
                "sitemap_import_status": "Import status",
                "sitemap_curation_status": "Curation status",
                "sitemap_type": "Type",
                "discovery_method": "Found by",
                "priority_level": "Priority",
            },
            texts={**_DOMAIN, "url_contains": "URL contains", **_ERROR},
            search="URL",
            first_step=_ADD,
            effect="and queued for import",
            drop_downs=("sitemap_import_status", "sitemap_curation_status"),
            has_batch_area=True,
            following="page",
            website="url",
            run="Import now",
            id_labels={"domain_id": "Domain", "job_id": "Job"},
        ),
        ListView(
            entity=ENTITIES["page"],
            title="Pages",
            purpose="Decide which pages to read for contacts. Selected pages go straight to the queue.",
            noun="page",
            nouns="pages",
            columns=(
                Column("URL", "page", "url"),
                Column("Type", "page_type", "page_type"),
                Column("Priority", "priority", "priority_level", sort="priority_level"),
                Column("Curation", "curation"),
                Column("Processing", "pill", "page_processing_status"),
                Column("Contacts", "contacts", "contact_scrape_status"),
                _UPDATED,
            ),
            facets={
                "page_curation_status": "Curation",
                "page_processing_status": "Processing",
                "priority_level": "Priority",
                "page_type": "Page type",
                "contact_scrape_status": "Contacts",
            },
            texts={"url_contains": "URL contains", **_DOMAIN, **_ERROR},
            search="URL",
            first_step=_ADD,
            effect="and queued for reading",
            has_triage=True,
            has_contacts=True,
            following="contact",
            website="url",
            run="Read now",
            id_labels={"domain_id": "Domain"},
        ),
        ListView(
            entity=ENTITIES["contact"],
            title="Contacts",
            purpose="Decide which contacts to keep. Selected e-mail addresses are checked.",
            noun="contact",
            nouns="contacts",
            columns=(
                Column("Contact", "contact"),
                Column("Phone", "phone", "phone_number"),
                Column("Domain", "domain_link", "domain"),
                Column("E-mail check", "check", "email_validation_result"),
                Column("Sure", "percent", "confidence", sort="confidence", is_number=True),
                Column("Score", "score", "lead_score", sort="lead_score", is_number=True),
                Column("Curation", "curation"),
                _UPDATED,
            ),
            facets={
                "contact_curation_status": "Curation",
                "email_validation_result": "E-mail check",
                "email_type": "Kind",
                "email_validation_status": "Processing",
            },
            texts={
                "email_contains": "E-mail contains",
                "name_contains": "Name contains",
                **_DOMAIN,
                **_ERROR,
            },
            search="E-mail, name or phone",
            first_step=_ADD,
            effect="and queued for a check of their e-mail address",
            has_triage=True,
            website="source_url",
            run="Check now",
            id_labels={"domain_id": "Domain", "page_id": "Page"},
        ),
        ListView(
            entity=ENTITIES["delivery"],
            title="Deliveries",
            purpose="Which contact went to which destination, and what came of it.",
            noun="delivery",
            nouns="deliveries",
            columns=(
                Column("Contact", "delivery", "contact_id"),
                Column("Destination", "destination", "destination_id"),
                Column("Status", "pill", "status"),
                Column("Their id", "text", "external_id"),
                Column("Delivered", "time", "delivered_at"),
                _CREATED,
            ),
            facets={"status": "Status"},
            texts=_ERROR,
            search="Id at the destination",
            first_step=FirstStep(
                "Nothing has been sent to a destination yet: add one, then send contacts from their list.",
                "Open the destinations",
                "/settings/destinations",
            ),
            id_labels={"contact_id": "Contact", "destination_id": "Destination"},
        ),
    )
}
