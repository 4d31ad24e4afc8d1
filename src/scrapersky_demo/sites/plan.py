"""What kind of site each host has: its builder, sitemap, robots file, habits and fate, by fixed shares."""

from collections.abc import Mapping
from dataclasses import dataclass

from scrapersky_demo.businesses.business import Business
from scrapersky_demo.draws import Draw, deal
from scrapersky_demo.locales.locale import Locale

# Shares are cards in a deck: over each full deck of sites every word falls exactly so often.
FATES: dict[str, int] = {
    "well": 158,
    "www": 8,
    "moved": 6,
    "slow": 4,
    "busy": 3,
    "flaky": 3,
    "parked": 3,
    "failing": 2,
    "refused": 2,
    "unknown": 2,
    "soft404": 2,
    "calendar": 2,
    "loop": 1,
    "bomb": 1,
    "endless": 1,
    "drip": 1,
    "storm": 1,
    # Only on request: a page of thousands of unrelated addresses would drown every other figure.
    "crowd": 0,
}
BUILDERS = {
    "wordpress-elementor": 12,
    "wordpress-woocommerce": 9,
    "wordpress-yoast": 13,
    "wordpress": 10,
    "wix": 11,
    "shopify": 8,
    "squarespace": 8,
    "joomla": 6,
    "typo3": 7,
    "plain": 12,
    "single": 4,
}
SITEMAPS = {
    "standard": 14,
    "robots-line": 12,
    "index8": 4,
    "nested": 8,
    "gz": 10,
    "text": 9,
    "rss": 8,
    "broken": 7,
    "truncated": 7,
    "huge": 3,
    "missing": 14,
    "html": 4,
}
ROBOTS = {
    "allow": 44,
    "paths": 20,
    "team-closed": 5,
    "delay": 9,
    "missing": 12,
    "html": 6,
    "error": 2,
    "closed": 2,
}
OBFUSCATIONS = {
    "mailto": 22,
    "text": 14,
    "json-ld": 6,
    "microdata": 4,
    "cloudflare": 8,
    "cloudflare-link": 4,
    "rot13": 3,
    "entities": 6,
    "reversed": 3,
    "split-tags": 5,
    "data-attributes": 4,
    "base64": 2,
    "script": 5,
    "brackets": 10,
    "full-width": 2,
    "zero-width": 2,
}
# Sitemaps that are found only through the robots file, which then has to be one that can be read.
NAMED_IN_ROBOTS = {"robots-line", "gz", "rss", "huge"}
_READABLE_ROBOTS = ("allow", "paths", "delay")


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything decided about one site before its pages are made."""

    seed: int
    serial: int
    host: str
    served_host: str
    owners: tuple[Business, ...]
    builder: str
    sitemap: str
    robots: str
    fate: str
    obfuscation: str
    steady: bool
    validators: str
    agency: int | None
    huge_urls: int

    @property
    def locale(self) -> Locale:
        return self.owners[0].locale

    @property
    def origin(self) -> str:
        return f"http://{self.served_host}"

    def draw(self, *keys: object) -> Draw:
        return Draw(self.seed, self.host, *keys)


def plan_site(
    seed: int,
    serial: int,
    host: str,
    owners: tuple[Business, ...],
    *,
    fates: Mapping[str, int],
    agencies: int,
    huge_urls: int,
) -> Plan:
    draw = Draw(seed, host, "plan")
    fate = deal(fates, seed, "fate", serial)
    if fate == "moved" and host.startswith("xn--"):
        fate = "well"
    builder = deal(BUILDERS, seed, "builder", serial)
    sitemap = _sitemap_for(builder, deal(SITEMAPS, seed, "sitemap", serial), fate)
    return Plan(
        seed=seed,
        serial=serial,
        host=host,
        served_host=_served_host(host, fate),
        owners=owners,
        builder=builder,
        sitemap=sitemap,
        robots=_robots_for(sitemap, deal(ROBOTS, seed, "robots", serial), fate, draw),
        fate=fate,
        obfuscation=_obfuscation_for(builder, deal(OBFUSCATIONS, seed, "hiding", serial), draw),
        steady=draw.chance(0.7),
        validators=draw.choice(("etag", "etag", "modified", "both", "none")),
        agency=draw.below(agencies) if draw.chance(0.35) else None,
        huge_urls=huge_urls,
    )


def _served_host(host: str, fate: str) -> str:
    if fate == "www":
        return f"www.{host}"
    return f"new-{host}" if fate == "moved" else host


def _sitemap_for(builder: str, drawn: str, fate: str) -> str:
    """Builders bring their own sitemaps; only the others have whatever fell to them."""
    if fate in ("soft404", "calendar"):
        return "missing"
    if builder in ("wordpress-yoast", "wordpress-woocommerce"):
        return "index8"
    if builder == "wordpress":
        return "wordpress-own"
    if builder in ("shopify", "wix"):
        return "nested" if drawn == "nested" else "index8"
    if builder == "single" and drawn in ("index8", "nested", "truncated", "rss", "huge"):
        return "missing"
    return drawn


def _robots_for(sitemap: str, drawn: str, fate: str, draw: Draw) -> str:
    if fate == "soft404":
        return "html"
    if sitemap in NAMED_IN_ROBOTS and drawn not in _READABLE_ROBOTS:
        return draw.choice(_READABLE_ROBOTS)
    return drawn


def _obfuscation_for(builder: str, drawn: str, draw: Draw) -> str:
    if builder == "typo3":
        return draw.choice(("typo3", "typo3", "typo3-token"))
    if builder == "joomla":
        return draw.choice(("joomla", "joomla", "joomla-tag"))
    return drawn
