"""Which pages a site has and under which paths, by the habits of its builder."""

from collections.abc import Callable
from dataclasses import dataclass

from scrapersky_demo.draws import Draw
from scrapersky_demo.locales.locale import slugify
from scrapersky_demo.sites.plan import Plan

SHOPS = ("wordpress-woocommerce", "shopify")
# The word that the truth uses for the type of each kind of page.
PAGE_TYPES = {
    "home": "home",
    "contact": "contact",
    "legal": "legal",
    "privacy": "legal",
    "about": "about",
    "team": "team",
    "services": "services",
    "service": "services",
    "career": "career",
    "blog": "blog",
    "post": "blog",
    "products": "products",
    "product": "products",
    "category": "category",
    "tag": "tag",
    "location": "location",
    "author": "author",
}
PathMaker = Callable[[str, str, dict[str, str]], str]


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page of a site, before it is written."""

    path: str
    kind: str
    title: str
    serial: int = 0

    @property
    def type(self) -> str:
        return PAGE_TYPES[self.kind]


def pages_of(plan: Plan) -> dict[str, SitePage]:
    """All pages of the site by path, the home page first."""
    draw, locale = plan.draw("layout"), plan.locale
    chosen = {key: draw.choice(slugs) for key, slugs in locale.slugs.items()}
    path_of = _maker_for(plan, draw)
    pages = [SitePage("/", "home", plan.owners[0].name)]
    for kind in _main_kinds(plan, draw):
        pages.append(SitePage(path_of(kind, chosen[kind], chosen), kind, locale.words[kind]))
    if plan.builder != "single":
        pages += _lists(plan, draw, path_of, chosen)
    return {page.path: page for page in pages}


def _main_kinds(plan: Plan, draw: Draw) -> list[str]:
    if plan.builder == "single":
        return ["legal", "privacy"]
    kinds = ["contact", "legal", "privacy", "about", "services"]
    for kind, share in (("team", 0.75), ("career", 0.4), ("blog", 0.85), ("location", 0.15)):
        if (
            draw.chance(share)
            or (kind == "location" and len(plan.owners) > 1)
            or (kind == "team" and plan.robots == "team-closed")
        ):
            kinds.append(kind)
    if plan.builder in SHOPS:
        kinds.append("products")
    return kinds


def _lists(plan: Plan, draw: Draw, path_of: PathMaker, chosen: dict[str, str]) -> list[SitePage]:
    """Services, posts, products and the archives that builders add around them."""
    locale = plan.locale
    offers = locale.kind_by_key[plan.owners[0].kind].offers
    planned: list[tuple[str, list[str]]] = [
        ("service", list(offers)),
        ("post", _numbered(locale.posts, draw.between(2, 14))),
        ("category", draw.sample(locale.topics, draw.between(2, 3))),
        ("tag", draw.sample(locale.topics, draw.between(1, 4))),
    ]
    if plan.builder in SHOPS:
        planned.append(("product", _numbered(locale.products, draw.between(6, 30))))
    if plan.builder.startswith("wordpress"):
        planned.append(("author", [draw.choice(locale.given_names)]))
    pages = []
    for kind, titles in planned:
        for serial, title in enumerate(titles):
            pages.append(SitePage(path_of(kind, slugify(title), chosen), kind, title, serial))
    return pages


def _numbered(titles: tuple[str, ...], count: int) -> list[str]:
    return [
        titles[i % len(titles)] + (f" {i // len(titles) + 1}" if i >= len(titles) else "")
        for i in range(count)
    ]


def huge_paths(plan: Plan) -> list[str]:
    """The many product pages of a site with a huge sitemap; all of them answer."""
    return [f"/catalogue/item-{number:06d}.html" for number in range(plan.huge_urls)]


def is_huge_path(path: str) -> bool:
    return path.startswith("/catalogue/item-") and path.endswith(".html")


def _maker_for(plan: Plan, draw: Draw) -> PathMaker:
    builder = plan.builder
    if builder.startswith("wordpress"):
        return _wordpress_dated if draw.chance(0.5) else _wordpress
    if builder == "plain":
        ending = draw.choice((".html", ".htm", ".php"))
        return lambda kind, slug, chosen: f"/{_nested(kind, slug, chosen)}{ending}"
    if builder == "typo3":
        ending = draw.choice((".html", "/"))
        return lambda kind, slug, chosen: f"/{_nested(kind, slug, chosen)}{ending}"
    return {"wix": _wix, "shopify": _shopify, "joomla": _joomla}.get(builder, _bare)


_FOLDERS = {
    "service": "services",
    "post": "blog",
    "product": "products",
    "category": "category",
    "tag": "tag",
}


def _nested(kind: str, slug: str, chosen: dict[str, str]) -> str:
    return f"{chosen[_FOLDERS[kind]]}/{slug}" if kind in _FOLDERS else slug


def _bare(kind: str, slug: str, chosen: dict[str, str]) -> str:
    return f"/{_nested(kind, slug, chosen)}"


def _wordpress(kind: str, slug: str, chosen: dict[str, str]) -> str:
    if kind == "author":
        return f"/author/{slug}/"
    if kind == "product":
        return f"/{chosen['product']}/{slug}/"
    return f"/{_nested(kind, slug, chosen)}/"


def _wordpress_dated(kind: str, slug: str, chosen: dict[str, str]) -> str:
    if kind == "post":
        return f"/2024/{len(slug) % 12 + 1:02d}/{slug}/"
    return _wordpress(kind, slug, chosen)


def _wix(kind: str, slug: str, chosen: dict[str, str]) -> str:
    return f"/post/{slug}" if kind == "post" else _bare(kind, slug, chosen)


def _shopify(kind: str, slug: str, chosen: dict[str, str]) -> str:
    prefixes = {
        "post": f"/blogs/{chosen['blog']}/",
        "blog": "/blogs/",
        "product": "/products/",
        "category": "/collections/",
        "tag": f"/blogs/{chosen['blog']}/tagged/",
        "privacy": "/policies/",
        "legal": "/policies/",
        "products": "/collections/",
    }
    return f"{prefixes.get(kind, '/pages/')}{slug}"


def _joomla(kind: str, slug: str, chosen: dict[str, str]) -> str:
    if kind == "post":
        return f"/index.php/{chosen['blog']}/{len(slug) + 10}-{slug}"
    return f"/index.php/{_nested(kind, slug, chosen)}"
