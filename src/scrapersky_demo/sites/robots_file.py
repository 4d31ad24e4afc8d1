"""The robots file of a site, and which of its pages it closes."""

from dataclasses import dataclass

from scrapersky_demo.sites.layout import SitePage
from scrapersky_demo.sites.plan import Plan

_DELAYS = ("0.2", "0.5", "1")
_OTHERS = "User-agent: DemoHarvester\nDisallow: /\n\n"


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """`closed` are path prefixes that nobody may read; an `html` answer holds no rules at all."""

    status: int
    body: str
    html: bool = False
    closed: tuple[str, ...] = ()
    delay: float = 0.0

    def allows(self, path: str) -> bool:
        return not any(path.startswith(prefix) for prefix in self.closed)


def robots_file(plan: Plan, pages: dict[str, SitePage], sitemaps: list[str]) -> RobotsFile:
    """`sitemaps` are the URLs that its Sitemap lines name."""
    tail = "".join(f"\nSitemap: {url}\n" for url in sitemaps)
    if plan.robots == "missing":
        return RobotsFile(404, "not found\n")
    if plan.robots == "html":
        return RobotsFile(200 if plan.fate == "soft404" else 404, "", html=True)
    if plan.robots == "error":
        return RobotsFile(500, "internal error\n", closed=("/",))
    if plan.robots == "closed":
        return RobotsFile(200, "User-agent: *\nDisallow: /\n", closed=("/",))
    closed = _closed_paths(plan, pages)
    rules = "".join(f"Disallow: {path}\n" for path in closed) or "Disallow:\n"
    delay = _DELAYS[plan.serial % len(_DELAYS)] if plan.robots == "delay" else ""
    wait = f"Crawl-delay: {delay}\n" if delay else ""
    return RobotsFile(
        200, f"{_OTHERS}User-agent: *\n{rules}{wait}{tail}", closed=closed, delay=float(delay or 0)
    )


def _closed_paths(plan: Plan, pages: dict[str, SitePage]) -> tuple[str, ...]:
    closed = ["/wp-admin/"] if plan.builder.startswith("wordpress") else []
    if plan.robots == "paths":
        closed += ["/cart", "/search", *_paths(pages, "tag")]
    if plan.robots == "team-closed":
        closed += _paths(pages, "team")
    return tuple(closed)


def _paths(pages: dict[str, SitePage], kind: str) -> list[str]:
    return [page.path for page in pages.values() if page.kind == kind]
