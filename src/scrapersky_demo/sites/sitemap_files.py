"""The sitemap files of a site in all the states in which they are met, with how many URLs each lists."""

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from scrapersky_demo.sites.layout import SitePage, huge_paths
from scrapersky_demo.sites.plan import Plan

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_GROUPS = {
    "post": "post",
    "category": "category",
    "tag": "post_tag",
    "author": "author",
    "service": "service",
    "product": "product",
}
_WORDPRESS_NAMES = {
    "page": "posts-page",
    "post": "posts-post",
    "category": "taxonomies-category",
    "post_tag": "taxonomies-post_tag",
    "author": "users",
}


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """One file: `url_count` URLs are listed, of which `certain` come before any damage."""

    path: str
    kind: str
    body: bytes
    content_type: str = "application/xml"
    url_count: int = 0
    certain: int = 0
    external: int = 0
    children: tuple[str, ...] = ()
    found_by: str = "index"
    state: str = "whole"


def sitemap_files(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    """The root file first, then the files below it in order; empty when the site has none."""
    maker = _MAKERS.get(plan.sitemap)
    return maker(plan, pages) if maker else []


def listed_paths(pages: dict[str, SitePage], plan: Plan) -> list[str]:
    """All pages, and on some sites one that is gone, as sitemaps are seldom up to date."""
    return [*pages, *stale_paths(plan)]


def stale_paths(plan: Plan) -> list[str]:
    return ["/old-offer-2021"] if plan.serial % 8 == 5 else []


def _urlset(
    plan: Plan, path: str, paths: Sequence[str], *, found_by: str = "index", rich: bool = False
) -> SitemapFile:
    entries = [_entry(plan, number, entry, rich) for number, entry in enumerate(paths)]
    outside = (
        ["http://partner-portal-demo.com/listing/1", "http://blog.partner-portal-demo.com/"] if rich else []
    )
    entries += [f"<url><loc>{url}</loc></url>" for url in outside]
    more = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    body = f"{_XML}<urlset {_NAMESPACE}{more if rich else ''}>\n" + "\n".join(entries) + "\n</urlset>\n"
    count = len(entries)
    return SitemapFile(
        path, "urlset", body.encode(), "application/xml", count, count, len(outside), found_by=found_by
    )


def _entry(plan: Plan, number: int, path: str, rich: bool) -> str:
    url = escape(plan.origin + path)
    loc = f"<![CDATA[{url}]]>" if rich and number % 5 == 0 else url
    image = (
        f"<image:image><image:loc>{plan.origin}/images/{number}@2x.jpg</image:loc></image:image>"
        if rich
        else ""
    )
    other = (
        f'<xhtml:link rel="alternate" hreflang="en" href="{plan.origin}/en/"/>'
        if rich and number == 0
        else ""
    )
    day = f"2024-{number % 12 + 1:02d}-{plan.serial % 28 + 1:02d}"
    return f"<url><loc>{loc}</loc><lastmod>{day}</lastmod>{image}{other}</url>"


def _index(plan: Plan, path: str, children: Sequence[str], *, found_by: str) -> SitemapFile:
    rows = "\n".join(
        f"<sitemap><loc>{plan.origin}{child}</loc>"
        f"<lastmod>2024-05-{number % 28 + 1:02d}T08:30:00+00:00</lastmod></sitemap>"
        for number, child in enumerate(children)
    )
    body = f"{_XML}<sitemapindex {_NAMESPACE}>\n{rows}\n</sitemapindex>\n"
    return SitemapFile(path, "index", body.encode(), children=tuple(children), found_by=found_by)


def _standard(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    return [_urlset(plan, "/sitemap.xml", listed_paths(pages, plan), found_by="path", rich=True)]


def _robots_line(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    return [_urlset(plan, "/site-structure-2024.xml", listed_paths(pages, plan), found_by="robots")]


def _gz(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    plain = _urlset(plan, "/sitemap.xml.gz", listed_paths(pages, plan), found_by="robots")
    return [replace(plain, body=gzip.compress(plain.body, mtime=0), content_type="application/gzip")]


def _text(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    paths = listed_paths(pages, plan)
    body = "\r\n".join(plan.origin + path for path in paths).encode()
    return [SitemapFile("/sitemap.txt", "text", body, "text/plain", len(paths), len(paths), found_by="path")]


def _rss(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    posts = [page for page in pages.values() if page.kind == "post"]
    items = "".join(
        f"<item><title>{escape(page.title)}</title><link>{plan.origin}{page.path}</link>"
        "<pubDate>Mon, 06 May 2024 08:30:00 +0000</pubDate></item>\n"
        for page in posts
    )
    title = escape(plan.owners[0].name)
    channel = f"<channel><title>{title}</title><link>{plan.origin}/</link>\n{items}</channel>"
    body = f'{_XML}<rss version="2.0">{channel}</rss>\n'.encode()
    return [
        SitemapFile("/feed/", "rss", body, "application/rss+xml", len(posts), len(posts), found_by="robots")
    ]


def _groups(plan: Plan, pages: dict[str, SitePage]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {"page": stale_paths(plan)}
    for page in pages.values():
        groups.setdefault(_GROUPS.get(page.kind, "page"), []).append(page.path)
    return groups


def _index_of_eight(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    """An index with exactly eight children: groups of pages, the largest cut in two until there are eight."""
    parts = list(_groups(plan, pages).items())
    names: dict[str, int] = {}
    while len(parts) < 8:
        parts.sort(key=lambda part: (-len(part[1]), part[0]))
        name, paths = parts.pop(0)
        half = len(paths) // 2
        parts += [(name, paths[:half]), (name, paths[half:])]
    children = []
    for name, paths in sorted(parts):
        names[name] = names.get(name, 0) + 1
        children.append(_urlset(plan, _child_path(plan, name, names[name]), paths))
    root = "/sitemap_index.xml" if plan.builder.startswith("wordpress") else "/sitemap.xml"
    found_by = "robots" if plan.robots in ("allow", "paths", "team-closed", "delay") else "path"
    return [_index(plan, root, [child.path for child in children], found_by=found_by), *children]


def _child_path(plan: Plan, name: str, number: int) -> str:
    if plan.builder == "shopify":
        return f"/sitemap_{name}_{number}.xml"
    return f"/{name}-sitemap{number if number > 1 else ''}.xml"


def _wordpress_own(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    children = [
        _urlset(plan, f"/wp-sitemap-{_WORDPRESS_NAMES.get(name, f'posts-{name}')}-1.xml", paths)
        for name, paths in _groups(plan, pages).items()
    ]
    return [_index(plan, "/wp-sitemap.xml", [child.path for child in children], found_by="path"), *children]


def _nested(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    paths = listed_paths(pages, plan)
    third = max(1, len(paths) // 3)
    cuts = [paths[:third], paths[third : 2 * third], paths[2 * third :]]
    leaves = [_urlset(plan, f"/sitemaps/part-{number}.xml", cut) for number, cut in enumerate(cuts, start=1)]
    inner = _index(plan, "/sitemaps/index.xml", [leaf.path for leaf in leaves[:2]], found_by="index")
    root = _index(plan, "/sitemap.xml", [inner.path, leaves[2].path], found_by="path")
    return [root, inner, *leaves]


def _broken(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    """Junk before the declaration and an ampersand that is not escaped, two thirds through."""
    paths = listed_paths(pages, plan)
    whole = _urlset(plan, "/sitemap.xml", paths, found_by="path")
    fault = len(paths) * 2 // 3
    lines = whole.body.decode().split("\n")
    lines.insert(fault + 2, f"<url><loc>{plan.origin}/?page=2&lang={plan.locale.language}</loc></url>")
    body = ("\n\n" + "\n".join(lines)).encode()
    return [replace(whole, body=body, url_count=len(paths) + 1, certain=fault, state="broken")]


def _truncated(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    paths = listed_paths(pages, plan)
    whole = _urlset(plan, "/sitemap.xml", paths, found_by="path")
    kept = max(1, len(paths) * 4 // 5)
    lines = whole.body.decode().split("\n")[: kept + 2]
    body = ("\n".join(lines) + f"\n<url><loc>{plan.origin}/trunc").encode()
    return [replace(whole, body=body, url_count=kept, certain=kept, state="truncated")]


def _huge(plan: Plan, pages: dict[str, SitePage]) -> list[SitemapFile]:
    return [
        _urlset(plan, "/sitemap-all.xml", listed_paths(pages, plan) + huge_paths(plan), found_by="robots")
    ]


_MAKERS: dict[str, Callable[[Plan, dict[str, SitePage]], list[SitemapFile]]] = {
    "standard": _standard,
    "robots-line": _robots_line,
    "index8": _index_of_eight,
    "nested": _nested,
    "gz": _gz,
    "text": _text,
    "rss": _rss,
    "wordpress-own": _wordpress_own,
    "broken": _broken,
    "truncated": _truncated,
    "huge": _huge,
}
