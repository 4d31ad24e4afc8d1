"""Where sitemaps may be: well-known paths and links of the home page; the order of child sitemaps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from scrapersky.extract.sitemaps.reader import SitemapEntry
from scrapersky.extract.sitemaps.records import unescape_xml
from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import same_site

MAX_LINKS = 50

# What each builder publishes, best first; the key is the lower-case name of the technology.
_BY_CMS: dict[str, tuple[str, ...]] = {
    "wordpress": ("/wp-sitemap.xml", "/sitemap_index.xml", "/sitemap.xml"),
    "yoast seo": ("/sitemap_index.xml", "/page-sitemap.xml"),
    "rank math": ("/sitemap_index.xml", "/page-sitemap.xml"),
    "all in one seo": ("/sitemap.xml", "/page-sitemap.xml"),
    "shopify": ("/sitemap.xml",),
    "wix": ("/sitemap.xml", "/pages-sitemap.xml"),
    "squarespace": ("/sitemap.xml",),
    "webflow": ("/sitemap.xml",),
    "jimdo": ("/sitemap.xml",),
    "weebly": ("/sitemap.xml",),
    "ghost": ("/sitemap.xml", "/sitemap-pages.xml"),
    "drupal": ("/sitemap.xml", "/default/sitemap.xml"),
    "joomla": (
        "/sitemap.xml",
        "/index.php?option=com_jmap&view=sitemap&format=xml",
        "/component/osmap/?view=xml&id=1",
    ),
    "typo3": ("/sitemap.xml", "/?type=1533906435", "/index.php?eID=dd_googlesitemap"),
    "prestashop": ("/1_index_sitemap.xml", "/1_de_0_sitemap.xml", "/sitemap.xml"),
    "magento": ("/sitemap.xml", "/pub/sitemap.xml", "/media/sitemap.xml"),
    "shopware": ("/sitemap.xml", "/web/sitemap/shop-1/sitemap-1.xml.gz"),
    "opencart": ("/sitemap.xml", "/index.php?route=extension/feed/google_sitemap"),
    "contao": ("/sitemap.xml", "/share/sitemap.xml"),
    "bitrix": ("/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"),
    "next.js": ("/sitemap.xml", "/sitemap-0.xml", "/server-sitemap.xml"),
    "gatsby": ("/sitemap-index.xml", "/sitemap/sitemap-index.xml", "/sitemap-0.xml"),
    "astro": ("/sitemap-index.xml", "/sitemap-0.xml"),
    "nuxt.js": ("/sitemap.xml", "/sitemap_index.xml"),
    "hugo": ("/sitemap.xml", "/en/sitemap.xml"),
    "blogger": ("/sitemap.xml", "/sitemap-pages.xml", "/atom.xml"),
    "google sites": ("/sitemap.xml",),
    "tilda": ("/sitemap.xml",),
    "umbraco": ("/sitemap.xml", "/sitemapxml", "/xmlsitemap"),
}
_ANYWHERE = tuple(
    """
    /sitemap.xml /sitemap_index.xml /sitemap-index.xml /wp-sitemap.xml /sitemap.xml.gz /sitemap.txt
    /sitemapindex.xml /sitemap/sitemap.xml /sitemap/index.xml /sitemap.php /sitemaps.xml /sitemap1.xml
    /sitemap-0.xml /sitemap_index.xml.gz /page-sitemap.xml /pages-sitemap.xml /sitemap-pages.xml
    /wp-sitemap-index.xml /wp-sitemap-posts-page-1.xml /post-sitemap.xml /wp-sitemap-posts-post-1.xml
    /sitemap-posts-post-1.xml /sitemap-pages-post-1.xml /sitemap-categories-1.xml /product-sitemap.xml
    /category-sitemap.xml /sitemap/ /sitemaps/sitemap.xml /xml-sitemap.xml /google-sitemap.xml
    /sitemap-main.xml /feed/ /rss.xml /atom.xml /feed.xml
    """.split()  # noqa: SIM905  Thirty quoted paths are harder to read and to extend.
)


def sitemap_paths(cms: str = "") -> tuple[str, ...]:
    """Paths in the order in which a sitemap is likely there, headed by what the detected builder uses."""
    return tuple(dict.fromkeys((*_BY_CMS.get(cms.strip().lower(), ()), *_ANYWHERE)))


class SitemapLink(NamedTuple):
    """A sitemap that a page points to, and how."""

    url: str
    how: str


_TAG = re.compile(r"<(a|link)\s([^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""(?<![\w:.\-])(href|rel|type)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.I
)
_MENTION = re.compile(
    r"""sitemap(?:_?url)?["']?\s{0,9}[:=]\s{0,9}["']?(https?://[^\s"'<>]{1,2000}|/[^\s"'<>]{1,500})""", re.I
)
_FILE = re.compile(r"\.(?:xml|xml\.gz|txt|php)(?:$|\?)|/sitemaps?/?$", re.IGNORECASE)
_ORDER = {"link": 0, "anchor": 1, "mention": 2, "feed": 3}


def find_sitemap_links(html: str, *, base: str) -> tuple[SitemapLink, ...]:
    """Sitemaps and feeds that a home page names, on its own site only, the surest first."""
    urls: dict[str, str] = {}
    for tag, attributes in _TAG.findall(html):
        values = {name.lower(): unescape_xml(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(attributes)}
        if how := _how(tag.lower(), values):
            _add(urls, values.get("href", ""), how, base)
    for mention in _MENTION.findall(html):
        _add(urls, unescape_xml(mention.replace("\\/", "/")), "mention", base)
    links = sorted((SitemapLink(url, how) for url, how in urls.items()), key=lambda link: _ORDER[link.how])
    return tuple(links[:MAX_LINKS])


def _how(tag: str, values: dict[str, str]) -> str:
    rel, href = values.get("rel", "").lower().split(), values.get("href", "").lower()
    if "sitemap" in rel:
        return "link"
    if tag == "link":
        kind = values.get("type", "").lower()
        return "feed" if "alternate" in rel and ("rss+xml" in kind or "atom+xml" in kind) else ""
    return "anchor" if "sitemap" in href and _FILE.search(href) else ""


def _add(links: dict[str, str], href: str, how: str, base: str) -> None:
    url = read_url(href, base=base).url
    if url and same_site(url, base) and (url not in links or _ORDER[how] < _ORDER[links[url]]):
        links[url] = how


_PROMISE: tuple[tuple[int, re.Pattern[str]], ...] = (
    (5, re.compile(r"image|img|video|media|attachment|photo|bild")),
    (4, re.compile(r"tag|author|user|archive|taxonom|format|label|comment|review")),
    (3, re.compile(r"product|categor|collection|shop|item|brand|produkt|artikel|catalog|term|attribute")),
    (
        2,
        re.compile(
            r"post|blog|news|article|event|recipe|stor(?:y|ies)\b|podcast|forum|topic|job|beitrag|aktuell"
        ),
    ),
    (
        0,
        re.compile(
            r"contact|kontakt|contatt|imprint|impressum|team|staff|people|person|about|location|store"
        ),
    ),
    (0, re.compile(r"branch|agent|office|employee|member|doctor|lawyer|attorney|practi|standort|filial")),
    (0, re.compile(r"mitarbeiter|page|seite")),
)
_NOISE = re.compile(r"site-?map|wp-|posts?-page")

Child = TypeVar("Child")


def rank_child_sitemaps(children: Iterable[Child], *, url_of: str = "url") -> list[Child]:
    """The children of an index, those likely to list contact pages first; equals keep their order."""
    return sorted(children, key=lambda child: rank_child(str(getattr(child, url_of, child))))


def import_level(url: str) -> int:
    """When a file's turn comes: 1 for lists of contact pages, 3 for those of products, tags and pictures."""
    return (1, 2, 2, 3, 3, 3)[rank_child(url)]


def rank_child(url: str) -> int:
    """0 for page, contact, team and location lists, 1 for unknown ones, up to 5 for images."""
    name = url.partition("://")[2].partition("/")[2].lower()
    if "posts-page" in name or "post-type-page" in name:
        return 0
    name = _NOISE.sub("", name)
    return next((rank for rank, words in _PROMISE if words.search(name)), 1)


def classify_sitemap(kind: str, listings: list[SitemapEntry]) -> str:
    """The type of a sitemap file: index, standard, image, video, news, rss, atom or text."""
    if kind != "urlset":
        return kind
    extensions = {extension for listing in listings[:100] for extension in listing.extensions}
    return next((name for name in ("news", "video", "image") if name in extensions), "standard")
