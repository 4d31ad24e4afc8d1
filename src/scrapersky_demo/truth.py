"""What is true in the demo world: for each domain its contacts, sitemaps, pages and how its host behaves."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from scrapersky_demo.sites.frames import generator_of, theme_of
from scrapersky_demo.sites.placement import Placement
from scrapersky_demo.sites.plan import Plan
from scrapersky_demo.sites.site import Site
from scrapersky_demo.sites.sitemap_files import stale_paths

OUTCOMES = {
    "failing": "failing",
    "storm": "failing",
    "refused": "unreachable",
    "unknown": "unreachable",
    "loop": "redirect-loop",
    "bomb": "too-large",
    "endless": "too-large",
    "drip": "timeout",
    "parked": "parked",
}


@dataclass(frozen=True, slots=True)
class ContactTruth:
    """One contact: `standing` is expected, optional, forbidden (only where robots.txt closes) or false."""

    kind: str
    value: str
    detail: str
    standing: str
    urls: tuple[str, ...]
    methods: tuple[str, ...]
    person: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class PersonTruth:
    """Somebody named on the site, with the address and line shown beside the name."""

    name: str
    role: str
    email: str
    phone: str
    url: str
    standing: str


@dataclass(frozen=True, slots=True)
class SitemapTruth:
    url: str
    kind: str
    url_count: int
    certain: int
    external: int
    children: tuple[str, ...]
    found_by: str
    state: str


@dataclass(frozen=True, slots=True)
class PageTruth:
    url: str
    type: str
    status: int
    allowed: bool
    listed: bool


@dataclass(frozen=True, slots=True)
class DomainTruth:
    """The truth about one domain; `aliases` are other names under which it answers."""

    domain: str
    aliases: tuple[str, ...]
    businesses: tuple[str, ...]
    outcome: str
    fate: str
    builder: str
    robots: str
    crawl_delay: float
    sitemap: str
    metadata: dict[str, Any]
    contacts: tuple[ContactTruth, ...]
    people: tuple[PersonTruth, ...]
    sitemaps: tuple[SitemapTruth, ...]
    pages: tuple[PageTruth, ...]

    def values(self, kind: str, standing: str) -> set[str]:
        return {
            contact.value for contact in self.contacts if (contact.kind, contact.standing) == (kind, standing)
        }


@dataclass(frozen=True, slots=True)
class BusinessTruth:
    """`domain` is empty without a site of its own; `platform` then says whether it has a page elsewhere."""

    id: str
    name: str
    domain: str
    platform: bool


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth about a whole world."""

    domains: dict[str, DomainTruth]
    businesses: dict[str, BusinessTruth]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def expected_outcome(plan: Plan) -> str:
    """What becomes of reading this host: "answers" unless its fate or its robots file says otherwise."""
    if plan.fate in OUTCOMES:
        return OUTCOMES[plan.fate]
    return "closed-by-robots" if plan.robots in ("error", "closed") else "answers"


def domain_truth(site: Site) -> DomainTruth:
    plan = site.plan
    outcome = expected_outcome(plan)
    answers = outcome == "answers"
    listed = _listed_paths(site)
    return DomainTruth(
        domain=plan.host,
        aliases=(f"www.{plan.host}", *((plan.served_host,) if plan.fate == "moved" else ())),
        businesses=tuple(owner.id for owner in plan.owners),
        outcome=outcome,
        fate=plan.fate,
        builder=plan.builder,
        robots=plan.robots,
        crawl_delay=site.robots.delay,
        sitemap=plan.sitemap,
        metadata=_metadata(plan) if answers else {},
        contacts=tuple(_contacts(site, answers=answers)),
        people=tuple(_people(site, answers=answers)),
        sitemaps=tuple(_sitemaps(site)) if answers else (),
        pages=tuple(
            PageTruth(
                plan.origin + path, page.type, site.status_of(path), site.robots.allows(path), path in listed
            )
            for path, page in site.pages.items()
        )
        if answers
        else (),
    )


def _metadata(plan: Plan) -> dict[str, Any]:
    """The fields that the home page shows, under the names that the product uses."""
    wordpress = plan.builder.startswith("wordpress")
    return {
        "title": plan.owners[0].name,
        "language": plan.locale.tag,
        "is_wordpress": wordpress,
        "wordpress_version": generator_of(plan).removeprefix("WordPress ") if wordpress else None,
        "wordpress_theme": theme_of(plan) or None,
        "has_elementor": plan.builder == "wordpress-elementor",
        "has_woocommerce": plan.builder == "wordpress-woocommerce",
        "has_yoast_seo": plan.builder in ("wordpress-yoast", "wordpress-woocommerce"),
        "generator": generator_of(plan) or None,
    }


def _listed_paths(site: Site) -> set[str]:
    """Paths that a whole or nearly whole sitemap names."""
    plan = site.plan
    if plan.sitemap == "rss":
        return {page.path for page in site.pages.values() if page.kind == "post"}
    if not site.sitemaps:
        return set()
    paths = [*site.pages, *stale_paths(plan)]
    if plan.sitemap == "truncated":
        return set(paths[: next(iter(site.sitemaps.values())).certain])
    return set(paths)


def _sitemaps(site: Site) -> Iterable[SitemapTruth]:
    origin = site.plan.origin
    for entry in site.sitemaps.values():
        yield SitemapTruth(
            url=origin + entry.path,
            kind=entry.kind,
            url_count=entry.url_count,
            certain=entry.certain,
            external=entry.external,
            children=tuple(origin + child for child in entry.children),
            found_by=entry.found_by,
            state=entry.state,
        )


def _contacts(site: Site, *, answers: bool) -> Iterable[ContactTruth]:
    """Showings of one value put together; it is expected when at least one place may be read."""
    grouped: dict[tuple[str, str], list[Placement]] = {}
    for placement in site.composition.placements:
        if placement.kind != "person":
            grouped.setdefault((placement.kind, placement.value), []).append(placement)
    for (kind, value), placements in grouped.items():
        readable = [
            placement
            for placement in placements
            if site.robots.allows(placement.path) or placement.everywhere
        ]
        first = placements[0]
        yield ContactTruth(
            kind=kind,
            value=value,
            detail=first.detail,
            standing=_standing(first, reachable=answers and bool(readable)),
            urls=tuple(dict.fromkeys(site.plan.origin + placement.path for placement in placements)),
            methods=tuple(dict.fromkeys(placement.method for placement in placements)),
            person=next((placement.person for placement in placements if placement.person), ""),
        )


def _standing(placement: Placement, *, reachable: bool) -> str:
    if placement.standing == "false" or reachable:
        return placement.standing
    return "forbidden"


def _people(site: Site, *, answers: bool) -> Iterable[PersonTruth]:
    placements = site.composition.placements
    for placement in placements:
        if placement.kind == "person":
            beside = [
                other
                for other in placements
                if other.person == placement.value and other.path == placement.path
            ]
            yield PersonTruth(
                name=placement.value,
                role=placement.role,
                email=next((other.value for other in beside if other.kind == "email"), ""),
                phone=next((other.value for other in beside if other.kind == "phone"), ""),
                url=site.plan.origin + placement.path,
                standing=_standing(placement, reachable=answers and site.robots.allows(placement.path)),
            )
